package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/whole"

	"gonum.org/v1/gonum/stat/combin"
)

// Pool is what the repeats of both sides hold: a table with a row for each repeat, those of
// the baseline first, and a column for each candidate.
//
// The null hypothesis is that whole rows are exchangeable between the sides: that the
// program, its grid and its way to choose are the same, and rows differ by chance alone.
// Nothing that a test looks at may then depend on which side a row is on, but through the
// arrangement: each has a choice of its own on each side, among the candidates that are
// eligible there, so that the chance that a near tie falls this way or that is part of what
// is expected of it. Some of what that says is a decision, made so that there are
// rather too few rejections:
//
//   - A run that did not finish stays with its repeat, and disqualifies its candidate on the
//     side that has the repeat. An arrangement in which a side has nothing to choose
//     from counts as one that is as far from none as the observed one.
//   - Repeats that lack a candidate, and those of paired sides that lack a counterpart, are
//     in no arrangement, and do not choose.
//   - Independent samples may be of unequal size; each arrangement has the same sizes.
type Pool struct {
	// Candidates is the number of columns.
	Candidates int
	// Rows counts those of each side; row i of the baseline and of the candidate are a pair,
	// if they are Paired.
	Rows   [2]int
	Paired bool
	// Scores are what candidates are chosen by, row by row: Ineligible where there is no
	// finished run, and all alike where there is no choice.
	Scores []float64
	// Approximate says that the sides choose among other candidates, or in other ways, so that
	// rows may not change sides: there is no exact test, and intervals decide.
	Approximate bool
}

// PlainPool is that of rows among which there is no choice.
func PlainPool(base, cand int, paired bool) *Pool {
	return &Pool{Candidates: 1, Rows: [2]int{base, cand}, Paired: paired, Scores: make([]float64, base+cand)}
}

// arrangement is which rows of a pool are on which side: the observed one, one in which
// they are exchanged, or one of rows drawn again.
type arrangement [2][]int

// Chooses reports whether there is a choice.
func (p *Pool) Chooses() bool { return p.Candidates > 1 }

// Repeats is the number of rows of the smaller side.
func (p *Pool) Repeats() int { return min(p.Rows[0], p.Rows[1]) }

func (p *Pool) observed() arrangement {
	var a arrangement
	for row := range p.Rows[0] + p.Rows[1] {
		side := 0
		if row >= p.Rows[0] {
			side = 1
		}
		a[side] = append(a[side], row)
	}
	return a
}

// choose returns the column that rows choose, -1 if there are no rows or no candidate finished in
// all of them.
func (p *Pool) choose(rows []int) int {
	return bestOf(p.Candidates, rows, func(row int) []float64 { return p.Scores[row*p.Candidates:][:p.Candidates] })
}

// Choice returns the column that each side chooses as observed, -1 for none.
func (p *Pool) Choice() [2]int {
	a := p.observed()
	return [2]int{p.choose(a[0]), p.choose(a[1])}
}

// places returns where in tables an arrangement takes its values: those of what each side chooses
// in it. ok is false if a side has nothing to choose from.
func (p *Pool) places(a arrangement) (places [2][]int, ok bool) {
	ok = true
	for side, rows := range a {
		column := p.choose(rows)
		if column < 0 {
			ok = false
			continue
		}
		places[side] = make([]int, len(rows))
		for i, row := range rows {
			places[side][i] = row*p.Candidates + column
		}
	}
	return places, ok
}

// Places returns where in tables the values of what each side chooses as observed are.
func (p *Pool) Places() [2][]int {
	places, _ := p.places(p.observed())
	return places
}

// Taken returns what both sides choose as observed of a table of values.
func (p *Pool) Taken(values []float64) (base, cand []float64) { return taken(values, p.Places()) }

func taken(values []float64, places [2][]int) (base, cand []float64) {
	of := func(places []int) []float64 {
		out := make([]float64, len(places))
		for i, place := range places {
			out[i] = values[place]
		}
		return out
	}
	return of(places[0]), of(places[1])
}

// Standing compares the scores of the columns that the sides choose as observed, over the rows
// of both: 1 if that of the candidate is significantly larger at a level, -1 if it is smaller,
// else 0. ok is false if both sides choose the same, or not all rows have both.
func (p *Pool) Standing(alpha float64) (sign int, ok bool) {
	choice := p.Choice()
	var d []float64
	for row := range p.Rows[0] + p.Rows[1] {
		d = append(d, p.Scores[row*p.Candidates+choice[1]]-p.Scores[row*p.Candidates+choice[0]])
	}
	if choice[0] == choice[1] || len(d) < 2 || math.IsNaN(Mean(d)) {
		return 0, false
	}
	switch i := MeanOfRepeats(d, 1-alpha); {
	case i.Lo > 0:
		return 1, true
	case i.Hi < 0:
		return -1, true
	}
	return 0, true
}

// eligible returns the pool in which each side has only the candidates that are eligible as
// observed.
func (p *Pool) eligible() *Pool {
	out := *p
	out.Scores = slices.Clone(p.Scores)
	k := p.Candidates
	for _, rows := range p.observed() {
		for j := range k {
			lacks := func(row int) bool { return math.IsNaN(p.Scores[row*k+j]) }
			if !slices.ContainsFunc(rows, lacks) {
				continue
			}
			for _, row := range rows {
				out.Scores[row*k+j] = Ineligible
			}
		}
	}
	return &out
}

// statistic says how far the candidate is above the baseline in what an arrangement takes: the
// difference of the means, or, if ranks take their place, the sum of the signed ranks of the pairs,
// or the difference of the mean ranks.
func (p *Pool) statistic(values []float64, places [2][]int, ranks bool) float64 {
	if !ranks {
		return meanAt(values, places[1]) - meanAt(values, places[0])
	}
	base, cand := taken(values, places)
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

// meanAt returns the mean of the values at places.
func meanAt(values []float64, places []int) float64 {
	sum := 0.0
	for _, place := range places {
		sum += values[place]
	}
	return sum / float64(len(places))
}

// mostArranged is the number of arrangements up to which all of them are made.
const mostArranged = 20000

// mostRandom bounds the number of random ones. Beyond, a test among very many may be
// unable to reject; none rejects more often than it should.
const mostRandom = 10_000_000

// exchanges visits the arrangements that a test is over: all of them, if they are few
// enough, of which those that only exchange the sides of another may be left out, or else
// random ones, so many that a test among so many can reject. They are the same at each
// visit.
func (p *Pool) exchanges(o Settings, seed uint64, visit func(arrangement)) (all bool) {
	n, m := p.Rows[0], p.Rows[1]
	random := whole.Within(math.Ceil(100*float64(max(o.Tests, 1))/o.Alpha), flips, mostRandom)
	rng, a := rand.New(rand.NewPCG(0, seed)), p.observed()
	switch {
	case p.Paired && math.Exp2(float64(n-1)) <= mostArranged:
		for which := range uint64(1) << (n - 1) {
			visit(a.swap(func(i int) bool { return which>>i&1 == 1 }))
		}
		return true
	case p.Paired:
		for range random {
			visit(a.swap(func(int) bool { return rng.Uint64()>>63 == 1 }))
		}
		return false
	case combin.LogGeneralizedBinomial(float64(n+m), float64(n)) <= math.Log(mostArranged):
		for _, base := range combin.Combinations(n+m, n) {
			var cand []int
			for row := range n + m {
				if _, in := slices.BinarySearch(base, row); !in {
					cand = append(cand, row)
				}
			}
			visit(arrangement{base, cand})
		}
		return true
	}
	rows := slices.Concat(a[0], a[1])
	for range random {
		for i := range n {
			j := i + rng.IntN(len(rows)-i)
			rows[i], rows[j] = rows[j], rows[i]
		}
		visit(arrangement{rows[:n], rows[n:]})
	}
	return false
}

func (a arrangement) swap(pair func(i int) bool) arrangement {
	for i, n := 0, len(a[0]); i < n; i++ {
		if a[0][i], a[1][i] = i, n+i; pair(i) {
			a[0][i], a[1][i] = n+i, i
		}
	}
	return a
}

// pValues returns the two-sided p-values of tables of values, each the share of the
// arrangements with a statistic at least as far from 0; of random ones the
// observed one is one more (Phipson & Smyth 2010). ranks says which are of ranks: where
// some arrangement takes a value that is worse than any number. least is the smallest that
// so many repeats can have.
func (p *Pool) pValues(values [][]float64, o Settings, seed uint64) (ps []float64, ranks []bool, least float64) {
	ranks = p.worstTaken(values, o, seed)
	limits, hits := make([]float64, len(values)), make([]int, len(values))
	observed, ok := p.places(p.observed())
	for i, v := range values {
		size := 0.0
		for _, e := range v {
			if !Worst(e) {
				size = max(size, math.Abs(e))
			}
		}
		if limits[i] = math.Inf(1); ok {
			limits[i] = math.Abs(p.statistic(v, observed, ranks[i])) - slack(size, 1)
		}
	}
	n := 0
	all := p.exchanges(o, seed, func(a arrangement) {
		n++
		places, ok := p.places(a)
		for i, v := range values {
			if !ok || math.Abs(p.statistic(v, places, ranks[i])) >= limits[i] {
				hits[i]++
			}
		}
	})
	least = leastP(false, p.Rows[0], p.Rows[1])
	if p.Paired {
		least = math.Exp2(float64(1 - p.Rows[0]))
	}
	more := 0
	if !all {
		more = 1
		least = max(least, 1/float64(n+1))
	}
	for _, h := range hits {
		ps = append(ps, float64(h+more)/float64(n+more))
	}
	return ps, ranks, least
}

// worstTaken reports of which tables any arrangement, the observed one among them, takes a
// value that is worse than any number.
func (p *Pool) worstTaken(values [][]float64, o Settings, seed uint64) []bool {
	out := make([]bool, len(values))
	look := func(a arrangement) {
		if places, ok := p.places(a); ok {
			for i, v := range values {
				out[i] = out[i] || ranked(taken(v, places))
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

// drawnAgain returns, of tables of values, the differences of the means of a number of
// arrangements of rows drawn with replacement, pairs together, each with a choice of its own
// among the candidates that are eligible as observed.
func (p *Pool) drawnAgain(values [][]float64, draws int, rng *rand.Rand) [][]float64 {
	of := p.eligible()
	a := p.observed()
	out := make([][]float64, len(values))
	for range draws {
		for i := range a[0] {
			a[0][i] = rng.IntN(p.Rows[0])
		}
		for i := range a[1] {
			if a[1][i] = p.Rows[0] + rng.IntN(p.Rows[1]); p.Paired {
				a[1][i] = p.Rows[0] + a[0][i]
			}
		}
		places, _ := of.places(a)
		for i, v := range values {
			out[i] = append(out[i], of.statistic(v, places, false))
		}
	}
	return out
}
