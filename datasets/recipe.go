package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/disk"
	"stochopt/internal/finite"
)

// Recipe is what is known of how a table was read and prepared, so that other rows can be
// read and prepared in the same way.
type Recipe struct {
	// Features is the number of features.
	Features int `json:"-"`
	// Columns names the features in the header of a CSV file, in order; nil without a
	// header. Label names the column of the labels.
	Columns []string `json:"columns,omitempty"`
	Label   string   `json:"label,omitempty"`
	// Classes holds the texts that labels are in a CSV file, sorted as bytes; nil for
	// numbers. Of two the first is the label -1 and the other +1; of more the first is 1,
	// the second 2, and so on.
	Classes []string `json:"classes,omitempty"`
	// Prepare holds the preparation steps, in order.
	Prepare []Fitted `json:"prepare,omitempty"`
}

// Class returns the text that a label stands for; ok is false where labels are numbers.
func (r *Recipe) Class(label float64) (text string, ok bool) { return classWord(label, r.Classes) }

// Check returns an error if the parts do not fit together.
func (r *Recipe) Check() error {
	if r.Columns != nil && len(r.Columns) != r.Features {
		return fmt.Errorf("there are %d names of columns for %d features", len(r.Columns), r.Features)
	}
	if !slices.IsSorted(r.Classes) || len(slices.Compact(slices.Clone(r.Classes))) < len(r.Classes) {
		return errors.New("the names of the classes are not sorted, or one occurs twice")
	}
	if i := slices.IndexFunc(r.Classes, unprintable); i >= 0 {
		return fmt.Errorf("the name of a class, %q, is not plain text", r.Classes[i])
	}
	for i := range r.Prepare {
		if err := r.Prepare[i].check(r.Features); err != nil {
			return fmt.Errorf("preparation %d: %w", i+1, err)
		}
	}
	return nil
}

// hash tells recipes apart.
func (r *Recipe) hash() string {
	text, _ := json.Marshal(r) // of finite numbers
	return disk.SHA256Of(text)
}

// Fitted is a preparation step with the numbers that it took from the rows it prepared.
type Fitted struct {
	Step string `json:"step"`
	// Subtract is what is subtracted from each feature. Divide is what each is then divided
	// by, 0 for one that was constant and becomes 0, or one number for all of them.
	Subtract []float64 `json:"subtract,omitempty"`
	Divide   []float64 `json:"divide,omitempty"`
	// Above is what a value must exceed to become 1; the others become 0.
	Above *float64 `json:"above,omitempty"`
}

func (f *Fitted) check(features int) error {
	if _, err := findStep(f.Step); err != nil {
		return err
	}
	fits := func(v []float64, one bool) bool {
		return v == nil || len(v) == features || one && len(v) == 1
	}
	if !fits(f.Subtract, false) || !fits(f.Divide, true) {
		return fmt.Errorf("%s: there are %d and %d numbers for %d features", f.Step, len(f.Subtract), len(f.Divide), features)
	}
	all := slices.Concat(f.Subtract, f.Divide)
	if f.Above != nil {
		all = append(all, *f.Above)
	}
	if slices.ContainsFunc(all, func(v float64) bool { return !finite.Is(v) }) {
		return fmt.Errorf("%s: a number is not finite", f.Step)
	}
	return nil
}

// again does to a table, which may be overwritten, what was done to the rows that the step
// was fitted to.
func (f *Fitted) again(t *Table) (*Table, error) {
	if f.Step == "unit-norm" {
		t, _, _, err := unitNorm(t)
		return t, err
	}
	if f.Subtract != nil || len(f.Divide) > 1 {
		t = t.Dense()
	}
	if f.Subtract != nil {
		t.change(change{kind: subtract, by: f.Subtract})
	}
	switch by := slices.Clone(f.Divide); {
	case len(by) > 1 || len(by) == 1 && f.Subtract != nil:
		for j, d := range by {
			if d == 0 {
				by[j] = math.Inf(1)
			}
		}
		t.change(change{kind: divideBy, by: by})
	case len(by) == 1:
		t.change(change{kind: divideBy, value: by[0]})
	}
	if f.Above != nil {
		t.change(change{kind: above, value: *f.Above})
	}
	return t, nil
}

// ErrFeatures says that rows cannot be prepared like others, as they have other features.
var ErrFeatures = errors.New("another number of features")

// prepareLike prepares a table, which may be overwritten, as another was.
func prepareLike(t *Table, steps []Fitted, features int, most int64) (*Table, error) {
	switch {
	case len(steps) == 0:
		return t, nil
	case t.D > features || t.D < features && !t.Sparse():
		return nil, fmt.Errorf("%w: the data have %d, the training data had %d", ErrFeatures, t.D, features)
	case t.D < features:
		t.D = features // the others are zeros
	}
	var names []string
	for i := range steps {
		names = append(names, steps[i].Step)
	}
	if err := fitsPrepared(t, names, most); err != nil {
		return nil, err
	}
	for i := range steps {
		out, err := steps[i].again(t)
		if err != nil {
			return nil, fmt.Errorf("prepare: %s: %w", steps[i].Step, err)
		}
		t = out
	}
	return t, nil
}
