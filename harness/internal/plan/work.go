package plan

import "stochopt/harness/internal/registry"

// Size returns what the work of a run depends on, if it goes through its budget. Nothing
// is known of what SMO would take.
func (it *Item) Size() registry.Size {
	pr := it.Problem
	s := registry.Size{
		Shape:   registry.Shape{Train: pr.TrainRows, Points: pr.points, Features: pr.dim},
		Entries: pr.entries, Bytes: pr.inBytes,
		Steps: float64(it.Budget), Recorded: float64(min(int64(pr.Spec.Record.Points), it.Budget)), Splits: 1,
	}
	if pr.supervised {
		return s
	}
	s.Points = pr.rows
	if split := pr.Entry.Split; split != nil {
		s.Points -= pr.TrainRows
		if split.Validation > 0 && split.Test > 0 {
			s.Splits = 2
		}
	}
	return s
}
