package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// trained is the certified optimum of an SVM problem as a classifier.
type trained struct {
	optimum *objective.SVMReference
	// reference is what methods see of it, expansion the classifier itself.
	reference sparse.Reference
	expansion sparse.Expansion
	// facts holds its errors and so on, as records do.
	facts map[string]float64
}

// train returns the trained classifier of the problem regularised as given, training it if no run
// and no earlier execution has, and the seconds that this execution has taken for it.
func (r *sparseRun) train(ctx context.Context) (*trained, float64, error) {
	want := r.wanted()
	want.Within = registry.SparseReferenceGap
	name := fmt.Sprintf("%s=%s %t", want.Given, strconv.FormatFloat(want.Value, 'g', -1, 64), want.Bias)
	return r.shared.trained.get(name, func() (*trained, error) {
		optimum, _, err := r.reference(ctx, want, r.rows)
		if err != nil {
			return nil, err
		}
		t, err := r.newTrained(ctx, optimum)
		if !errors.Is(err, errCoefficients) {
			return t, err
		}
		r.settings.refs.Reject(optimum, err)
		if optimum, err = r.settings.refs.GetSVM(ctx, want, r.problem(r.rows), r.settings.waiting(r.it)); err != nil {
			return nil, err
		}
		return r.newTrained(ctx, optimum)
	})
}

// errCoefficients is wrapped by the error of coefficients that are not those of the optimum.
var errCoefficients = errors.New("the coefficients are not those of the optimum")

// normAccuracy is the relative accuracy of |w|, which is summed up in two ways.
const normAccuracy = 1e-6

// newTrained completes an optimum to a classifier: it computes the scores of all points and the
// best bias from the coefficients.
func (r *sparseRun) newTrained(ctx context.Context, optimum *objective.SVMReference) (*trained, error) {
	sh := r.shared
	n := sh.layout.Train
	t := &trained{optimum: optimum, reference: sparse.Reference{Alpha: optimum.Alpha.Dense()}}
	p := r.problem(r.rows)
	for i, a := range optimum.Alpha.NonZero() {
		t.expansion.Add(i, float64(a*p.Label(i)))
	}
	m := r.measure()
	var bias func(products []float64) float64
	if optimum.Bias {
		bias = func(products []float64) float64 { return svm.BestBias(products, p.Positive) }
	}
	v, err := m.MeasureAt(ctx, &t.expansion, bias)
	if err != nil {
		return nil, err
	}
	if math.Abs(v.Norm-optimum.Norm) > normAccuracy*optimum.Norm {
		return nil, fmt.Errorf("%w: they give |w| = %v, and |w| = %v was certified", errCoefficients, v.Norm, optimum.Norm)
	}
	t.reference.Bias = t.expansion.Bias
	t.reference.NormSq = v.Norm * v.Norm
	t.reference.Scores = append([]float64(nil), m.Scores()[:n]...)
	t.facts = map[string]float64{
		"reference_support": float64(len(t.expansion.Coef)),
		"reference_bias":    t.expansion.Bias,
		// Two kernel rows an iteration.
		"reference_kernel_evals": 2 * float64(n) * float64(optimum.Iterations),
		"reference_iterations":   float64(optimum.Iterations),
	}
	for i, split := range sh.layout.SplitNames() {
		name := "reference_" + split + "_error"
		if split == record.SplitTest {
			name = "reference_error"
		}
		t.facts[name] = v.Error[i]
	}
	return t, nil
}
