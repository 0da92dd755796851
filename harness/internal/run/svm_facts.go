package run

import "stochopt/datasets"

// classifierFacts returns what is known of the reference classifier u of a
// distribution: its expected hinge loss L*, its norm, and its 0/1 loss. ref may
// be nil.
func classifierFacts(ref *datasets.Reference) map[string]float64 {
	if ref == nil {
		return nil
	}
	return map[string]float64{"l_star": ref.HingeLoss, "u_norm": ref.Norm, "u_error": ref.ZeroOne}
}
