package compare

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/whole"

	"gonum.org/v1/gonum/stat/combin"
)

// pool is what the repeats of both sides hold: a table with a row for each repeat, those of
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
type pool struct {
	columns []record.Params
	// rows counts those of each side; row i of the baseline and of the candidate are a pair,
	// if they are paired.
	rows   [2]int
	paired bool
	// runs and score are of each row and column, row by row. There is no run where a side's
	// grid lacks the candidate. Scores are what candidates are chosen by, Ineligible
	// where there is no finished run, and all alike where there is no choice.
	runs  []*record.Run
	score []float64
	// alike says that both sides choose among the same candidates in the same way, so that
	// rows may change sides.
	alike bool

	sums  []float64    // scratch of choose
	taken [2][]float64 // scratch of statistic
}

// arrangement is which rows of a pool are on which side: the observed one, one in which
// they are exchanged, or one of rows drawn again.
type arrangement [2][]int

// newPool lays out the repeats of a pairing. Where each side has a single candidate these
// are of one column, whatever their parameters.
func newPool(base, cand *group, of pairing) (*pool, error) {
	p := &pool{columns: base.candidates, rows: [2]int{len(of.base), len(of.cand)}, paired: of.paired}
	single := len(base.candidates) == 1 && len(cand.candidates) == 1
	p.alike = single || slices.Equal(base.grid(), cand.grid()) && sameWay(base.by, cand.by)
	if !single && !p.alike {
		p.columns = slices.Concat(base.candidates, cand.candidates)
		slices.SortStableFunc(p.columns, func(a, b record.Params) int { return observe.CompareParams(a, b, base.by.Tune) })
		p.columns = slices.CompactFunc(p.columns, func(a, b record.Params) bool { return a.String() == b.String() })
	}
	column := map[string]int{}
	for j := len(p.columns) - 1; j >= 0; j-- {
		column[p.columns[j].String()] = j
	}
	splits := [2]string{}
	for side, g := range []*group{base, cand} {
		repeats := [][]repeat{of.base, of.cand}[side]
		at := make([]int, len(g.candidates))
		for j, c := range g.candidates {
			if !single {
				at[j] = column[c.String()]
			}
		}
		var err error
		if splits[side], err = p.add(g.by, repeats, at); err != nil {
			return nil, err
		}
	}
	p.alike = p.alike && (splits[0] == splits[1] || splits[0] == "" || splits[1] == "")
	return p, nil
}

// sameWay reports whether two sides choose in the same way.
func sameWay(a, b selection.Rule) bool {
	return a.By == b.By && a.Metric == b.Metric && a.Over == b.Over && slices.Equal(a.Tune, b.Tune)
}

// add adds the rows of a side, whose candidate j is in the column at[j], and returns the split
// that scores were read from.
func (p *pool) add(by selection.Rule, repeats []repeat, at []int) (split string, err error) {
	if len(at) > 1 {
		split, err = by.SplitOf(func(yield func(record.Run) bool) {
			for _, r := range repeats {
				for _, run := range r.runs {
					if !yield(*run) {
						return
					}
				}
			}
		})
		if err != nil {
			return "", err
		}
	}
	var scored []*record.Run
	var places []int
	for _, r := range repeats {
		first := len(p.runs)
		p.runs = append(p.runs, make([]*record.Run, len(p.columns))...)
		for range p.columns {
			p.score = append(p.score, stats.Ineligible)
		}
		for j, run := range r.runs {
			place := first + at[j]
			p.runs[place] = run
			switch {
			case !by.Chooses(), len(at) == 1 && run.Status == record.StatusFinished:
				p.score[place] = 0
			case run.Status == record.StatusFinished:
				scored, places = append(scored, run), append(places, place)
			}
		}
	}
	losses, err := by.Losses(scored, split)
	if err != nil {
		return "", err
	}
	for i, place := range places {
		if p.score[place] = losses[i]; !finite.Is(losses[i]) {
			return "", fmt.Errorf("compare: the score of %s is not finite", scored[i].Name())
		}
	}
	return split, nil
}

// plainPool is that of curves among which there is no choice.
func plainPool(base, cand int, paired bool) *pool {
	return &pool{
		columns: []record.Params{{}}, rows: [2]int{base, cand}, paired: paired,
		score: make([]float64, base+cand), alike: true,
	}
}

// chooses reports whether there is a choice.
func (p *pool) chooses() bool { return len(p.columns) > 1 }

// observed is the arrangement that was observed.
func (p *pool) observed() arrangement {
	var a arrangement
	for row := range p.rows[0] + p.rows[1] {
		side := 0
		if row >= p.rows[0] {
			side = 1
		}
		a[side] = append(a[side], row)
	}
	return a
}

// choose returns the column that rows choose, -1 if there are none or no candidate finished in
// all of them.
func (p *pool) choose(rows []int) int {
	if len(rows) == 0 {
		return -1
	}
	k := len(p.columns)
	p.sums = append(p.sums[:0], make([]float64, k)...)
	for _, row := range rows {
		for j, s := range p.score[row*k : row*k+k] {
			p.sums[j] += s
		}
	}
	return stats.Best(p.sums)
}

// choice is that of each side.
func (p *pool) choice(a arrangement) [2]int { return [2]int{p.choose(a[0]), p.choose(a[1])} }

// eligible returns the pool in which each side has only the candidates that are eligible as
// observed.
func (p *pool) eligible() *pool {
	out := *p
	out.score, out.sums, out.taken = slices.Clone(p.score), nil, [2][]float64{}
	k := len(p.columns)
	for _, rows := range p.observed() {
		for j := range k {
			lacks := func(row int) bool { return math.IsNaN(p.score[row*k+j]) }
			if !slices.ContainsFunc(rows, lacks) {
				continue
			}
			for _, row := range rows {
				out.score[row*k+j] = stats.Ineligible
			}
		}
	}
	return &out
}

// valuesOf returns what an arrangement with its choice takes of a table of values. The
// slices are good until the next call.
func (p *pool) valuesOf(values []float64, a arrangement, choice [2]int) (base, cand []float64) {
	k := len(p.columns)
	for side, rows := range a {
		p.taken[side] = p.taken[side][:0]
		for _, row := range rows {
			p.taken[side] = append(p.taken[side], values[row*k+choice[side]])
		}
	}
	return p.taken[0], p.taken[1]
}

// statistic says how far the candidate is above the baseline in an arrangement with its
// choice: the difference of the means, or, if ranks take their place, the sum of
// the signed ranks of the pairs, or the difference of the mean ranks.
func (p *pool) statistic(values []float64, a arrangement, choice [2]int, ranks bool) float64 {
	if choice[0] < 0 || choice[1] < 0 {
		return math.Inf(1)
	}
	if !ranks {
		k := len(p.columns)
		var sums [2]float64
		for side, rows := range a {
			for _, row := range rows {
				sums[side] += values[row*k+choice[side]]
			}
		}
		return sums[1]/float64(len(a[1])) - sums[0]/float64(len(a[0]))
	}
	base, cand := p.valuesOf(values, a, choice)
	if p.paired {
		sum := 0.0
		for _, r := range signedRanks(differences(base, cand)) {
			sum += r
		}
		return sum
	}
	r := midRanks(slices.Concat(base, cand))
	return stats.Mean(r[len(base):]) - stats.Mean(r[:len(base)])
}

// mostArranged is the number of arrangements up to which all of them are made.
const mostArranged = 20000

// mostRandom bounds the number of random ones. Beyond, a test among very many may be
// unable to reject; none rejects more often than it should.
const mostRandom = 10_000_000

// exchanges returns the arrangements that a test is over: all of them, if they are few
// enough, of which those that only exchange the sides of another may be left out, or else
// random ones, so many that a test among so many can reject. They are the same at each
// iteration.
func (p *pool) exchanges(o Options, tests int, seed uint64) (of iter.Seq[arrangement], all bool) {
	n, m := p.rows[0], p.rows[1]
	random := whole.Within(math.Ceil(100*float64(max(tests, 1))/o.Alpha), flips, mostRandom)
	switch {
	case p.paired && math.Exp2(float64(n-1)) <= mostArranged:
		return func(yield func(arrangement) bool) {
			a := p.observed()
			for which := range uint64(1) << (n - 1) {
				if !yield(a.swap(func(i int) bool { return which>>i&1 == 1 })) {
					return
				}
			}
		}, true
	case p.paired:
		return func(yield func(arrangement) bool) {
			rng, a := rand.New(rand.NewPCG(o.Seed, seed)), p.observed()
			for range random {
				if !yield(a.swap(func(int) bool { return rng.Uint64()>>63 == 1 })) {
					return
				}
			}
		}, false
	case combin.LogGeneralizedBinomial(float64(n+m), float64(n)) <= math.Log(mostArranged):
		return func(yield func(arrangement) bool) {
			of := combin.NewCombinationGenerator(n+m, n)
			for of.Next() {
				base := of.Combination(nil)
				var cand []int
				for row := range n + m {
					if _, in := slices.BinarySearch(base, row); !in {
						cand = append(cand, row)
					}
				}
				if !yield(arrangement{base, cand}) {
					return
				}
			}
		}, true
	}
	return func(yield func(arrangement) bool) {
		rng := rand.New(rand.NewPCG(o.Seed, seed))
		rows := slices.Concat(p.observed()[0], p.observed()[1])
		for range random {
			for i := range n {
				j := i + rng.IntN(len(rows)-i)
				rows[i], rows[j] = rows[j], rows[i]
			}
			if !yield(arrangement{rows[:n], rows[n:]}) {
				return
			}
		}
	}, false
}

// swap lays out an arrangement of pairs, some of which are exchanged.
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
func (p *pool) pValues(
	values [][]float64, o Options, tests int, seed uint64,
) (ps []float64, ranks []bool, least float64) {
	exchanges, all := p.exchanges(o, tests, seed)
	observed := p.observed()
	choice := p.choice(observed)
	ranks = p.worstTaken(values, exchanges)
	limits := make([]float64, len(values))
	for i, v := range values {
		size := 0.0
		for _, e := range v {
			if !worst(e) {
				size = max(size, math.Abs(e))
			}
		}
		limits[i] = math.Abs(p.statistic(v, observed, choice, ranks[i])) - slack(size, 1)
	}
	hits := make([]int, len(values))
	n := 0
	for a := range exchanges {
		n++
		choice := p.choice(a)
		for i, v := range values {
			if math.Abs(p.statistic(v, a, choice, ranks[i])) >= limits[i] {
				hits[i]++
			}
		}
	}
	least = leastPermutation(p.rows[0], p.rows[1])
	if p.paired {
		least = math.Exp2(float64(1 - p.rows[0]))
	}
	if !all {
		least = max(least, 1/float64(n+1))
	}
	for _, h := range hits {
		if all {
			ps = append(ps, float64(h)/float64(n))
		} else {
			ps = append(ps, float64(h+1)/float64(n+1))
		}
	}
	return ps, ranks, least
}

// worstTaken reports of which tables any arrangement, the observed one among them, takes a
// value that is worse than any number.
func (p *pool) worstTaken(values [][]float64, exchanges iter.Seq[arrangement]) []bool {
	out := make([]bool, len(values))
	var doubtful []int
	for i, v := range values {
		for at, e := range v {
			if worst(e) && !math.IsNaN(p.score[at]) {
				doubtful = append(doubtful, i)
				break
			}
		}
	}
	look := func(a arrangement) {
		choice := p.choice(a)
		if choice[0] < 0 || choice[1] < 0 {
			return
		}
		for _, i := range doubtful {
			base, cand := p.valuesOf(values[i], a, choice)
			out[i] = out[i] || slices.ContainsFunc(base, worst) || slices.ContainsFunc(cand, worst)
		}
	}
	if len(doubtful) > 0 {
		look(p.observed())
		for a := range exchanges {
			look(a)
		}
	}
	return out
}

// drawnAgain returns, of tables of values, the differences of the means of so many
// arrangements of rows drawn with replacement, pairs together, each with a choice of its own
// among the candidates that are eligible as observed.
func (p *pool) drawnAgain(values [][]float64, draws int, rng *rand.Rand) [][]float64 {
	of := p.eligible()
	a := p.observed()
	out := make([][]float64, len(values))
	for range draws {
		for i := range a[0] {
			a[0][i] = rng.IntN(p.rows[0])
		}
		for i := range a[1] {
			if a[1][i] = p.rows[0] + rng.IntN(p.rows[1]); p.paired {
				a[1][i] = p.rows[0] + a[0][i]
			}
		}
		choice := of.choice(a)
		for i, v := range values {
			out[i] = append(out[i], of.statistic(v, a, choice, false))
		}
	}
	return out
}
