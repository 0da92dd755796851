package run

import (
	"context"
	"slices"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/objective"
	"stochopt/internal/record"
)

// openEvaluation opens the kernel rows and the input space for the method and for the evaluation of
// its classifiers.
func (r *kernelRun) openEvaluation() error {
	cache, done, err := r.openCache()
	if err != nil {
		return err
	}
	defer done()
	r.rows, r.trainRows = r.open(r.it, cache), r.openReaders(cache)
	sh := r.shared
	if n := sh.layout.Train; sh.points.Len() > n {
		others, _, err := sh.caches.get(n, func() (*kernel.Cache, error) { return r.newCache(n, sh.points.Len()) })
		if err != nil {
			return err
		}
		r.evalRows = r.openReaders(others)
	}
	if r.needs.Inputs {
		// The catalog rejects other kernels.
		r.inputs, err = sh.points.Inputs(sh.layout.Train, sh.kern.(kernel.Gaussian))
	}
	return err
}

// readers uses several readers of one cache in turn, so that sparse.SharedRows rows are valid at a time.
type readers struct {
	each [sparse.SharedRows / kernel.RowsPerReader]*kernel.Reader
	turn int
}

func (r *kernelRun) openReaders(cache *kernel.Cache) *readers {
	rs := new(readers)
	for k := range rs.each {
		rs.each[k] = r.open(r.it, cache)
	}
	return rs
}

// Row implements objective.Rows.
func (r *readers) Row(i int) []float32 {
	r.turn = (r.turn + 1) % len(r.each)
	return r.each[r.turn].Row(i)
}

// computed returns the number of kernel values computed for these readers.
func (r *readers) computed() (n int64) {
	for _, reader := range r.each {
		n += reader.Computed()
	}
	return n
}

// newObjective returns the objective that measures classifiers of the run.
func (r *kernelRun) newObjective() *objective.Sparse {
	// A nil *readers would become a non-nil interface.
	var others objective.Rows
	if r.evalRows != nil {
		others = r.evalRows
	}
	var vectors objective.Vectors
	if r.inputs != nil {
		vectors = r.inputs
	}
	return objective.NewSparse(&r.shared.layout, r.trainRows, others, vectors, r.vectorBytes)
}

// trained is the classifier of a certified optimum.
type trained struct {
	optimum *objective.SVMReference
	// reference is the part that methods see, and expansion the classifier.
	reference sparse.Reference
	expansion sparse.Expansion
	// facts are its facts in records, such as errors.
	facts map[string]float64
}

// newTrained returns the classifier of an optimum. It computes the scores of all points and the best
// bias from the coefficients.
func (r *kernelRun) newTrained(ctx context.Context, optimum *objective.SVMReference) (*trained, error) {
	sh := r.shared
	n := sh.layout.Train
	t := &trained{optimum: optimum, reference: sparse.Reference{Alpha: optimum.Alpha}}
	p := r.problem(r.rows)
	for i, a := range optimum.Alpha {
		if a != 0 {
			t.expansion.Add(i, float64(a*p.Label(i)))
		}
	}
	var bias func(products []float64) float64
	if optimum.Bias {
		bias = func(products []float64) float64 { return svm.BestBias(products, p.Positive) }
	}
	v, scores, err := r.newObjective().Classifier(ctx, &t.expansion, bias)
	if err != nil {
		return nil, err
	}
	t.reference.Bias = t.expansion.Bias
	t.reference.NormSq = v.Norm * v.Norm
	t.reference.Scores = scores[:n]
	t.facts = map[string]float64{
		"reference_support": float64(len(t.expansion.Coef)),
		"reference_bias":    t.expansion.Bias,
		// Each iteration uses two kernel rows.
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

// vectors returns the vectors that record.vectors stores: the final classifier and, if the method
// approximates one, the reference classifier. "points" has the dataset row, from 0, of each expansion
// vector, or -1 for a constructed vector, whose d coordinates are in "constructed". The biases are
// elsewhere in the record.
func (r *kernelRun) vectors(final *sparse.Expansion) map[string][]float64 {
	v := map[string][]float64{
		"coefficients": slices.Clone(final.Coef), "points": r.rowsOf(final), "constructed": slices.Concat(final.Vectors...),
	}
	if r.trained != nil {
		v["reference_coefficients"] = slices.Clone(r.trained.expansion.Coef)
		v["reference_points"] = r.rowsOf(&r.trained.expansion)
	}
	return v
}

// rowsOf returns the dataset row of each expansion vector, or -1 for constructed vectors.
func (r *kernelRun) rowsOf(e *sparse.Expansion) []float64 {
	rows := make([]float64, len(e.Index))
	for k, i := range e.Index {
		rows[k] = -1
		if i >= 0 {
			rows[k] = float64(r.shared.order[i])
		}
	}
	return rows
}
