package datasets

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"stochopt/internal/finite"
)

// A preparation step works on the whole table, before any split: the thesis
// does the same, and what leaks is the mean and a scale.
type prepareStep struct {
	Preparation
	// dense: it needs a dense table; scales: it divides all by one number; rows: it changes each
	// row by itself.
	dense, scales, rows bool
	// do changes t, which nobody else holds.
	do func(t *Table) error
}

// prepareSteps holds all steps, in the order in which they are listed.
var prepareSteps = []prepareStep{
	{Preparation: Preparation{"center", "subtract from each feature its mean over all rows; constant features become exactly 0"},
		do: center, dense: true},
	{Preparation: Preparation{"unit-expected-norm", "divide all features by one number, the root mean square of ||x||, so that E||x||^2 = 1"},
		do: unitExpectedNorm, scales: true},
	{Preparation: Preparation{"standardize-unit-expected-norm", "center, then divide feature j by sd_j sqrt(d'), with sd_j its standard deviation over all rows " +
		"(divisor N) and d' the number of features that are not constant, so that every such feature has variance 1/d' and E||x||^2 = 1; " +
		"constant features become exactly 0"}, do: standardizeUnitExpectedNorm, dense: true},
	{Preparation: Preparation{"unit-max-value", "divide all features by the largest absolute value of the table: MNIST's pixels by 255"}, do: unitMaxValue, scales: true},
	{Preparation: Preparation{"unit-norm", "divide each row by its norm; rows of zeros stay"}, do: unitNorm, rows: true},
	{Preparation: Preparation{"binarize", "1 where a value is above half of the largest of the table, else 0"}, do: binarize},
}

// Preparation describes a preparation step.
type Preparation struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// Preparations returns the preparation steps that Ref.Prepare may name.
//
// On the thesis: Cotter 2013, section 6.4.2 says "scaling each feature by the product of its
// standard deviation and the data dimension, so that each feature vector has […] unit norm in
// expectation". Dividing by sd_j d gives E||x||^2 = sum_j 1/d^2 = 1/d; the factor that gives 1 is
// sd_j sqrt(d), and with constant features (65 of MNIST's 784) sd_j sqrt(d').
// standardize-unit-expected-norm is the text so corrected, and unit-expected-norm reaches the
// same end with one factor for all features, which does not change the principal subspace of the
// centred data.
func Preparations() []Preparation {
	var out []Preparation
	for _, s := range prepareSteps {
		out = append(out, s.Preparation)
	}
	return out
}

// prepare applies the named steps in order to a table that may be overwritten and returns the
// result. A step that needs a number for each entry of a table that is kept smaller is an error
// if these take more than most bytes, unless most is 0.
func prepare(t *Table, names []string, most int64) (*Table, error) {
	for _, n := range names {
		step, err := find("step", n, prepareSteps, func(s *prepareStep) string { return s.Name })
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		numbers := step.dense && t.Sparse() || t.coded != nil && !t.coded.holds(step)
		if bytes := 8 * float64(t.N) * float64(t.D); numbers && most > 0 && bytes > float64(most) {
			return nil, fmt.Errorf("prepare: %s: it stores all %d x %d entries of the table as numbers, which take %.3g bytes, and there is room for %d; leave it out, or give --memory more",
				n, t.N, t.D, bytes, most)
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

// stored yields the stored entries row by row, as Entries returns them.
func (t *Table) stored() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		var buf []float64
		if !t.Sparse() { // one may have billions of features
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

// divideAll divides all features by one number, which is what is to become 1.
func divideAll(t *Table, by float64, what string) error {
	if by == 0 || !finite.Is(by) {
		return fmt.Errorf("%s is %v: cannot scale it to 1", what, by)
	}
	if t.coded != nil && t.coded.mean != nil {
		t.divide(slices.Repeat([]float64{by}, t.D))
	} else {
		t.change(func(values []float64) { divide(values, by) })
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
		return fmt.Errorf("every feature is constant: cannot scale to unit norm")
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
			return fmt.Errorf("feature %d: the standard deviation is not finite", j+1)
		}
		if div[j] == 0 {
			div[j] = 1 // a constant feature: all zero by now
		}
	}
	t.divide(div)
	return nil
}

func unitNorm(t *Table) error {
	for i, row := range t.stored() {
		n := norm2(row)
		if !finite.Is(n) {
			return fmt.Errorf("row %d: the norm is not finite", i+1)
		}
		if n > 0 {
			divide(row, n)
		}
	}
	return nil
}

func binarize(t *Table) error {
	most := math.Inf(-1)
	if t.NNZ() < t.N*t.D {
		most = 0 // an entry that is not stored
	}
	for _, row := range t.stored() {
		for _, v := range row {
			most = max(most, v)
		}
	}
	if !(most > 0) {
		return fmt.Errorf("no value is positive")
	}
	t.change(func(values []float64) {
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
