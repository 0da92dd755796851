package sparse

import (
	"math"
	"strings"
	"testing"

	"stochopt/algorithms/svm"
)

// oddRows are rows whose parts do not fit together.
type oddRows struct {
	train, length int
	diag          []float64
}

func (r oddRows) Train() int        { return r.train }
func (r oddRows) Len() int          { return r.length }
func (r oddRows) Row(int) []float32 { panic("not needed") }
func (r oddRows) Diag() []float64   { return r.diag }

func TestCheckProblem(t *testing.T) {
	good := []float64{0, 1, math.MaxFloat32}
	for _, c := range []struct {
		p    svm.Problem
		want string
	}{
		{svm.Problem{Rows: oddRows{3, 3, good}, Positive: 3}, ""},
		{svm.Problem{Rows: oddRows{3, 3, good}}, ""},
		{svm.Problem{}, "the problem has no kernel rows"},
		{svm.Problem{Rows: oddRows{}}, "n = 0 training points"},
		{svm.Problem{Rows: oddRows{3, 4, good}}, "the kernel rows have 4 entries"},
		{svm.Problem{Rows: oddRows{3, 3, good}, Positive: -1}, "-1 positive points of n = 3"},
		{svm.Problem{Rows: oddRows{3, 3, good}, Positive: 4}, "4 positive points of n = 3"},
		{svm.Problem{Rows: oddRows{3, 3, good[:2]}}, "the diagonal of the kernel has 2 entries"},
		{svm.Problem{Rows: oddRows{3, 3, []float64{0, -1, 0}}}, "K(x, x) = -1 for point 1"},
		{svm.Problem{Rows: oddRows{3, 3, []float64{0, 0, math.NaN()}}}, "K(x, x) = NaN for point 2"},
		{svm.Problem{Rows: oddRows{3, 3, []float64{math.Inf(1), 0, 0}}}, "K(x, x) = +Inf for point 0"},
	} {
		err := checkProblem("m", c.p, false)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), "sparse: m: "+c.want) {
			t.Errorf("%+v: %v, want %q", c.p, err, c.want)
		}
	}
}

func TestCheckPostHoc(t *testing.T) {
	for _, c := range []struct {
		edit func(r *Reference)
		want string
	}{
		{func(*Reference) {}, ""},
		{func(r *Reference) { r.Alpha = r.Alpha[:1] }, "the reference has 1 coefficients and 2 scores for n = 2"},
		{func(r *Reference) { r.Scores = append(r.Scores, 0) }, "the reference has 2 coefficients and 3 scores for n = 2"},
		{func(r *Reference) { r.Bias = math.NaN() }, "the reference has b = NaN"},
		{func(r *Reference) { r.NormSq = math.Inf(1) }, "the reference has b = 0 and |w|^2 = +Inf"},
		{func(r *Reference) { r.NormSq = -1 }, "the reference has b = 0 and |w|^2 = -1"},
		{func(r *Reference) { r.Alpha[1] = math.NaN() }, "the reference has the coefficient NaN and the score 0 for training point 1"},
		{func(r *Reference) { r.Scores[0] = -2 * maxScore }, "the reference has the coefficient 0 and the score -2e+100 for training point 0"},
	} {
		r := &Reference{Alpha: make([]float64, 2), Scores: make([]float64, 2)}
		c.edit(r)
		err := checkPostHoc("m", r, 2)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), "sparse: m: "+c.want) {
			t.Errorf("%+v: %v, want %q", r, err, c.want)
		}
	}
	if err := checkPostHoc("m", nil, 2); err == nil || !strings.Contains(err.Error(), "no reference") {
		t.Errorf("nil: %v", err)
	}
}
