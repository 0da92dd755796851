package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scoredPool is a pool with scores and values of so many columns.
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

// With a single candidate the exchanges are sign flips and permuted labels.
func TestExchangesAgreeWithTestsOfFixedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	o := Settings{Alpha: 0.05}
	for trial := range 60 {
		paired, infinite := trial%2 == 0, trial%3 == 0
		n, m := 2+rng.IntN(6), 2+rng.IntN(6)
		if paired {
			m = n
		}
		p := PlainPool(n, m, paired)
		values := make([]float64, n+m)
		for i := range values {
			values[i] = rng.NormFloat64() + float64(i/n)
		}
		if infinite {
			values[rng.IntN(n+m)] = math.Inf(1)
		}
		base, cand := values[:n], values[n:]
		d := make([]float64, 0)
		if paired {
			d = differences(base, cand)
		}
		var want float64
		switch ranks := midRanks(values); {
		case paired && infinite:
			want = signFlip(signedRanks(d), nil)
		case paired:
			want = signFlip(d, nil)
		case infinite:
			want = permuteLabels(ranks[:n], ranks[n:], nil)
		default:
			want = permuteLabels(base, cand, nil)
		}
		ps, ranked, least := p.pValues([][]float64{values}, o, 0)
		if math.Abs(ps[0]-want) > 1e-12 || ranked[0] != infinite || ps[0] < least-1e-12 {
			t.Errorf("paired %v, infinite %v, %d and %d: p = %v (least %v, ranks %v), want %v", paired, infinite, n, m, ps[0], least, ranked[0], want)
		}
	}
}

// bruteExchanges counts all ways to put the rows of a pool on the two sides one by one.
func bruteExchanges(p *Pool, values []float64) float64 {
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
	difference := func(a [2][]int) float64 {
		var mean [2]float64
		for side, rows := range a {
			j := chosen(rows)
			if j < 0 {
				return math.Inf(1)
			}
			for _, row := range rows {
				mean[side] += values[row*k+j] / float64(len(rows))
			}
		}
		return math.Abs(mean[1] - mean[0])
	}
	observed := -1.0
	hits, ways := 0, 0
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
		if observed < 0 { // the first with n rows of the baseline is the observed one or its mirror
			observed = difference([2][]int(p.observed()))
		}
		if difference(a) >= observed-1e-9 {
			hits++
		}
	}
	return float64(hits) / float64(ways)
}

func TestEachArrangementChoosesAnew(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	o := Settings{Alpha: 0.05}
	for trial := range 60 {
		paired := trial%2 == 0
		rows := [2]int{2 + rng.IntN(4), 2 + rng.IntN(4)}
		if paired {
			rows[1] = rows[0]
		}
		p, values := scoredPool(rows, paired, 3, rng)
		ps, _, _ := p.pValues([][]float64{values}, o, 0)
		if want := bruteExchanges(p, values); math.Abs(ps[0]-want) > 1e-12 {
			t.Errorf("paired %v, rows %v: p = %v, brute force %v", paired, rows, ps[0], want)
		}
	}
}

// Where there are too many arrangements, random ones agree with all of them, and are so many
// that a test among many can reject.
func TestRandomExchangesAgreeWithAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	o := Settings{Alpha: 0.05, Stream: "3"}
	for _, paired := range []bool{true, false} {
		n := 13
		if paired {
			n = 18
		}
		p := PlainPool(n, n, paired)
		values := make([]float64, 2*n)
		for i := range values {
			values[i] = rng.NormFloat64() + 0.8*float64(i/n)
		}
		d := differences(values[:n], values[n:])
		want := signFlip(d, nil)
		if !paired {
			want = permuteLabels(values[:n], values[n:], nil)
		}
		for _, tests := range []int{1, 48} {
			o.Tests = tests
			ps, _, least := p.pValues([][]float64{values}, o, 0)
			again, _, _ := p.pValues([][]float64{values}, o, 0)
			if sd := math.Sqrt(want * (1 - want) / flips); math.Abs(ps[0]-want) > 4*sd+1.0/flips || again[0] != ps[0] {
				t.Errorf("paired %v: random arrangements give p = %v, then %v; all %v", paired, ps[0], again[0], want)
			}
			if least > o.Alpha/float64(tests)/100 {
				t.Errorf("paired %v, %d tests: the least p-value is %v", paired, tests, least)
			}
		}
	}
}

// Under the null hypothesis p-values are at most alpha with a chance of at most alpha, also
// where sides are of unequal size, runs diverge and candidates are level.
func TestExchangesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	o := Settings{Alpha: 0.05}
	const trials = 400
	for _, rows := range [][2]int{{6, 6}, {7, 4}, {3, 9}} {
		for _, paired := range []bool{true, false} {
			if paired && rows[0] != rows[1] {
				continue
			}
			rejected := 0
			for range trials {
				p, values := scoredPool(rows, paired, 4, rng)
				ps, _, _ := p.pValues([][]float64{values}, o, 0)
				rejected += boolean(ps[0] <= o.Alpha)
			}
			lo, hi := ClopperPearson(rejected, trials, 0.95)
			t.Logf("%v, paired %v: %d of %d rejected, %.3f to %.3f", rows, paired, rejected, trials, lo, hi)
			if lo > o.Alpha {
				t.Errorf("%v, paired %v: %d of %d rejected", rows, paired, rejected, trials)
			}
		}
	}
}

// Only candidates that are eligible as observed are chosen when rows are drawn again.
func TestDrawnAgainAmongTheEligible(t *testing.T) {
	p := PlainPool(3, 3, true)
	p.Candidates = 2
	// The first is better and out of the race on the baseline's side, by one repeat.
	p.Scores = []float64{Ineligible, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	values := []float64{5, 1, 5, 1, 5, 1, 7, 2, 7, 2, 7, 2}
	rng := rand.New(rand.NewPCG(9, 1))
	for _, d := range p.drawnAgain([][]float64{values}, 50, rng)[0] {
		if d != 7-1 {
			t.Fatalf("a difference of %v, want 6", d)
		}
	}
	if p.Choice() != [2]int{1, 0} {
		t.Errorf("chosen as observed: %v", p.Choice())
	}
}
