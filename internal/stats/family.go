package stats

import "slices"

// Family describes a family of tests, ordered in chains. Each chain has an equal share of alpha. A test
// that rejects passes its share to the next test in its chain; the last test passes it to the other
// chains. If each chain has one test, this is Holm's procedure.
//
// The choice of tests depends only on the numbers of repeats, so it does not bias the tests.
type Family struct {
	// Tests is the number of tests, Chains the number of chains. Gated means that some tests wait for
	// the first one of their cell.
	Tests, Chains int
	Gated         bool
	// Untested is the number of cells that could be significant alone but are not tested.
	Untested int
}

// Correct adjusts the p-values of the estimates of cells for a family that has a share of alpha. If
// there are enough repeats for all measures of all cells to be significant together, each measure is a
// chain. For example, the p-value of 10 pairs is at least 2/2^10, more than 0.05/26. Otherwise each
// cell is a chain, starting with its first measure, so that tests of the same curves do not reduce
// each other's power.
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
			f.Untested++
		}
	}
	chains, some := testable(each, alpha), testable(byCell, alpha)
	tested := 0
	for _, cell := range byCell {
		if slices.ContainsFunc(chains, func(c []*Estimate) bool { return slices.Contains(cell, c[0]) }) {
			tested++
		}
	}
	if tested < len(some) {
		chains = some
	}
	f.Untested -= max(tested, len(some))
	f.Chains, f.Tests = len(chains), adjust(chains, whole, share)
	f.Gated = f.Tests > f.Chains
	return f
}

// testable returns the chains that can be significant given the number of chains (Tarone 1990). It finds
// the smallest k such that at most k chains can be significant at level alpha/k, and returns them.
func testable(chains [][]*Estimate, alpha float64) [][]*Estimate {
	for k := 1; ; k++ {
		can := slices.DeleteFunc(slices.Clone(chains), func(c []*Estimate) bool { return c[0].Least > alpha/float64(k) })
		if len(can) <= k {
			return can
		}
	}
}

// adjust sets the adjusted p-values of chains of tests that have a share of alpha, and returns the number
// of tests. An adjusted p-value is at most alpha if and only if the procedure rejects at level alpha.
// The family-wise error rate is at most alpha. See Bretz et al. 2009, "A graphical approach to
// sequentially rejective multiple test procedures"; for chains of one test, Holm 1979.
//
// It also sets the share of alpha of each test, which is 0 after a test in its chain that does not
// reject.
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
		if running <= alpha*(1+rounding) { // all earlier tests have rejected
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
