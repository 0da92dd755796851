package datasets

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"stochopt/internal/finite"
)

// prepareStep is a preparation step. As in the thesis, it applies to the whole table before any
// split, so the mean and the scale of the test rows leak.
type prepareStep struct {
	Preparation
	dense  bool // requires a dense table
	scales bool // divides all entries by one number
	rows   bool // changes each row independently
	// do changes t in place.
	do func(t *Table) error
}

// prepareSteps lists all steps, in the order of the documentation.
var prepareSteps = []prepareStep{
	{Preparation: Preparation{"center", "subtract from each feature its mean over all rows; constant features become exactly 0"},
		do: center, dense: true},
	{Preparation: Preparation{"unit-expected-norm", "divide all features by one number, the root mean square of ||x||, so that E||x||^2 = 1"},
		do: unitExpectedNorm, scales: true},
	{Preparation: Preparation{"standardize-unit-expected-norm", "center, then divide feature j by sd_j sqrt(d'), with sd_j its standard deviation over all rows " +
		"(divisor N) and d' the number of features that are not constant, so that every such feature has variance 1/d' and E||x||^2 = 1; " +
		"constant features become exactly 0"}, do: standardizeUnitExpectedNorm, dense: true},
	{Preparation: Preparation{"unit-max-value", "divide all features by the largest absolute value of the table: MNIST's pixels by 255"}, do: unitMaxValue, scales: true},
	{Preparation: Preparation{"unit-norm", "divide each row by its norm; rows of zeros are not changed"}, do: unitNorm, rows: true},
	{Preparation: Preparation{"binarize", "1 if a value is above half of the largest of the table, else 0"}, do: binarize},
}

// Preparation describes a preparation step.
type Preparation struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Preparations returns the valid steps of Ref.Prepare.
//
// Cotter 2013, section 6.4.2 describes "scaling each feature by the product of its standard
// deviation and the data dimension, so that each feature vector has […] unit norm in expectation".
// But dividing by sd_j d gives E||x||^2 = sum_j 1/d^2 = 1/d. The divisor that gives 1 is
// sd_j sqrt(d), or sd_j sqrt(d') with constant features (65 of MNIST's 784).
// standardize-unit-expected-norm uses this divisor. unit-expected-norm gives the same norm with a
// single factor, which keeps the principal subspace of the centred data.
func Preparations() []Preparation {
	var out []Preparation
	for _, s := range prepareSteps {
		out = append(out, s.Preparation)
	}
	return out
}

// prepare applies the named steps in order and returns the result. It may overwrite t. It returns an
// error if a step must expand a compact table to more than most bytes; 0 means no limit.
func prepare(t *Table, names []string, most int64) (*Table, error) {
	for _, n := range names {
		step, err := find("step", n, prepareSteps, func(s *prepareStep) string { return s.Name })
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		numbers := step.dense && t.Sparse() || t.coded != nil && !t.coded.supports(step)
		if bytes := 8 * float64(t.N) * float64(t.D); numbers && most > 0 && bytes > float64(most) {
			return nil, fmt.Errorf("prepare: %s: this step stores all %d x %d entries as floats and needs %.3g bytes; "+
				"the limit is %d; omit the step or raise --memory", n, t.N, t.D, bytes, most)
		}
		if numbers {
			t = t.floats()
		}
		if err := step.do(t); err != nil {
			return nil, fmt.Errorf("prepare: %s: %w", n, err)
		}
	}
	return t, nil
}

// stored iterates over the rows and their stored entries. It reuses the slice for all rows.
func (t *Table) stored() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		var buf []float64
		if !t.Sparse() { // a sparse table may have billions of features
			buf = make([]float64, t.D)
		}
		for i := range t.N {
			if _, values := t.Entries(i, buf); !yield(i, values) {
				return
			}
		}
	}
}

// removeMeans subtracts the column means of a dense table and returns the number of
// constant columns.
func removeMeans(t *Table) (constant int) {
	first := t.Row(0, nil)
	varies := make([]bool, t.D)
	mean := make([]float64, t.D)
	for _, row := range t.stored() {
		for j, v := range row {
			mean[j] += v
			if v != first[j] {
				varies[j] = true
			}
		}
	}
	for j := range mean {
		mean[j] /= float64(t.N)
		if !varies[j] {
			mean[j] = first[j] // so that the difference is exactly zero
			constant++
		}
	}
	t.subtract(mean)
	return constant
}

func center(t *Table) error {
	removeMeans(t)
	return nil
}

// divideAll divides all entries by one number. what describes the number in errors.
func divideAll(t *Table, by float64, what string) error {
	if by == 0 || !finite.Is(by) {
		return fmt.Errorf("%s is %v and cannot be scaled to 1", what, by)
	}
	if t.coded != nil && t.coded.mean != nil {
		t.divide(slices.Repeat([]float64{by}, t.D))
	} else {
		t.transform(func(values []float64) { divide(values, by) })
	}
	return nil
}

func unitExpectedNorm(t *Table) error {
	var sum float64
	for _, row := range t.stored() {
		sum += squares(row)
	}
	return divideAll(t, math.Sqrt(sum/float64(t.N)), "the root mean square norm of the rows")
}

func unitMaxValue(t *Table) error {
	var most float64
	for _, row := range t.stored() {
		for _, v := range row {
			most = max(most, math.Abs(v))
		}
	}
	return divideAll(t, most, "the largest value")
}

func standardizeUnitExpectedNorm(t *Table) error {
	varying := t.D - removeMeans(t)
	if varying == 0 {
		return fmt.Errorf("all features are constant and cannot be scaled to unit norm")
	}
	div := make([]float64, t.D)
	for _, row := range t.stored() {
		for j, v := range row {
			div[j] += v * v
		}
	}
	for j := range div {
		div[j] = math.Sqrt(div[j]/float64(t.N)) * math.Sqrt(float64(varying))
		if !finite.Is(div[j]) {
			return fmt.Errorf("feature %d: its standard deviation is not finite", j+1)
		}
		if div[j] == 0 {
			div[j] = 1 // a constant feature, which is zero after centring
		}
	}
	t.divide(div)
	return nil
}

func unitNorm(t *Table) error {
	for i, row := range t.stored() {
		n := norm2(row)
		if !finite.Is(n) {
			return fmt.Errorf("row %d: its norm is not finite", i+1)
		}
		if n > 0 {
			divide(row, n)
		}
	}
	return nil
}

func binarize(t *Table) error {
	most := math.Inf(-1)
	if t.storedCount() < t.N*t.D {
		most = 0 // some entries are not stored
	}
	for _, row := range t.stored() {
		for _, v := range row {
			most = max(most, v)
		}
	}
	if !(most > 0) {
		return fmt.Errorf("the table has no positive value")
	}
	t.transform(func(values []float64) {
		for i, v := range values {
			values[i] = 0
			if v > most/2 {
				values[i] = 1
			}
		}
	})
	return nil
}

func squares(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x * x
	}
	return s
}

func norm2(v []float64) float64 { return math.Sqrt(squares(v)) }

func divide(v []float64, c float64) {
	for i := range v {
		v[i] /= c
	}
}
