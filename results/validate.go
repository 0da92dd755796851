package results

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// Validate reports the first thing that makes r unfit to be stored or read: an
// unknown schema or status, an empty identifier, a parameter of a foreign type,
// columns of unequal length, a value that is not finite, or a cumulative
// counter that decreases.
func (r Run) Validate() error {
	if r.Schema != Schema {
		return fmt.Errorf("schema is %d, not %d", r.Schema, Schema)
	}
	for _, f := range []struct {
		name, value string
		required    bool
	}{
		{"key", r.Key, true},
		{"extent", r.Extent, true},
		{"task", r.Task, false},
		{"dataset", r.Dataset, true},
		{"group", r.Group, false},
		{"dataset_hash", r.DatasetHash, false},
		{"series", r.Series, true},
		{"algorithm", r.Algorithm, true},
	} {
		if f.required && f.value == "" {
			return fmt.Errorf("%s is empty", f.name)
		}
		if !utf8.ValidString(f.value) {
			return fmt.Errorf("%s %q is not valid UTF-8", f.name, f.value)
		}
	}
	if r.Repeat < 0 {
		return fmt.Errorf("repeat is %d; it must not be negative", r.Repeat)
	}
	switch r.Status {
	case StatusFinished:
	case StatusDiverged, StatusFailed:
		if r.Reason == "" {
			return fmt.Errorf("status is %q without a reason", r.Status)
		}
	default:
		return fmt.Errorf("status %q is unknown; it must be %q, %q or %q", r.Status, StatusFinished, StatusDiverged, StatusFailed)
	}
	if err := r.Params.validate(); err != nil {
		return err
	}
	return r.Curve.validate()
}

func (c Curve) validate() error {
	n := c.Len()
	for _, name := range sortedKeys(c.Cost) {
		col := c.Cost[name]
		if len(col) != n {
			return fmt.Errorf("cost %q has %d points where iterations has %d", name, len(col), n)
		}
		for i, v := range col {
			if v < 0 {
				return fmt.Errorf("cost %q is %d at point %d; counters are not negative", name, v, i)
			}
			if i == 0 {
				continue
			}
			if v < col[i-1] {
				return fmt.Errorf("cost %q decreases from %d to %d at point %d; counters are cumulative", name, col[i-1], v, i)
			}
			if name == "iterations" && v == col[i-1] {
				return fmt.Errorf("iteration %d is recorded twice, at points %d and %d", v, i-1, i)
			}
		}
	}
	for _, split := range sortedKeys(c.Metrics) {
		metrics := c.Metrics[split]
		for _, name := range sortedKeys(metrics) {
			col := metrics[name]
			if len(col) != n {
				return fmt.Errorf("metric %q on split %q has %d points where iterations has %d", name, split, len(col), n)
			}
			for i, v := range col {
				if !finite(v) {
					return fmt.Errorf("metric %q on split %q is %v at point %d; a run must end as %q before that", name, split, v, i, StatusDiverged)
				}
			}
		}
	}
	if len(c.Spectrum) != 0 && len(c.Spectrum) != n {
		return fmt.Errorf("spectrum has %d points where iterations has %d", len(c.Spectrum), n)
	}
	for i, row := range c.Spectrum {
		for j, v := range row {
			if !finite(v) {
				return fmt.Errorf("eigenvalue %d is %v at point %d", j, v, i)
			}
			if j > 0 && v > row[j-1] {
				return fmt.Errorf("eigenvalues %d and %d, %v and %v, are not in decreasing order at point %d", j-1, j, row[j-1], v, i)
			}
		}
	}
	return nil
}

func (t Timing) validate() error {
	if !finite(t.StepSeconds) || t.StepSeconds < 0 {
		return fmt.Errorf("step_seconds is %v; it must be finite and not negative", t.StepSeconds)
	}
	if !finite(t.EvalSeconds) || t.EvalSeconds < 0 {
		return fmt.Errorf("eval_seconds is %v; it must be finite and not negative", t.EvalSeconds)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
