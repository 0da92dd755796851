package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxListed is how many different labels a message lists.
	maxListed = 12
	// fewClasses is the most classes that a column may have to be taken for labels by
	// itself, mostClasses the most that one named for it may have, and rowsOfClass the
	// least rows a class, on average.
	fewClasses, mostClasses, rowsOfClass = 20, 100, 2
)

// Class is a label and the number of rows that have it. Text is what the label stands for,
// empty if labels are numbers.
type Class struct {
	Label float64
	Rows  int
	Text  string
}

// classes returns the different labels in increasing order. Once there are more than limit it
// gives up and returns the first limit+1 that it met, their rows uncounted.
func (t *Table) classes(limit int) []Class {
	var out []Class
	last := 0
	for _, y := range t.Labels {
		if last >= len(out) || out[last].Label != y {
			at, ok := slices.BinarySearchFunc(out, y, func(c Class, y float64) int { return cmp.Compare(c.Label, y) })
			if !ok {
				out = slices.Insert(out, at, Class{Label: y, Text: t.classWord(y)})
			}
			last = at
		}
		out[last].Rows++
		if len(out) > limit {
			break
		}
	}
	return out
}

// Classes returns the labels in increasing order, nil if the rows have no labels or these do not look like
// classes: more than two that are not all whole, or too many for the rows.
func (t *Table) Classes() []Class {
	cs := t.classes(mostClasses)
	fraction := func(c Class) bool { return c.Label != math.Trunc(c.Label) }
	if len(cs) > 2 && (len(cs) > mostClasses || len(cs)*rowsOfClass > t.N || slices.ContainsFunc(cs, fraction)) {
		return nil
	}
	return cs
}

// classText says which labels there are.
func (t *Table) classText(cs []Class) string {
	var out []string
	for _, c := range cs {
		out = append(out, t.labelText(c.Label))
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
	if text := t.classWord(y); text != "" {
		return fmt.Sprintf("%s (%s)", labelText(y), text)
	}
	return labelText(y)
}

func labelText(y float64) string { return strconv.FormatFloat(y, 'g', -1, 64) }

// nameLabels says where a spec names the labels of a file.
const nameLabels = "(for a csv file name their column with `label`, for an idx file their file with `with: {labels: …}`)"

// BinaryLabels returns nil if every label is +1 or -1 and both occur. The error otherwise says
// which labels occur and what to do: which value to name as the positive class.
func (t *Table) BinaryLabels() error {
	if t.Labels == nil {
		return errors.New("the rows have no labels: a classifier needs them " + nameLabels)
	}
	cs := t.classes(mostClasses)
	switch {
	case len(cs) == 1:
		return fmt.Errorf("only one class occurs: all %d labels are %s, and a classifier needs two", t.N, t.labelText(cs[0].Label))
	case len(cs) == 2 && cs[0].Label == -1 && cs[1].Label == 1:
		return nil
	case len(cs) > mostClasses:
		return fmt.Errorf("%s: a classifier needs classes, +1 and -1, or one named by `positive: …`", t.classText(cs))
	}
	return fmt.Errorf("%s; want +1 and -1: name the class to be positive against the rest, such as `positive: %s`",
		t.classText(cs), labelText(t.suggest(cs)))
}

// Positive returns the label that a classifier may take for positive against the rest: nil
// for labels +1 and -1. It is the larger of two, otherwise as errors about labels suggest it.
// An error says why the labels are not those of classes, and what to do.
func (t *Table) Positive() (*float64, error) {
	err := t.BinaryLabels()
	cs := t.Classes()
	switch {
	case err == nil:
		return nil, nil
	case t.Labels == nil || len(cs) == 1:
		return nil, err
	case cs == nil:
		sorted := slices.Sorted(slices.Values(t.Labels))
		return nil, fmt.Errorf("the labels look like the values of a regression, from %s to %s: a classifier needs classes. "+
			"Write a column that is 1 above a threshold, such as the median, %s, and -1 elsewhere, or name another column",
			labelText(sorted[0]), labelText(sorted[t.N-1]), labelText(sorted[t.N/2]))
	}
	return new(t.suggest(cs)), nil
}

// suggest returns the label that most likely is meant to be positive: the
// manifest's, 1, the larger of two, or the most frequent.
func (t *Table) suggest(cs []Class) float64 {
	is := func(label float64) bool {
		return slices.ContainsFunc(cs, func(c Class) bool { return c.Label == label })
	}
	switch {
	case t.positive != nil && is(*t.positive):
		return *t.positive
	case len(cs) == 2:
		return cs[1].Label
	case len(cs) == 3 && t.texts == nil && is(1):
		return 1
	}
	return slices.MaxFunc(cs, func(a, b Class) int { return a.Rows - b.Rows }).Label
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

// classCode is the label that stands for the i-th of n texts in their order: -1 and +1 for two,
// else 1, 2, ….
func classCode(i, n int) float64 {
	if n == 2 {
		return float64(2*i - 1)
	}
	return float64(i + 1)
}

// classWord is the text that a label stands for, "" for none.
func (t *Table) classWord(label float64) string {
	for i, text := range t.texts {
		if classCode(i, len(t.texts)) == label {
			return text
		}
	}
	return ""
}

// addText adds the text of a label to texts, and returns its place there. The error says that it
// is not one of the only ones, or not fit for a class.
func addText(texts, only []string, text string) (all []string, place int, err error) {
	shown := quote([]byte(text))
	place = slices.Index(texts, text)
	switch {
	case place >= 0:
		return texts, place, nil
	case isNumber(text):
		err = fmt.Errorf("%s is a number, but other labels are texts", shown)
	case only != nil:
		err = fmt.Errorf("%s is not one of %s", shown, strings.Join(only, ", "))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		err = fmt.Errorf("%s cannot be printed on one line, as a label must be", shown)
	case len(texts) == mostClasses:
		err = fmt.Errorf("%s comes after %d other texts, too many for classes: name another column with label",
			shown, mostClasses)
	}
	return append(texts, strings.Clone(text)), len(texts), err
}

// codeTexts replaces the places of texts in labels by codes, and returns the texts in their order.
func codeTexts(labels []float64, texts []string) []string {
	sorted := slices.Sorted(slices.Values(texts))
	for i, place := range labels {
		at, _ := slices.BinarySearch(sorted, texts[int(place)])
		labels[i] = classCode(at, len(sorted))
	}
	return sorted
}
