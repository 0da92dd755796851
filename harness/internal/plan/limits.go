package plan

import (
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// limit takes the limits of a cell of a spec.
func (it *Item) limit(c spec.Cell) {
	if l := c.Algorithm.Limit; l != nil {
		it.Limit = *l
	}
}

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
