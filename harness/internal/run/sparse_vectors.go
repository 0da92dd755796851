package run

import (
	"slices"

	"stochopt/algorithms/sparse"
)

// vectors returns what record.vectors keeps of a run: its final classifier and, if the
// method approximates the reference classifier, that one. An expansion vector that is a
// training point is stored as its row in the dataset, counted from 0; one that the method
// constructed is stored as -1 and its d coordinates. The record has both biases anyway.
func (r *sparseRun) vectors(final *sparse.Expansion) map[string][]float64 {
	v := map[string][]float64{
		"coefficients": slices.Clone(final.Coef), "points": r.rowsOf(final), "constructed": slices.Concat(final.Vectors...),
	}
	if r.trained != nil {
		v["reference_coefficients"] = slices.Clone(r.trained.expansion.Coef)
		v["reference_points"] = r.rowsOf(&r.trained.expansion)
	}
	return v
}

// rowsOf returns the rows of the dataset that the expansion vectors are, -1 for constructed ones.
func (r *sparseRun) rowsOf(e *sparse.Expansion) []float64 {
	rows := make([]float64, len(e.Index))
	for k, i := range e.Index {
		rows[k] = -1
		if i >= 0 {
			rows[k] = float64(r.shared.order[i])
		}
	}
	return rows
}
