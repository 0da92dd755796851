package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/whole"

	"gonum.org/v1/gonum/stat/combin"
)

const (
	// mostArranged is the largest number of arrangements that are enumerated.
	mostArranged = 20_000
	// leastRandom and mostRandom bound the number of random arrangements. With very many tests,
	// mostRandom may be too few to reject, but the tests remain valid.
	leastRandom, mostRandom = 10_000, 1_000_000
	// rounding is the largest difference of logarithms attributed to rounding.
	rounding = 1e-12
)

// slack returns a bound on the rounding error of a tie of values of magnitude size.
func slack(size float64) float64 { return 1e-11*size + 1e-13 }

// exchanges visits the arrangements of a permutation test: all if there are few, else random ones,
// enough for a test of the family to reject. Equal arguments give equal arrangements. all reports
// whether it enumerated all.
func (p *Pool) exchanges(o Settings, seed uint64, visit func(arrangement)) (all bool) {
	n, m := p.Rows[0], p.Rows[1]
	rng, a := rand.New(rand.NewPCG(0, seed)), p.observed()
	all = arrangements(p.Paired, n, m) <= mostArranged
	switch {
	case p.Paired && all:
		for which := range uint64(1) << n {
			visit(a.swap(func(i int) bool { return which>>i&1 == 1 }))
		}
	case p.Paired:
		for range o.random() {
			visit(a.swap(func(int) bool { return rng.Uint64()>>63 == 1 }))
		}
	case all:
		for ways := combin.NewCombinationGenerator(n+m, n); ways.Next(); {
			ways.Combination(a[0])
			a[1] = a[1][:0]
			for row, i := 0, 0; row < n+m; row++ {
				if i < n && a[0][i] == row {
					i++
				} else {
					a[1] = append(a[1], row)
				}
			}
			visit(a)
		}
	default:
		rows := slices.Concat(a[0], a[1])
		for range o.random() {
			for i := range n {
				j := i + rng.IntN(len(rows)-i)
				rows[i], rows[j] = rows[j], rows[i]
			}
			visit(arrangement{rows[:n], rows[n:]})
		}
	}
	return all
}

// arrangements returns the number of arrangements of n pairs, or of two samples of sizes n and m.
func arrangements(paired bool, n, m int) float64 {
	if paired {
		return math.Exp2(float64(n))
	}
	return math.Round(math.Exp(combin.LogGeneralizedBinomial(float64(n+m), float64(n))))
}

// random returns the number of random arrangements.
func (o Settings) random() int {
	return whole.Within(math.Ceil(40*float64(max(o.Tests, 1))/o.Alpha), leastRandom, mostRandom)
}

// leastP returns the smallest p-value for n pairs, or for two samples of sizes n and m.
func (o Settings) leastP(paired bool, n, m int) float64 {
	ways := arrangements(paired, n, m)
	if ways > mostArranged {
		ways = min(ways, float64(o.random()+1))
	}
	return min(2/ways, 1)
}

// swap sets a to the arrangement in which the given pairs are exchanged.
func (a arrangement) swap(pair func(i int) bool) arrangement {
	for i, n := 0, len(a[0]); i < n; i++ {
		if a[0][i], a[1][i] = i, n+i; pair(i) {
			a[0][i], a[1][i] = n+i, i
		}
	}
	return a
}

// exchanged is the result of a permutation test of a table of values.
type exchanged struct {
	// above and below are the p-values of the hypotheses that the candidate is at most the margin
	// above the baseline, and at most the margin below.
	above, below float64
	ranks        bool
	// low and high are the least and the largest critical shifts, sorted, as many as intervals of level
	// 1 - alpha need. A shift of the candidate's values is critical if an arrangement is then tied with
	// the observed one. always is the number of arrangements, of total, that count for every shift.
	low, high     []float64
	always, total int
}

// ends returns the interval of shifts that the one-sided tests at alpha/2 do not reject. An end is
// infinite if there are too few arrangements.
func (x *exchanged) ends(alpha float64) (lo, hi float64) {
	// The factor prevents a rounded product from being one too small.
	out := int(alpha/2*float64(x.total)*(1+1e-12)) - x.always
	if out < 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return x.low[out], x.high[len(x.high)-1-out]
}

// exchange performs permutation tests of tables of values. Suppose that the candidate has the baseline's
// distribution plus a shift. Then whole rows are exchangeable once the shift is subtracted from the
// candidate's rows. Let D be the difference of means in an arrangement in which the sides, of n0 and n1
// rows, exchange m rows. Subtracting the shift reduces D by 1 - m/n0 - m/n1 shifts and the observed
// difference by one. They are equal for the shift (D observed - D) / (m/n0 + m/n1). An arrangement
// counts in the test of "at most a margin above" if this shift is at most the margin. For pairs at
// fixed parameters see Hartigan 1969, "Using subsample values as typical values".
//
// Random arrangements include the observed one as an additional arrangement (Phipson & Smyth 2010). If
// an arrangement takes an infinite value, exchange performs a rank test instead.
func (p *Pool) exchange(tables [][]float64, o Settings, seed uint64) []exchanged {
	out, shifts := make([]exchanged, len(tables)), make([][]float64, len(tables))
	ranks := p.needRanks(tables, o, seed)
	as := p.observed()
	columns, possible := p.choice(as)
	observed := make([]float64, len(tables))
	for i, v := range tables {
		if possible {
			observed[i] = p.difference(v, as, columns)
		}
	}
	always, total := 0, 0
	count := func() { always, total = always+1, total+1 }
	all := p.exchanges(o, seed, func(a arrangement) {
		moved := 0
		for _, row := range a[1] {
			if row < p.Rows[0] {
				moved++
			}
		}
		columns, ok := p.choice(a)
		if !possible || !ok || moved == 0 {
			count()
			return
		}
		total++
		by := float64(moved) * (1/float64(p.Rows[0]) + 1/float64(p.Rows[1]))
		for i, v := range tables {
			if !ranks[i] {
				shifts[i] = append(shifts[i], (observed[i]-p.difference(v, a, columns))/by)
			}
		}
	})
	if !all {
		count()
	}
	for i, v := range tables {
		x := &out[i]
		x.always, x.total, x.ranks = always, total, ranks[i]
		if x.ranks {
			x.above, x.below = p.rankTest(v, o, seed, !all)
			continue
		}
		t := shifts[i]
		slices.Sort(t)
		margin := o.Margin + slack(largest(v))
		atMost, _ := slices.BinarySearch(t, math.Nextafter(margin, math.Inf(1)))
		under, _ := slices.BinarySearch(t, -margin)
		x.above = float64(always+atMost) / float64(total)
		x.below = float64(always+len(t)-under) / float64(total)
		most := min(int(o.Alpha/2*float64(total))+1, len(t))
		x.low, x.high = slices.Clone(t[:most]), slices.Clone(t[len(t)-most:])
	}
	return out
}

// largest returns the largest magnitude of the finite values.
func largest(values []float64) float64 {
	size := 0.0
	for _, v := range values {
		if !math.IsInf(v, 0) {
			size = max(size, math.Abs(v))
		}
	}
	return size
}

// rankTest performs Wilcoxon's signed-rank test for pairs or his rank-sum test for independent samples.
// Infinite differences are the largest, differences of two infinite values are 0, and infinite values
// are tied.
func (p *Pool) rankTest(values []float64, o Settings, seed uint64, oneMore bool) (above, below float64) {
	first := p.Rows[0] * p.Candidates
	share := func(sign float64) float64 {
		shifted := slices.Clone(values)
		for i := first; i < len(shifted); i++ {
			shifted[i] -= sign * o.Margin
		}
		limit := sign*p.rankStatistic(shifted, p.observed(), p.Choice()) - slack(float64(len(values)))
		hits, n := 0, 0
		p.exchanges(o, seed, func(a arrangement) {
			n++
			if columns, ok := p.choice(a); !ok || sign*p.rankStatistic(shifted, a, columns) >= limit {
				hits++
			}
		})
		if oneMore {
			hits, n = hits+1, n+1
		}
		return float64(hits) / float64(n)
	}
	return share(1), share(-1)
}

func (p *Pool) rankStatistic(values []float64, a arrangement, columns [2]int) float64 {
	base, cand := p.valuesOf(values, a, columns)
	if p.Paired {
		sum := 0.0
		for _, r := range signedRanks(differences(base, cand)) {
			sum += r
		}
		return sum
	}
	r := midRanks(slices.Concat(base, cand))
	return Mean(r[len(base):]) - Mean(r[:len(base)])
}

// needRanks reports, for each table, whether any arrangement takes an infinite value.
func (p *Pool) needRanks(values [][]float64, o Settings, seed uint64) []bool {
	out := make([]bool, len(values))
	look := func(a arrangement) {
		if columns, ok := p.choice(a); ok {
			for i, v := range values {
				out[i] = out[i] || ranked(p.valuesOf(v, a, columns))
			}
		}
	}
	eligible := func(v []float64) bool {
		for at, e := range v {
			if IsWorst(e) && !math.IsNaN(p.Scores[at]) {
				return true
			}
		}
		return false
	}
	if slices.ContainsFunc(values, eligible) {
		look(p.observed())
		p.exchanges(o, seed, look)
	}
	return out
}

// signedRanks returns the ranks of the absolute differences with the signs of the differences. Ties get
// their mean rank. Zero differences are omitted from the ranking and get 0 (Wilcoxon 1945).
func signedRanks(d []float64) []float64 {
	var size []float64
	for _, v := range d {
		if v != 0 {
			size = append(size, math.Abs(v))
		}
	}
	ranks := midRanks(size)
	out := make([]float64, len(d))
	for i, n := 0, 0; i < len(d); i++ {
		if d[i] != 0 {
			out[i] = math.Copysign(ranks[n], d[i])
			n++
		}
	}
	return out
}

// midRanks returns the ranks of values, starting at 1. Ties up to rounding get their mean rank.
func midRanks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	out := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && (v[order[hi]] == v[order[lo]] || v[order[hi]]-v[order[lo]] < rounding) {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+1+hi) / 2
		}
		lo = hi
	}
	return out
}
