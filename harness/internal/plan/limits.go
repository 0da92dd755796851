package plan

import (
	"stochopt/harness/internal/spec"
	"stochopt/results/record"
)

// Limits returns the limits of a run as records know them.
func (it *Item) Limits() record.Limit {
	return record.Limit{Seconds: it.Limit.Seconds, Memory: int64(it.Limit.Memory)}
}

// Within returns the same run with other limits.
func (it *Item) Within(l record.Limit) *Item {
	limited := *it
	limited.Limit = spec.Limit{Seconds: l.Seconds, Memory: spec.Size(l.Memory)}
	return &limited
}
