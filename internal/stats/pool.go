package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Pool is what the repeats of both sides hold: a table with a row for each repeat, those of
// the baseline first, and a column for each candidate.
//
// The null hypothesis is that whole rows are exchangeable between the sides: that the
// program, its grid and its way to choose are the same, and rows differ by chance alone.
// Nothing that a test looks at may then depend on which side a row is on, but through the
// arrangement: each has a choice of its own on each side, among the candidates that are
// eligible there, so that the chance that a near tie falls this way or that is part of what
// is expected of it. These rules are decisions that lead to
// too few rejections rather than too many:
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
	if !p.Chooses() { // as bestOf, many times a test
		for _, row := range rows {
			if math.IsNaN(p.Scores[row]) {
				return -1
			}
		}
		return min(0, len(rows)-1)
	}
	return bestOf(p.Candidates, rows, func(row int) []float64 { return p.Scores[row*p.Candidates:][:p.Candidates] })
}

// choice returns the columns that the sides of an arrangement choose. ok is false if a side has nothing
// to choose from.
func (p *Pool) choice(a arrangement) (columns [2]int, ok bool) {
	columns = [2]int{p.choose(a[0]), p.choose(a[1])}
	return columns, min(columns[0], columns[1]) >= 0
}

// Choice returns the column that each side chooses as observed, -1 for none.
func (p *Pool) Choice() [2]int {
	columns, _ := p.choice(p.observed())
	return columns
}

// Places returns where in tables the values of what each side chooses as observed are.
func (p *Pool) Places() (places [2][]int) {
	for side, rows := range p.observed() {
		column := p.choose(rows)
		for _, row := range rows {
			if column >= 0 {
				places[side] = append(places[side], row*p.Candidates+column)
			}
		}
	}
	return places
}

// Taken returns what both sides choose as observed of a table of values.
func (p *Pool) Taken(values []float64) (base, cand []float64) {
	return p.taken(values, p.observed(), p.Choice())
}

// taken returns what an arrangement takes of a table of values, nothing if there is nothing to choose from.
func (p *Pool) taken(values []float64, a arrangement, columns [2]int) (base, cand []float64) {
	var out [2][]float64
	for side, rows := range a {
		for _, row := range rows {
			if min(columns[0], columns[1]) >= 0 {
				out[side] = append(out[side], values[row*p.Candidates+columns[side]])
			}
		}
	}
	return out[0], out[1]
}

// difference is by how much the mean of the candidate is above that of the baseline in an arrangement.
func (p *Pool) difference(values []float64, a arrangement, columns [2]int) float64 {
	var mean [2]float64
	for side, rows := range a {
		sum := 0.0
		for _, row := range rows {
			sum += values[row*p.Candidates+columns[side]]
		}
		mean[side] = sum / float64(len(rows))
	}
	return mean[1] - mean[0]
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
		columns, _ := of.choice(a)
		for i, v := range values {
			out[i] = append(out[i], p.difference(v, a, columns))
		}
	}
	return out
}
