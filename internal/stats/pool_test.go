package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scoredPool returns a pool with random scores and values of k columns.
func scoredPool(rows [2]int, paired bool, k int, rng *rand.Rand) (p *Pool, values []float64) {
	p = PlainPool(rows[0], rows[1], paired)
	p.Candidates = k
	p.Scores = make([]float64, (rows[0]+rows[1])*k)
	for i := range p.Scores {
		p.Scores[i] = rng.Float64()
		values = append(values, rng.NormFloat64()+float64(i%k))
		if rng.Float64() < 0.05 {
			p.Scores[i] = Ineligible
		}
	}
	return p, values
}

// bruteExchanges computes the p-values of exchange by enumerating all arrangements, with the margin
// subtracted from or added to the candidate's rows.
func bruteExchanges(p *Pool, values []float64, margin float64) (above, below float64) {
	n, all, k := p.Rows[0], p.Rows[0]+p.Rows[1], p.Candidates
	chosen := func(rows []int) int {
		best := -1
		var least float64
		for j := range k {
			sum := 0.0
			for _, row := range rows {
				sum += p.Scores[row*k+j]
			}
			if !math.IsNaN(sum) && (best < 0 || sum < least) {
				best, least = j, sum
			}
		}
		return best
	}
	difference := func(a [2][]int, margin float64) (d float64, ok bool) {
		for side, rows := range a {
			j := chosen(rows)
			if j < 0 {
				return 0, false
			}
			for _, row := range rows {
				v := values[row*k+j]
				if row >= n {
					v -= margin
				}
				d += float64(2*side-1) * v / float64(len(rows))
			}
		}
		return d, true
	}
	hits, ways := [2]int{}, 0
	for mask := range 1 << all {
		var a [2][]int
		for row := range all {
			a[mask>>row&1] = append(a[mask>>row&1], row)
		}
		splits := func(i int) bool { return mask>>i&1 == mask>>(n+i)&1 }
		if len(a[0]) != n || p.Paired && slices.ContainsFunc(a[0], func(row int) bool { return splits(row % n) }) {
			continue
		}
		ways++
		for i, sign := range []float64{1, -1} {
			observed, _ := difference([2][]int(p.observed()), sign*margin)
			if d, ok := difference(a, sign*margin); !ok || sign*d >= sign*observed-1e-9 {
				hits[i]++
			}
		}
	}
	return float64(hits[0]) / float64(ways), float64(hits[1]) / float64(ways)
}

// The p-values count all arrangements, each with its own selection, for every margin. The ends of the
// interval are the extreme margins that are not rejected.
func TestExchangesCountAllArrangements(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for trial := range 60 {
		paired := trial%2 == 0
		rows := [2]int{2 + rng.IntN(4), 2 + rng.IntN(4)}
		if paired {
			rows[1] = rows[0]
		}
		p, values := scoredPool(rows, paired, 1+trial%3, rng)
		if c := p.Choice(); min(c[0], c[1]) < 0 {
			continue
		}
		o := Settings{Alpha: 0.3, Margin: 0.3 * float64(trial%4)}
		x := p.exchange([][]float64{values}, o, 0)[0]
		above, below := bruteExchanges(p, values, o.Margin)
		if math.Abs(x.above-above) > 1e-12 || math.Abs(x.below-below) > 1e-12 {
			t.Errorf("paired %v, rows %v: p = %v and %v, brute force %v and %v", paired, rows, x.above, x.below, above, below)
		}
		lo, hi := x.ends(o.Alpha)
		for _, end := range []struct{ at, out float64 }{{lo, -1e-6}, {hi, 1e-6}} {
			if math.IsInf(end.at, 0) {
				continue
			}
			rejected := func(margin float64) bool {
				above, _ := bruteExchanges(p, values, margin)
				_, below := bruteExchanges(p, values, -margin)
				return min(above, below) <= o.Alpha/2
			}
			if rejected(end.at) || !rejected(end.at+end.out) {
				t.Errorf("paired %v, rows %v: %v is not an end of the interval [%v, %v]", paired, rows, end.at, lo, hi)
			}
		}
	}
}

// The expected values are from scipy.stats.permutation_test 1.10 of the mean, two-sided, with
// n_resamples=inf and permutation_type='samples', and from scipy.stats.wilcoxon with mode='exact'.
func TestExchangesAgreeWithSciPy(t *testing.T) {
	x := []float64{0.12, -0.05, 0.33, 0.21, 0.08, 0.17, -0.02, 0.29, 0.11, 0.04}
	p := PlainPool(len(x), len(x), true)
	values := append(make([]float64, len(x)), x...)
	if got := p.Estimate([][]float64{values}, Settings{Alpha: 0.05})[0].P; math.Abs(got-0.01171875) > 1e-12 {
		t.Errorf("p = %v, SciPy has 0.01171875", got)
	}
	above, below := p.rankTest(values, Settings{Alpha: 0.05}, 0, false)
	if got := 2 * min(above, below); math.Abs(got-0.013671875) > 1e-12 {
		t.Errorf("signed ranks: p = %v, SciPy has 0.013671875", got)
	}
}

// Infinite values are tested by ranks, also with a margin.
func TestRanksOfInfiniteValues(t *testing.T) {
	inf := math.Inf(1)
	for _, paired := range []bool{true, false} {
		p := PlainPool(8, 8, paired)
		for _, c := range []struct {
			by, margin  float64
			significant bool
		}{{0.2, 0, true}, {0.2, 0.1, true}, {0.2, 0.3, false}} {
			var values []float64
			for i := range 16 {
				values = append(values, 0.001*float64(i%8)+c.by*float64(i/8))
			}
			values[15] = inf
			e := p.Estimate([][]float64{values}, Settings{Alpha: 0.05, Margin: c.margin})[0]
			if !e.Ranks || (e.P <= 0.05) != c.significant || math.IsInf(e.Centre, 0) {
				t.Errorf("paired %v, %+v: p = %v, centre %v", paired, c, e.P, e.Centre)
			}
		}
	}
}

// Random arrangements give about the same p-value as all of them. There are enough for a test in a large
// family to reject.
func TestRandomExchangesAgreeWithAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	p := PlainPool(20, 20, true)
	values, sums := make([]float64, 40), make([]float64, 1<<20)
	for i := range 20 {
		d := rng.NormFloat64() + 0.4
		values[20+i] = d
		for which := range sums {
			if which>>i&1 == 1 {
				sums[which] += d
			}
		}
	}
	hits := 0
	for _, s := range sums { // flipping differences that sum to at most 0 does not reduce the sum
		hits += boolean(s <= 0)
	}
	want := float64(hits) / float64(len(sums))
	for _, tests := range []int{1, 48} {
		o := Settings{Alpha: 0.05, Tests: tests}
		x, again := p.exchange([][]float64{values}, o, 0)[0], p.exchange([][]float64{values}, o, 0)[0]
		if sd := math.Sqrt(want * (1 - want) / leastRandom); math.Abs(x.above-want) > 4*sd+1.0/leastRandom || again.above != x.above {
			t.Errorf("random arrangements give p = %v and %v, all give %v", x.above, again.above, want)
		}
		if least := o.leastP(true, 20, 20); least > o.Alpha/float64(tests)/19 {
			t.Errorf("%d tests: the least p-value is %v", tests, least)
		}
	}
}

func TestLeastPValues(t *testing.T) {
	o := Settings{Alpha: 0.05}
	for n := 2; n <= 9; n++ {
		for _, paired := range []bool{true, false} {
			values := make([]float64, 2*n)
			for i := range n {
				values[n+i] = 1 + float64(i)/100
			}
			p := PlainPool(n, n, paired)
			if got, want := o.leastP(paired, n, n), p.Estimate([][]float64{values}, o)[0].P; math.Abs(got-want) > 1e-12 {
				t.Errorf("leastP(%v, %d) = %v, but a clear difference has %v", paired, n, got, want)
			}
		}
	}
	if e := PlainPool(3, 3, true).Estimate([][]float64{make([]float64, 6)}, o)[0]; e.P != 1 {
		t.Errorf("p of no difference is %v, want 1", e.P)
	}
}

func TestRanks(t *testing.T) {
	inf := math.Inf(1)
	got := signedRanks([]float64{-2, 0, 1, inf, 2, -inf, 2})
	want := []float64{-3, 0, 1, 5.5, 3, -5.5, 3}
	if !slices.Equal(got, want) {
		t.Fatalf("signedRanks = %v, want %v", got, want)
	}
	got = midRanks([]float64{inf, 3, inf, 1})
	want = []float64{3.5, 2, 3.5, 1}
	if !slices.Equal(got, want) {
		t.Fatalf("midRanks = %v, want %v", got, want)
	}
}

// Resamples select only candidates that are eligible as observed.
func TestBootstrapAmongEligible(t *testing.T) {
	p := PlainPool(3, 3, true)
	p.Candidates = 2
	// The first candidate is better, but one repeat makes it ineligible on the baseline's side.
	p.Scores = []float64{Ineligible, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	values := []float64{5, 1, 5, 1, 5, 1, 7, 2, 7, 2, 7, 2}
	rng := rand.New(rand.NewPCG(9, 1))
	for _, d := range p.bootstrap([][]float64{values}, 50, rng)[0] {
		if d != 7-1 {
			t.Fatalf("a difference of %v, want 6", d)
		}
	}
	if p.Choice() != [2]int{1, 0} {
		t.Errorf("observed choice: %v", p.Choice())
	}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}
