package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stochopt/internal/finite"
)

// Validate returns an error if r is not valid. It checks the schema, the status and its limit, the
// identifiers, the types of parameters, and the columns of the curve. These must have equal lengths and
// finite values, counters must not decrease, and mistakes must be test rows.
func (r Run) Validate() error {
	if r.Schema != Schema {
		return fmt.Errorf("schema is %d, not %d", r.Schema, Schema)
	}
	for _, f := range []struct{ name, value string }{
		{"key", r.Key}, {"extent", r.Extent}, {"dataset", r.Dataset}, {"series", r.Series}, {"algorithm", r.Algorithm},
	} {
		if f.value == "" {
			return fmt.Errorf("%s is empty", f.name)
		}
	}
	switch {
	case r.Repeat < 0:
		return fmt.Errorf("repeat is %d; it must not be negative", r.Repeat)
	case r.Status != StatusFinished && !slices.Contains(Unfinished(), r.Status):
		return fmt.Errorf("status %q is unknown; it must be %q or one of %q", r.Status, StatusFinished, Unfinished())
	case r.Status != StatusFinished && r.Reason == "":
		return fmt.Errorf("status is %q without a reason", r.Status)
	}
	for name, n := range r.Rows {
		if n < 0 {
			return fmt.Errorf("rows %q is %d; it must not be negative", name, n)
		}
	}
	return cmp.Or(r.validateLimit(), r.Params.validate(), validateFacts(r.Facts), r.Curve.validate(r.Rows[SplitTest]))
}

// validateLimit checks that only runs out of time or memory have a limit, of that resource.
func (r Run) validateLimit() error {
	l := r.Limit
	switch {
	case l == nil:
		return nil
	case !finite.Is(l.Seconds) || l.Seconds < 0 || l.Memory < 0:
		return fmt.Errorf("the limit is %v s and %d bytes; both must be finite and not negative", l.Seconds, l.Memory)
	case r.Status == StatusOutOfTime && l.Seconds > 0, r.Status == StatusOutOfMemory && l.Memory > 0:
		return nil
	}
	return fmt.Errorf("status %q does not match the limit of %v s and %d bytes", r.Status, l.Seconds, l.Memory)
}

func validateFacts(facts map[string]float64) error {
	for name, v := range facts {
		if name == "" || !finite.Is(v) {
			return fmt.Errorf("fact %q is %v; it must have a name and be finite", name, v)
		}
	}
	return nil
}

// validate checks the curve of a run with the given number of test rows.
func (c Curve) validate(testRows int64) error {
	n := c.Len()
	for _, name := range slices.Sorted(maps.Keys(c.Cost)) {
		if err := validateCounter(name, c.Cost[name], n); err != nil {
			return err
		}
	}
	for _, split := range slices.Sorted(maps.Keys(c.Metrics)) {
		for _, name := range slices.Sorted(maps.Keys(c.Metrics[split])) {
			column := c.Metrics[split][name]
			if len(column) != n {
				return fmt.Errorf("metric %q on split %q has %d points, but iterations has %d", name, split, len(column), n)
			}
			if err := validateFinite(fmt.Sprintf("metric %q on split %q", name, split), column); err != nil {
				return err
			}
		}
	}
	for name, vector := range c.Vectors {
		if err := validateFinite(fmt.Sprintf("vector %q", name), vector); err != nil {
			return err
		}
	}
	for what, have := range map[string]int{"spectrum": len(c.Spectrum), "mistakes": len(c.Mistakes)} {
		if have != 0 && have != n {
			return fmt.Errorf("%s has %d points, but iterations has %d", what, have, n)
		}
	}
	for i, row := range c.Spectrum {
		if err := validateFinite(fmt.Sprintf("spectrum at point %d", i), row); err != nil {
			return err
		}
		if !slices.IsSortedFunc(row, func(a, b float64) int { return cmp.Compare(b, a) }) {
			return fmt.Errorf("the spectrum at point %d, %v, is not in decreasing order", i, row)
		}
	}
	for i, set := range c.Mistakes {
		if err := set.validate(testRows); err != nil {
			return fmt.Errorf("mistakes at point %d: %w", i, err)
		}
	}
	return nil
}

func validateCounter(name string, column []int64, points int) error {
	if len(column) != points {
		return fmt.Errorf("cost %q has %d points, but iterations has %d", name, len(column), points)
	}
	before := int64(0)
	for i, v := range column {
		if v < before {
			return fmt.Errorf("cost %q decreases from %d to %d at point %d; counters are cumulative", name, before, v, i)
		}
		if name == CostIterations && i > 0 && v == before {
			return fmt.Errorf("iteration %d is recorded twice, at points %d and %d", v, i-1, i)
		}
		before = v
	}
	return nil
}

func validateFinite(what string, values []float64) error {
	for i, v := range values {
		if !finite.Is(v) {
			return fmt.Errorf("%s is %v at point %d; it must be finite", what, v, i)
		}
	}
	return nil
}

// validate returns an error if a time is not finite, is negative or decreases.
func (t Timing) validate() error {
	for _, v := range []float64{t.StepSeconds, t.EvalSeconds, t.SetupSeconds, t.ReferenceSeconds} {
		if !finite.Is(v) || v < 0 {
			return fmt.Errorf("a total time is %v s; it must be finite and not negative", v)
		}
	}
	for _, along := range [][]float64{t.Seconds, t.CPUSeconds} {
		if err := validateFinite("the time", along); err != nil {
			return err
		}
		if !slices.IsSorted(append([]float64{0}, along...)) {
			return fmt.Errorf("the times along the run, %v, decrease", along)
		}
	}
	return nil
}
