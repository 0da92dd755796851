package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Pool holds the pooled repeats of both sides of a comparison, the baseline and the candidate. It is a
// table with a row for each repeat, the baseline's first, and a column for each parameter candidate.
//
// The null hypothesis is that whole rows are exchangeable: the program, its grid and its selection rule
// are the same on both sides, and rows differ only by chance. A test may depend on the side of a row
// only through the arrangement. Hence the selection is repeated on each side of each arrangement, among
// the candidates eligible there. The test then accounts for the randomness of near ties. The following
// rules are conservative:
//
//   - An unfinished run stays with its repeat and makes its candidate ineligible on that side. An
//     arrangement in which a side has no eligible candidate counts as extreme as the observed one.
//   - Repeats that lack a candidate are in no arrangement, nor are repeats of paired sides that lack a
//     counterpart.
//   - Independent samples may have unequal sizes, which all arrangements keep.
type Pool struct {
	// Candidates is the number of columns.
	Candidates int
	// Rows holds the number of rows of each side. If Paired, row i of the baseline and row i of the
	// candidate form a pair.
	Rows   [2]int
	Paired bool
	// Scores holds the losses for the selection, row by row. A run that did not finish is Ineligible.
	// Without a selection, all other scores are equal.
	Scores []float64
	// Approximate means that the sides select among different candidates or by different rules. Rows
	// are then not exchangeable: there is no exact test, and intervals decide.
	Approximate bool
}

// PlainPool returns a pool without a selection.
func PlainPool(base, cand int, paired bool) *Pool {
	return &Pool{Candidates: 1, Rows: [2]int{base, cand}, Paired: paired, Scores: make([]float64, base+cand)}
}

// arrangement assigns rows of a pool to the two sides: as observed, exchanged, or resampled.
type arrangement [2][]int

// HasChoice reports whether there are several candidates to select from.
func (p *Pool) HasChoice() bool { return p.Candidates > 1 }

// Repeats returns the number of rows of the smaller side.
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

// choose returns the column selected by rows, or -1 if there are no rows or no column is eligible.
func (p *Pool) choose(rows []int) int {
	if !p.HasChoice() { // a fast path of bestOf
		for _, row := range rows {
			if math.IsNaN(p.Scores[row]) {
				return -1
			}
		}
		return min(0, len(rows)-1)
	}
	return bestOf(p.Candidates, rows, func(row int) []float64 { return p.Scores[row*p.Candidates:][:p.Candidates] })
}

// choice returns the columns selected by the sides of an arrangement. ok is false if a side has no
// eligible column.
func (p *Pool) choice(a arrangement) (columns [2]int, ok bool) {
	columns = [2]int{p.choose(a[0]), p.choose(a[1])}
	return columns, min(columns[0], columns[1]) >= 0
}

// Choice returns the column that each side selects as observed, or -1.
func (p *Pool) Choice() [2]int {
	columns, _ := p.choice(p.observed())
	return columns
}

// SelectedIndices returns the indices in tables of the values that each side selects as observed.
func (p *Pool) SelectedIndices() (places [2][]int) {
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

// Selected returns the values of a table that both sides select as observed.
func (p *Pool) Selected(values []float64) (base, cand []float64) {
	return p.valuesOf(values, p.observed(), p.Choice())
}

// valuesOf returns the values of a table in an arrangement with the selected columns. It returns nothing
// if a side has no eligible column.
func (p *Pool) valuesOf(values []float64, a arrangement, columns [2]int) (base, cand []float64) {
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

// difference returns the mean of the candidate minus the mean of the baseline in an arrangement.
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

// eligible returns the pool with only the candidates of each side that are eligible as observed.
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

// bootstrap returns, for each table of values, the differences of means in resamples of the rows. Pairs
// stay together. Each resample repeats the selection among the candidates eligible as observed.
func (p *Pool) bootstrap(values [][]float64, draws int, rng *rand.Rand) [][]float64 {
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
