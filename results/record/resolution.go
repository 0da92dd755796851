package record

// Resolution returns the least value of a metric on a split that the record of a run
// tells from 0: of an error half an example, of a suboptimality the gap that encloses
// the reference optimum. It is 0 of other metrics, and where that is not on record.
func (r *Run) Resolution(split, metric string) float64 {
	switch metric {
	case "error":
		if n := r.Rows[split]; n > 0 {
			return 0.5 / float64(n)
		}
	case "suboptimality":
		primal, certified := r.Facts["reference_primal"]
		dual, bounded := r.Facts["reference_dual"]
		if certified && bounded {
			return max(primal-dual, 0)
		}
	}
	return 0
}
