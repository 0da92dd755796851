package record

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/finite"
)

// Validate reports the first thing that makes r unfit to be stored or read: an
// unknown schema or status, an empty identifier, a parameter of a foreign type,
// columns of unequal length, a value that is not finite, a cumulative counter
// that decreases, a subsample larger than what it is of, or mistakes that are not
// of the test rows or not as many as the test error says.
func (r Run) Validate() error {
	if r.Schema != Schema {
		return fmt.Errorf("schema is %d, not %d", r.Schema, Schema)
	}
	if err := validateTexts([]field{
		{"key", r.Key, true}, {"extent", r.Extent, true}, {"task", r.Task, false}, {"dataset", r.Dataset, true},
		{"group", r.Group, false}, {"dataset_hash", r.DatasetHash, false}, {"series", r.Series, true},
		{"algorithm", r.Algorithm, true},
	}); err != nil {
		return err
	}
	if r.Repeat < 0 {
		return fmt.Errorf("repeat is %d; it must not be negative", r.Repeat)
	}
	switch r.Status {
	case StatusFinished:
	case StatusDiverged, StatusFailed, StatusSkipped, StatusOutOfTime, StatusOutOfMemory:
		if r.Reason == "" {
			return fmt.Errorf("status is %q without a reason", r.Status)
		}
	default:
		return fmt.Errorf("status %q is unknown; it must be %q, %q, %q, %q, %q or %q", r.Status,
			StatusFinished, StatusDiverged, StatusFailed, StatusSkipped, StatusOutOfTime, StatusOutOfMemory)
	}
	err := cmp.Or(r.validateLimit(), r.Params.validate(), validateRows(r.Rows), validateFacts(r.Facts), r.LeftOut.validate(r.Curve), r.Curve.validate())
	if err != nil {
		return err
	}
	return r.validateMistakes()
}

// field is a text in a record or a plan.
type field struct {
	name, value string
	required    bool
}

func validateTexts(fields []field) error {
	for _, f := range fields {
		if f.required && f.value == "" {
			return fmt.Errorf("%s is empty", f.name)
		}
		if !utf8.ValidString(f.value) {
			return fmt.Errorf("%s %q is not valid UTF-8", f.name, f.value)
		}
	}
	return nil
}

// validateLimit checks that a limit is that of a run that met it.
func (r Run) validateLimit() error {
	l := r.Limit
	switch {
	case l == nil:
		return nil
	case r.standing() != standingLimited:
		return fmt.Errorf("status is %q with a limit that was met", r.Status)
	case !finite.Is(l.Seconds) || l.Seconds < 0 || l.Memory < 0:
		return fmt.Errorf("the limit is %v s and %d bytes; both must be finite and not negative", l.Seconds, l.Memory)
	case r.Status == StatusOutOfTime && l.Seconds == 0, r.Status == StatusOutOfMemory && l.Memory == 0:
		return fmt.Errorf("status is %q without a limit of that", r.Status)
	}
	return nil
}

// mistakeTolerance is the difference between an error and the share of the
// mistakes that counts as rounding.
const mistakeTolerance = 1e-9

// validateMistakes checks the mistakes against the test rows and the test error.
func (r Run) validateMistakes() error {
	rows := r.Rows[SplitTest]
	if len(r.Curve.Mistakes) > 0 && rows <= 0 {
		return fmt.Errorf("mistakes are recorded, but rows %q is not", SplitTest)
	}
	errors := r.Curve.Metrics[SplitTest][MetricError]
	for i, set := range r.Curve.Mistakes {
		if err := set.validate(rows); err != nil {
			return fmt.Errorf("mistakes at point %d: %w", i, err)
		}
		if errors == nil {
			continue
		}
		if share := float64(len(set)) / float64(rows); math.Abs(share-errors[i]) > mistakeTolerance {
			return fmt.Errorf("at point %[3]d there are %[1]d mistakes on %[2]d rows, but the %[4]s error is %[5]v", len(set), rows, i, SplitTest, errors[i])
		}
	}
	return nil
}

func (c Curve) validate() error {
	n := c.Len()
	for _, name := range slices.Sorted(maps.Keys(c.Cost)) {
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
	for _, split := range slices.Sorted(maps.Keys(c.Metrics)) {
		metrics := c.Metrics[split]
		for _, name := range slices.Sorted(maps.Keys(metrics)) {
			col := metrics[name]
			if len(col) != n {
				return fmt.Errorf("metric %q on split %q has %d points, but iterations has %d", name, split, len(col), n)
			}
			for i, v := range col {
				if !finite.Is(v) {
					return fmt.Errorf("metric %q on split %q is %v at point %d; the run should have ended as %q before", name, split, v, i, StatusDiverged)
				}
			}
		}
	}
	if len(c.Spectrum) != 0 && len(c.Spectrum) != n {
		return fmt.Errorf("spectrum has %d points, but iterations has %d", len(c.Spectrum), n)
	}
	if len(c.Mistakes) != 0 && len(c.Mistakes) != n {
		return fmt.Errorf("mistakes have %d points, but iterations has %d", len(c.Mistakes), n)
	}
	for i, row := range c.Spectrum {
		for j, v := range row {
			if !finite.Is(v) {
				return fmt.Errorf("eigenvalue %d is %v at point %d", j, v, i)
			}
			if j > 0 && v > row[j-1] {
				return fmt.Errorf("eigenvalues %d and %d, %v and %v, are not in decreasing order at point %d", j-1, j, row[j-1], v, i)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Vectors)) {
		if err := validName("vector", name); err != nil {
			return err
		}
		for i, v := range c.Vectors[name] {
			if !finite.Is(v) {
				return fmt.Errorf("vector %q is %v at element %d; it must be finite", name, v, i)
			}
		}
	}
	return nil
}

// subsampleOf ends the names of the numbers of rows that others are a
// subsample of.
const subsampleOf = "_of"

func validateRows(rows map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if err := validName("number of rows", name); err != nil {
			return err
		}
		n := rows[name]
		if n < 0 {
			return fmt.Errorf("rows %q is %d; it must not be negative", name, n)
		}
		split, ok := strings.CutSuffix(name, subsampleOf)
		if !ok {
			continue
		}
		part, known := rows[split]
		if !known {
			return fmt.Errorf("rows %q is there without %q", name, split)
		}
		if part > n {
			return fmt.Errorf("rows %q is %d, more than the %d rows it is drawn from", split, part, n)
		}
	}
	return nil
}

func validateFacts(facts map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		if err := validName("fact", name); err != nil {
			return err
		}
		if !finite.Is(facts[name]) {
			return fmt.Errorf("fact %q is %v; it must be finite", name, facts[name])
		}
	}
	return nil
}

func validName(what, name string) error {
	if name == "" {
		return fmt.Errorf("a %s has an empty name", what)
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("the name %q of a %s is not valid UTF-8", name, what)
	}
	return nil
}

// validate reports the first thing that makes t unfit to be stored or read: a
// time that is not finite, negative or running backwards, or a negative number.
func (t Timing) validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"step_seconds", t.StepSeconds},
		{"eval_seconds", t.EvalSeconds},
		{"setup_seconds", t.SetupSeconds},
		{"reference_seconds", t.ReferenceSeconds},
		{"setup_cpu_seconds", t.SetupCPUSeconds},
		{"run_cpu_seconds", t.RunCPUSeconds},
	} {
		if !finite.Is(f.value) || f.value < 0 {
			return fmt.Errorf("%s is %v; it must be finite and not negative", f.name, f.value)
		}
	}
	before := 0.0
	for i, v := range t.Seconds {
		if !finite.Is(v) || v < before {
			return fmt.Errorf("seconds is %v at point %d after %v; it must be finite and not decrease", v, i, before)
		}
		before = v
	}
	if t.Jobs < 0 {
		return fmt.Errorf("jobs is %d; it must not be negative", t.Jobs)
	}
	if t.KernelEvalsComputed < 0 {
		return fmt.Errorf("kernel_evals_computed is %d; it must not be negative", t.KernelEvalsComputed)
	}
	return nil
}
