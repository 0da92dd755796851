package compare

import (
	"fmt"
	"slices"

	"stochopt/internal/words"
)

// A test is a measure of a cell, both by index.
type test struct{ cell, measure int }

// family is which tests are made, and in what order. Each chain has an equal share
// of alpha; its first test has all of it, and passes it on to the next, and the last
// one to the other chains. Where all chains are of one test, that is Holm's procedure.
//
// Which tests are in it depends on the numbers of repeats alone, and so on nothing
// that the tests are about.
type family struct {
	chains [][]test
	// ordered says that measures wait for the first one of their cell.
	ordered bool
	// left counts the cells that could be significant on their own and are not tested
	// among the others.
	left int
}

// newFamily takes all measures of all cells, if so many can be significant together
// with the repeats that there are: the p-value of 10 pairs is at least 2/2^10, more
// than 0.05/26. Else it takes one measure of each cell, the area if there is one, and
// the others after it, so that tests of the same curves do not keep each other from
// being significant.
func newFamily(cells []comparison, alpha float64) family {
	var each, byCell [][]test
	for i := range cells {
		var chain []test
		for j, e := range cells[i].estimates {
			if e == nil || cells[i].Verdict != "" {
				continue
			}
			each = append(each, []test{{i, j}})
			place := len(chain)
			if cells[i].measurements[j].Kind == Area {
				place = 0
			}
			chain = slices.Insert(chain, place, test{i, j})
		}
		if len(chain) > 0 {
			byCell = append(byCell, chain)
		}
	}
	least := func(c []test) float64 { return cells[c[0].cell].estimates[c[0].measure].least }
	all, some := able(each, least, alpha), able(byCell, least, alpha)
	tested := map[int]bool{}
	for _, c := range all {
		tested[c[0].cell] = true
	}
	f := family{chains: all}
	if len(tested) < len(some) {
		f = family{chains: some, ordered: true}
	}
	for _, c := range byCell {
		if least(c) <= alpha {
			f.left++
		}
	}
	f.left -= max(len(tested), len(some))
	return f
}

// able leaves out the chains that cannot be significant for the number of the others:
// of the smallest k such that at most k can be at the level alpha/k, those that can
// (Tarone 1990).
func able(chains [][]test, least func([]test) float64, alpha float64) [][]test {
	for k := 1; ; k++ {
		can := slices.DeleteFunc(slices.Clone(chains), func(c []test) bool { return least(c) > alpha/float64(k) })
		if len(can) <= k {
			return can
		}
	}
}

// adjusted returns the p-values of the tests adjusted for the family: each at most
// alpha if and only if the procedure rejects at the level alpha, so that the chance of
// any false alarm is at most alpha (Bretz et al. 2009, "A graphical approach to
// sequentially rejective multiple test procedures"; for chains of one test, Holm 1979).
// share is what the family has of alpha.
func (f family) adjusted(p func(test) float64, share float64) map[test]*float64 {
	out := map[test]*float64{}
	chains := slices.Clone(f.chains)
	running := 0.0
	for len(chains) > 0 {
		i := 0
		for j := range chains {
			if p(chains[j][0]) < p(chains[i][0]) {
				i = j
			}
		}
		running = max(running, min(float64(len(chains))*p(chains[i][0])/share, 1))
		value := running
		out[chains[i][0]] = &value
		if chains[i] = chains[i][1:]; len(chains[i]) == 0 {
			chains = slices.Delete(chains, i, i+1)
		}
	}
	return out
}

// warning says what the family leaves out, or is empty.
func (f family) warning() string {
	switch {
	case f.left > 0 && len(f.chains) == 0:
		return fmt.Sprintf("with so few repeats, tests of %s cannot be significant after correction, so none is tested: compare fewer cells, or run more repeats", words.Count(f.left, "cell"))
	case f.left > 0:
		return fmt.Sprintf("not tested, because with so few repeats and so many cells they cannot be significant: %s; compare fewer cells, or run more repeats", words.Count(f.left, "cell"))
	case f.ordered && slices.ContainsFunc(f.chains, func(c []test) bool { return len(c) > 1 }):
		return fmt.Sprintf("with so few repeats, tests of all measures of %s cannot be significant: a cell's other measures are tested only if its first one, the area, is significant (gatekeeping)", words.Count(len(f.chains), "cell"))
	}
	return ""
}
