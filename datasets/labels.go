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
	// maxListed is the number of labels that a message lists.
	maxListed = 12
	// fewClasses is the most classes of a column that is detected as labels, mostClasses of one
	// that is chosen. rowsOfClass is the least mean number of rows per class.
	fewClasses, mostClasses, rowsOfClass = 20, 100, 2
)

// Class is a label, its number of rows, and its name in the file, "" for a number.
type Class struct {
	Label float64
	Rows  int
	Text  string
}

// classes returns the distinct labels in increasing order. If there are more than limit, it stops
// at limit+1 labels, with incomplete counts.
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

// Classes returns the distinct labels in increasing order. It returns nil without labels, or if more
// than two look like a regression: fractions, or too many for the number of rows.
func (t *Table) Classes() []Class {
	cs := t.classes(mostClasses)
	fraction := func(c Class) bool { return c.Label != math.Trunc(c.Label) }
	if len(cs) > 2 && (len(cs) > mostClasses || len(cs)*rowsOfClass > t.N || slices.ContainsFunc(cs, fraction)) {
		return nil
	}
	return cs
}

// classText lists the labels for a message.
func (t *Table) classText(cs []Class) string {
	var out []string
	for _, c := range cs {
		out = append(out, t.labelText(c.Label))
	}
	switch {
	case len(cs) > maxListed:
		return fmt.Sprintf("there are more than %d distinct labels (%s, …)", maxListed, strings.Join(out[:3], ", "))
	case len(cs) == 1:
		return "the only label is " + out[0]
	}
	return "the labels are " + strings.Join(out, ", ")
}

// labelText returns a label for a message, with the class name if it has one.
func (t *Table) labelText(y float64) string {
	if text := t.classWord(y); text != "" {
		return fmt.Sprintf("%s (%s)", labelText(y), text)
	}
	return labelText(y)
}

func labelText(y float64) string { return strconv.FormatFloat(y, 'g', -1, 64) }

// nameLabels explains how a spec names the labels of a file.
const nameLabels = "(for a csv file set `label: COLUMN`, for an idx file `with: {labels: FILE}`)"

// BinaryLabels returns nil if the labels are +1 and -1 and both occur. Otherwise the error lists
// the labels and proposes a positive class.
func (t *Table) BinaryLabels() error {
	if t.Labels == nil {
		return errors.New("the rows have no labels, which a classifier needs " + nameLabels)
	}
	cs := t.classes(mostClasses)
	switch {
	case len(cs) == 1:
		return fmt.Errorf("there is only one class: all %d labels are %s, but a classifier needs two",
			t.N, t.labelText(cs[0].Label))
	case len(cs) == 2 && cs[0].Label == -1 && cs[1].Label == 1:
		return nil
	case len(cs) > mostClasses:
		return fmt.Errorf("%s: a classifier needs the classes +1 and -1, or a positive class chosen with `positive: …`", t.classText(cs))
	}
	return fmt.Errorf("%s; want +1 and -1: choose the positive class against the rest, for example `positive: %s`",
		t.classText(cs), labelText(t.suggest(cs)))
}

// Positive returns a label to use as the positive class against the rest, or nil if the labels are
// +1 and -1 already. It returns an error if the labels are not classes.
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
		return nil, fmt.Errorf("the labels look like regression targets, from %s to %s: a classifier needs classes. "+
			"Add a column that is 1 above a threshold, such as the median, %s, and -1 otherwise, or choose another column",
			labelText(sorted[0]), labelText(sorted[t.N-1]), labelText(sorted[t.N/2]))
	}
	return new(t.suggest(cs)), nil
}

// suggest returns the most likely positive class: the manifest's choice; the larger of two labels;
// 1 of three; otherwise the most frequent label.
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

// makeBinary replaces labels equal to positive by +1 and all others by -1, in place. It returns an
// error if no row has the label positive.
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

// classCode returns the numeric label of the i-th of n class names: -1 and +1 for two, else 1, 2, ….
func classCode(i, n int) float64 {
	if n == 2 {
		return float64(2*i - 1)
	}
	return float64(i + 1)
}

// classWord returns the class name of a label, or "" without one.
func (t *Table) classWord(label float64) string {
	for i, text := range t.texts {
		if classCode(i, len(t.texts)) == label {
			return text
		}
	}
	return ""
}

// addText returns texts with a text label added, if new, and the index of the label. If only is not
// nil, any other label is an error.
func addText(texts, only []string, text string) (all []string, place int, err error) {
	shown := quote([]byte(text))
	place = slices.Index(texts, text)
	switch {
	case place >= 0:
		return texts, place, nil
	case isNumber(text):
		err = fmt.Errorf("%s is a number, but other labels are text", shown)
	case only != nil:
		err = fmt.Errorf("%s is not one of %s", shown, strings.Join(only, ", "))
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		err = fmt.Errorf("%s is not a valid label: it contains characters that cannot be printed on one line", shown)
	case len(texts) == mostClasses:
		err = fmt.Errorf("%s: more than %d distinct labels, too many for classes: choose another column with label",
			shown, mostClasses)
	}
	return append(texts, strings.Clone(text)), len(texts), err
}

// codeTexts sorts texts and replaces their indices in labels by class codes.
func codeTexts(labels []float64, texts []string) []string {
	sorted := slices.Sorted(slices.Values(texts))
	for i, place := range labels {
		at, _ := slices.BinarySearch(sorted, texts[int(place)])
		labels[i] = classCode(at, len(sorted))
	}
	return sorted
}
