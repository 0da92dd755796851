package datasets

import (
	"math"
	"slices"
	"testing"
)

// randomTable returns features of different scale and mean; the last one is constant.
func randomTable(t testing.TB, n, d int) *Table {
	t.Helper()
	rng := newRNG(7)
	data := make([]float64, 0, n*d)
	for range n {
		for j := range d - 1 {
			data = append(data, float64(j)+float64(j+1)*rng.NormFloat64())
		}
		data = append(data, 0.1)
	}
	tab := NewDense(n, d, data, nil)
	return tab
}

// prepared applies the named steps to a copy of a table.
func prepared(t *Table, names []string) (*Table, error) {
	return prepare(clone(t), names, 0)
}

// clone returns a copy of an unprepared table.
func clone(t *Table) *Table {
	own := *t
	own.Labels, own.data, own.values = slices.Clone(t.Labels), slices.Clone(t.data), slices.Clone(t.values)
	if t.coded != nil {
		own.coded = newCoded(t.N, t.D, t.coded.data).coded
	}
	return &own
}

func meanSquare(t *Table) float64 {
	var s float64
	row := make([]float64, t.D)
	for i := range t.N {
		t.RowTo(row, i)
		s += squares(row) / float64(t.N)
	}
	return s
}

func column(t *Table, j int) (mean, sd float64) {
	for i := range t.N {
		mean += t.Row(i, nil)[j] / float64(t.N)
	}
	for i := range t.N {
		sd += (t.Row(i, nil)[j] - mean) * (t.Row(i, nil)[j] - mean) / float64(t.N)
	}
	return mean, math.Sqrt(sd)
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// Steps apply in order: the last step decides whether the norm is 1 or the mean 0.
func TestPrepareCenter(t *testing.T) {
	t.Parallel()
	in := randomTable(t, 400, 9)
	before := slices.Clone(in.data)
	out, err := prepared(in, []string{"center"})
	if err != nil {
		t.Fatal(err)
	}
	for j := range out.D {
		m, sd := column(out, j)
		if _, was := column(in, j); !near(m, 0, 1e-13) || !near(sd, was, 1e-12) || j == 8 && out.data[j] != 0 {
			t.Errorf("feature %d: mean %v, sd %v was %v; in the first row %v", j, m, sd, was, out.data[j])
		}
	}
	if !slices.Equal(in.data, before) {
		t.Error("the input was changed")
	}
	if out, err = prepared(in, []string{"center", "unit-expected-norm"}); err != nil || !near(meanSquare(out), 1, 1e-12) {
		t.Errorf("scaled last: E||x||^2 = %v, %v", meanSquare(out), err)
	}
}

// Scaling steps divide all rows by one number, or each nonzero row by its norm.
func TestPrepareScales(t *testing.T) {
	t.Parallel()
	for _, in := range []*Table{randomTable(t, 300, 6), sparseExample(t)} {
		row, was := make([]float64, in.D), make([]float64, in.D)
		for _, name := range []string{"unit-expected-norm", "unit-max-value", "unit-norm"} {
			out, err := prepared(in, []string{name})
			if err != nil {
				t.Fatal(err)
			}
			factor := math.Sqrt(meanSquare(out) / meanSquare(in))
			for i := range out.N {
				out.RowTo(row, i)
				in.RowTo(was, i)
				want := was
				if n := norm2(was); name != "unit-norm" {
					divide(want, 1/factor)
				} else if n > 0 {
					divide(want, n)
				}
				if !slices.EqualFunc(row, want, func(a, b float64) bool { return near(a, b, 1e-12) }) {
					t.Errorf("%s: row %d is %v, want %v", name, i, row, want)
				}
			}
			if name == "unit-expected-norm" && !near(meanSquare(out), 1, 1e-12) {
				t.Errorf("E||x||^2 = %v", meanSquare(out))
			}
		}
	}
}

// Cotter 2013, section 6.4.2 divides by the standard deviation times the dimension, which gives
// E||x||^2 = 1/d, not 1. The root of the number of varying features in place of the dimension gives 1.
func TestStandardizeErratum(t *testing.T) {
	t.Parallel()
	in := randomTable(t, 500, 11)
	const varying = 10
	centred, err := prepared(in, []string{"center"})
	if err != nil {
		t.Fatal(err)
	}
	literal := &Table{N: centred.N, D: varying, data: nil}
	for i := range centred.N {
		for j := range varying {
			_, sd := column(in, j)
			literal.data = append(literal.data, centred.Row(i, nil)[j]/(sd*varying))
		}
	}
	if got := meanSquare(literal); !near(got, 1.0/varying, 1e-12) {
		t.Errorf("the factor as written gives E||x||^2 = %v, want 1/d = %v", got, 1.0/varying)
	}

	for _, steps := range [][]string{{"standardize-unit-expected-norm"}, {"center", "standardize-unit-expected-norm"}} {
		out, err := prepared(in, steps)
		if err != nil {
			t.Fatal(err)
		}
		if got := meanSquare(out); !near(got, 1, 1e-12) {
			t.Errorf("%v: E||x||^2 = %v, want 1", steps, got)
		}
		for j := range out.D {
			m, sd := column(out, j)
			want := 1 / math.Sqrt(varying)
			if j == varying {
				want = 0
			}
			if !near(m, 0, 1e-14) || !near(sd, want, 1e-13) {
				t.Errorf("%v: feature %d: mean %v, sd %v, want 0 and %v", steps, j, m, sd, want)
			}
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	t.Parallel()
	zero, huge := NewDense(2, 2, make([]float64, 4), nil), NewDense(1, 2, []float64{1e200, 1e200}, nil)
	for step, in := range map[string]*Table{
		"unit-expected-norm": zero, "standardize-unit-expected-norm": zero, "unit-max-value": zero, "binarize": zero, "unit-norm": huge,
	} {
		if out, err := prepared(in, []string{step}); err == nil {
			t.Errorf("%s: %v", step, out.data)
		}
	}
	if _, err := prepared(huge, []string{"unit-expected-norm"}); err == nil {
		t.Error("an infinite norm is scaled to 1")
	}
}

// Pixels become exactly v/255.
func TestPrepareValues(t *testing.T) {
	t.Parallel()
	pixels, shares := make([]float64, 256), make([]float64, 256)
	for i := range pixels {
		pixels[i], shares[i] = float64(i), float64(i)/255
	}
	for _, c := range []struct {
		step     string
		in, want []float64
	}{
		{"unit-max-value", pixels, shares}, {"unit-max-value", []float64{-4, 1}, []float64{-1, 0.25}},
		{"binarize", []float64{0, 127.5, 128, 255, 0, 1}, []float64{0, 0, 1, 1, 0, 0}},
	} {
		out, err := prepared(NewDense(1, len(c.in), c.in, nil), []string{c.step})
		if err != nil || !slices.Equal(out.data, c.want) {
			t.Errorf("%s: %v, %v", c.step, out, err)
		}
	}
}
