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
	// mostArranged is the number of arrangements up to which all of them are made.
	mostArranged = 20_000
	// leastRandom and mostRandom bound the number of random ones. Beyond, a test among very many may
	// be unable to reject; none rejects more often than it should.
	leastRandom, mostRandom = 10_000, 1_000_000
	// rounding is the difference of logarithms that counts as none.
	rounding = 1e-12
)

// slack is what rounding may make of a tie of values of a size.
func slack(size float64) float64 { return 1e-11*size + 1e-13 }

// exchanges visits the arrangements that a test is over: all of them, if they are few enough, or
// else random ones, enough for a test of the family to reject. They are the same at each visit.
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

// arrangements is the number of ways to exchange n pairs, or two samples of n and m.
func arrangements(paired bool, n, m int) float64 {
	if paired {
		return math.Exp2(float64(n))
	}
	return math.Round(math.Exp(combin.LogGeneralizedBinomial(float64(n+m), float64(n))))
}

// random is the number of random arrangements.
func (o Settings) random() int {
	return whole.Within(math.Ceil(40*float64(max(o.Tests, 1))/o.Alpha), leastRandom, mostRandom)
}

// leastP is the smallest p-value of n pairs, or of two samples of n and m.
func (o Settings) leastP(paired bool, n, m int) float64 {
	ways := arrangements(paired, n, m)
	if ways > mostArranged {
		ways = min(ways, float64(o.random()+1))
	}
	return min(2/ways, 1)
}

func (a arrangement) swap(pair func(i int) bool) arrangement {
	for i, n := 0, len(a[0]); i < n; i++ {
		if a[0][i], a[1][i] = i, n+i; pair(i) {
			a[0][i], a[1][i] = n+i, i
		}
	}
	return a
}

// exchanged is what the arrangements say about a table of values: the shares of them, the observed
// one included, that put the candidate as far above the baseline as observed, or as far below, if
// the candidate's values are less by a margin, or more.
type exchanged struct {
	above, below float64
	ranks        bool
	// low and high are the least and the largest shifts of the candidate's values with which an
	// arrangement is as far from the baseline as the observed one, sorted, up to what an interval of the level 1 - alpha
	// leaves out. always counts the arrangements that are with any shift, of total.
	low, high     []float64
	always, total int
}

// ends returns the interval of the shifts that the one-sided tests at alpha/2 do not reject; an
// end is infinite if there are too few arrangements to reject anything.
func (x *exchanged) ends(alpha float64) (lo, hi float64) {
	// Rounding must not take away the last one that may be left out.
	out := int(alpha/2*float64(x.total)*(1+1e-12)) - x.always
	if out < 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return x.low[out], x.high[len(x.high)-1-out]
}

// exchange tests tables of values. If the candidate's values are those of a procedure like the
// baseline's plus a shift, whole rows are exchangeable when the shift is taken off the rows of the
// candidate. The difference D of an arrangement in which the sides exchange m of their rows, which
// number n0 and n1, is then less by 1 - m/n0 - m/n1 shifts, that observed by one. So the shift with
// which both are the same is (D observed - D) / (m/n0 + m/n1): an arrangement counts in the test of
// "at most a margin above" if that is at most the margin (for pairs at fixed parameters Hartigan
// 1969, "Using subsample values as typical values").
//
// Random arrangements count with the observed one as one more (Phipson & Smyth 2010). Where some
// arrangement takes a value that is worse than any number, ranks take the place of the values.
func (p *Pool) exchange(tables [][]float64, o Settings, seed uint64) []exchanged {
	out, shifts := make([]exchanged, len(tables)), make([][]float64, len(tables))
	ranks := p.worstTaken(tables, o, seed)
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

// largest returns the largest magnitude of values, infinite ones aside.
func largest(values []float64) float64 {
	size := 0.0
	for _, v := range values {
		if !math.IsInf(v, 0) {
			size = max(size, math.Abs(v))
		}
	}
	return size
}

// rankTest is exchange for ranks: the sum of the signed ranks of the pairs, infinite differences
// being the largest and those of two infinite values 0 (Wilcoxon's signed rank test), or the
// difference of the mean ranks of all values, infinite ones tied (his rank sum test).
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
	base, cand := p.taken(values, a, columns)
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

// worstTaken reports of which tables any arrangement, the observed one among them, takes a
// value that is worse than any number.
func (p *Pool) worstTaken(values [][]float64, o Settings, seed uint64) []bool {
	out := make([]bool, len(values))
	look := func(a arrangement) {
		if columns, ok := p.choice(a); ok {
			for i, v := range values {
				out[i] = out[i] || ranked(p.taken(v, a, columns))
			}
		}
	}
	eligible := func(v []float64) bool {
		for at, e := range v {
			if Worst(e) && !math.IsNaN(p.Scores[at]) {
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

// signedRanks returns the ranks of the absolute differences, ties sharing theirs,
// with the signs of the differences; 0 for those that are 0, which have no rank
// (Wilcoxon 1945). Infinite differences are the largest.
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

// midRanks returns the ranks of values, from 1; ties, to rounding, share theirs.
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
