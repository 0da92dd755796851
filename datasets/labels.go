package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxListed is how many different labels a message lists.
const maxListed = 12

// class is a label and the number of rows that have it.
type class struct {
	label float64
	rows  int
}

// classes returns the different labels in increasing order. Once there are
// more than limit it gives up and returns the first limit+1 that it met, their
// rows uncounted.
func (t *Table) classes(limit int) []class {
	var out []class
	last := 0
	for _, y := range t.Labels {
		if last < len(out) && out[last].label == y {
			out[last].rows++
			continue
		}
		at, ok := slices.BinarySearchFunc(out, y, func(c class, y float64) int { return cmp.Compare(c.label, y) })
		if !ok {
			out = slices.Insert(out, at, class{label: y})
		}
		out[at].rows++
		last = at
		if len(out) > limit {
			return out
		}
	}
	return out
}

// classText says which labels there are.
func (t *Table) classText(cs []class) string {
	var out []string
	for _, c := range cs {
		out = append(out, t.labelText(c.label))
	}
	switch {
	case len(cs) > maxListed:
		return fmt.Sprintf("there are more than %d different labels (%s, …)", maxListed, strings.Join(out[:3], ", "))
	case len(cs) == 1:
		return "the only label is " + out[0]
	}
	return "the labels are " + strings.Join(out, ", ")
}

// labelText is a label, with the text that it stands for.
func (t *Table) labelText(y float64) string {
	if text, ok := classWord(y, t.texts); ok {
		return fmt.Sprintf("%s (%s)", labelText(y), text)
	}
	return labelText(y)
}

func labelText(y float64) string { return strconv.FormatFloat(y, 'g', -1, 64) }

// nameLabels says where a spec names the labels of a file.
const nameLabels = "(for a csv file name their column with `label`, for an idx file their file with `with: {labels: …}`)"

// BinaryLabels returns nil if every label is +1 or -1 and both occur. The
// error otherwise says which labels occur and what to do: which value to name
// as the positive class.
func (t *Table) BinaryLabels() error {
	if t.Labels == nil {
		return errors.New("the rows have no labels: a classifier needs them " + nameLabels)
	}
	const many = 1000
	cs := t.classes(many)
	switch {
	case len(cs) == 1:
		return fmt.Errorf("only one class occurs: all %d labels are %s, and a classifier needs two", t.N, t.labelText(cs[0].label))
	case len(cs) == 2 && cs[0].label == -1 && cs[1].label == 1:
		return nil
	case len(cs) > many:
		return fmt.Errorf("there are more than %d different labels (%s, %s, …): a classifier needs classes, +1 and -1, or one named by `positive: …`",
			many, labelText(cs[0].label), labelText(cs[1].label))
	}
	return fmt.Errorf("%s; want +1 and -1: name the class to be positive against the rest, such as `positive: %s`",
		t.classText(cs), labelText(t.suggest(cs)))
}

// suggest returns the label that most likely is meant to be positive: the
// manifest's, 1, the larger of two, or the most frequent.
func (t *Table) suggest(cs []class) float64 {
	best := cs[0]
	for _, c := range cs {
		if t.positive != nil && c.label == *t.positive {
			return c.label
		}
		if c.rows > best.rows {
			best = c
		}
	}
	switch {
	case len(cs) == 2:
		return cs[1].label
	case len(cs) == 3 && t.texts == nil && slices.ContainsFunc(cs, func(c class) bool { return c.label == 1 }):
		return 1
	}
	return best.label
}

// makeBinary replaces the labels, which must be t's own: those equal to
// positive by +1, all others by -1. A value that no row has is an error.
func (t *Table) makeBinary(positive float64) error {
	if t.Labels == nil {
		return fmt.Errorf("positive: %s: the rows have no labels %s", labelText(positive), nameLabels)
	}
	if !slices.Contains(t.Labels, positive) {
		return fmt.Errorf("positive: no row has the label %s; %s", labelText(positive), t.classText(t.classes(maxListed)))
	}
	for i, y := range t.Labels {
		if y == positive {
			t.Labels[i] = 1
		} else {
			t.Labels[i] = -1
		}
	}
	t.texts = nil
	return nil
}
