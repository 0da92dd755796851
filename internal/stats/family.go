package stats

import "slices"

// Family is which tests are made, and in what order. Each chain has an equal share
// of alpha; its first test has all of it, and passes it on to the next, and the last
// one to the other chains. Where all chains are of one test, that is Holm's procedure.
//
// Which tests are in it depends on the numbers of repeats alone, and so on nothing that the tests are about.
type Family struct {
	// Tests is the number of tests, Chains that of chains. Gated says that some wait for the first
	// one of their cell.
	Tests, Chains int
	Gated         bool
	// Left counts the cells that could be significant on their own and are not tested among the others.
	Left int
}

// Correct adjusts the p-values of the estimates of cells for a family, which has a share of alpha.
// It takes all measures of all cells, if the number of repeats is large enough for all
// of them to be significant together: the p-value of 10 pairs is at least 2/2^10, more
// than 0.05/26. Else it takes the first measure of each cell, and
// the others after it, so that tests of the same curves do not keep each other from
// being significant.
func Correct(cells [][]*Estimate, alpha, share float64) (f Family) {
	whole := alpha
	alpha *= share
	var each, byCell [][]*Estimate
	for _, cell := range cells {
		if len(cell) == 0 {
			continue
		}
		byCell = append(byCell, cell)
		each = slices.AppendSeq(each, slices.Chunk(cell, 1))
		if cell[0].Least <= alpha {
			f.Left++
		}
	}
	chains, some := able(each, alpha), able(byCell, alpha)
	tested := 0
	for _, cell := range byCell {
		if slices.ContainsFunc(chains, func(c []*Estimate) bool { return slices.Contains(cell, c[0]) }) {
			tested++
		}
	}
	if tested < len(some) {
		chains = some
	}
	f.Left -= max(tested, len(some))
	f.Chains, f.Tests = len(chains), adjust(chains, whole, share)
	f.Gated = f.Tests > f.Chains
	return f
}

// able leaves out the chains that cannot be significant for the number of the others:
// of the smallest k such that at most k can be at the level alpha/k, those that can
// (Tarone 1990).
func able(chains [][]*Estimate, alpha float64) [][]*Estimate {
	for k := 1; ; k++ {
		can := slices.DeleteFunc(slices.Clone(chains), func(c []*Estimate) bool { return c[0].Least > alpha/float64(k) })
		if len(can) <= k {
			return can
		}
	}
}

// adjust sets the adjusted p-values of chains of tests, which have a share of alpha, and returns the
// number of tests: each is at most alpha if and only if the procedure rejects at the level alpha, so that the chance of
// any false alarm is at most alpha (Bretz et al. 2009, "A graphical approach to
// sequentially rejective multiple test procedures"; for chains of one test, Holm 1979).
// It also sets the share of alpha that each test had, which is 0 behind one in its chain that does
// not reject.
func adjust(chains [][]*Estimate, alpha, share float64) (tests int) {
	chains = slices.Clone(chains)
	running, last, waits := 0.0, 0.0, map[*Estimate]bool{}
	for len(chains) > 0 {
		i := 0
		for j := range chains {
			if chains[j][0].P < chains[i][0].P {
				i = j
			}
		}
		e := chains[i][0]
		if running <= alpha*(1+rounding) { // no test has failed before this one
			last = share / float64(len(chains))
		}
		running = max(running, min(float64(len(chains))*e.P/share, 1))
		value := running
		e.Adjusted = &value
		if !waits[e] {
			e.share = last
		}
		tests++
		if chains[i] = chains[i][1:]; len(chains[i]) == 0 {
			chains = slices.Delete(chains, i, i+1)
		} else if running > alpha*(1+rounding) {
			waits[chains[i][0]] = true
		}
	}
	return tests
}
