package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// labelNames are what columns of labels are called.
var labelNames = []string{"label", "labels", "class", "classes", "target", "y", "outcome", "category"}

const (
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

// Classes returns the labels in increasing order, nil if they are none or do not look like
// classes: more than two that are not all whole, or too many for the rows.
func (t *Table) Classes() []Class { return t.few(mostClasses) }

func (t *Table) few(most int) (out []Class) {
	cs := t.classes(most)
	if len(cs) > most || len(cs) > 2 && len(cs)*rowsOfClass > t.N {
		return nil
	}
	for _, c := range cs {
		if len(cs) > 2 && c.label != math.Trunc(c.label) {
			return nil
		}
		text, _ := classWord(c.label, t.texts)
		out = append(out, Class{c.label, c.rows, text})
	}
	return out
}

// Positive returns the label that a classifier may take for positive against the rest: nil
// for labels +1 and -1. It is the larger of two, otherwise as errors about labels suggest it.
// An error says why the labels are none of classes, and what to do.
func (t *Table) Positive() (*float64, error) {
	err := t.BinaryLabels()
	switch {
	case err == nil:
		return nil, nil
	case t.Labels == nil || len(t.classes(2)) == 1:
		return nil, err
	case t.Classes() == nil:
		sorted := slices.Sorted(slices.Values(t.Labels))
		return nil, fmt.Errorf("the labels look like the values of a regression, from %s to %s: a classifier needs classes. "+
			"Write a column that is 1 above a threshold, such as the median, %s, and -1 elsewhere, or name another column",
			labelText(sorted[0]), labelText(sorted[t.N-1]), labelText(sorted[t.N/2]))
	}
	return new(t.suggest(t.classes(mostClasses))), nil
}

// labelColumn returns the column of the labels of a table, -1 if there is none. columns says
// which column of the file each of the table is.
func (l *Look) labelColumn(t *Table, columns []int, opt LookOptions) (int, error) {
	p := csvParser{name: l.Ref.Path, header: l.Header, label: -1}
	if opt.Unlabelled {
		return -1, nil
	}
	var able []int
	for c := range t.D {
		if t.looksLikeLabels(c) {
			able = append(able, c)
		}
	}
	switch {
	case len(able) == 0:
		return -1, fmt.Errorf("%s: no column looks like labels: none is called %s, "+
			"or has only 2 to %d different whole numbers; name it with --label",
			l.Ref.Path, strings.Join(labelNames, ", "), fewClasses)
	case able[len(able)-1] == t.D-1:
		l.LabelWhy = "it is the last column, and has few different values, all whole"
		return columns[t.D-1], nil
	case able[0] == 0:
		l.LabelWhy = "it is the first column, and has few different values, all whole"
		return columns[0], nil
	case len(able) == 1:
		l.LabelWhy = "it is the only column of few different values, all whole"
		return columns[able[0]], nil
	}
	var names []string
	for _, c := range able {
		names = append(names, p.column(columns[c]))
	}
	return -1, fmt.Errorf("%s: several columns may be the labels: %s; name one with --label",
		l.Ref.Path, strings.Join(names[:min(len(names), maxListed)], ", "))
}

// looksLikeLabels reports whether a column of a dense table has a few different values, all
// whole.
func (t *Table) looksLikeLabels(c int) bool {
	column := &Table{N: t.N, Labels: make([]float64, t.N)}
	buf := make([]float64, t.D)
	for i := range column.Labels {
		column.Labels[i] = t.Row(i, buf)[c]
		if y := column.Labels[i]; y != math.Trunc(y) {
			return false
		}
	}
	return len(column.few(fewClasses)) > 1
}

// refer returns what csvOptions.Label calls a column: its name, or its number if it has no
// name or the name has another meaning.
func (l *Look) refer(c int) string {
	number := strconv.Itoa(c + 1)
	switch {
	case l.Header == nil:
		return number
	case l.Header[c] != "" && l.Header[c] != "none":
		return l.Header[c]
	case slices.Contains(l.Header, number): // names go before numbers
		return strconv.Itoa(c - len(l.Header))
	}
	return number
}
