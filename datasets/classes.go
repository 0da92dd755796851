package datasets

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// classWords codes labels that are texts.
type classWords struct {
	// used: the labels are texts. known are those that there may be, nil for any.
	used  bool
	known []string
	// met holds the texts in the order of first appearance.
	met []string
}

// add returns the code of a text that is known, else its place in what was met.
func (w *classWords) add(text string) (float64, error) {
	if w.known != nil {
		i := slices.Index(w.known, text)
		if i < 0 {
			return 0, fmt.Errorf("%s is not one of %s", quote([]byte(text)), strings.Join(w.known, ", "))
		}
		return classCode(i, len(w.known)), nil
	}
	i := slices.Index(w.met, text)
	if i < 0 {
		if unprintable(text) {
			return 0, fmt.Errorf("%s cannot be printed on one line, as a label must be", quote([]byte(text)))
		}
		if len(w.met) == mostClasses {
			return 0, fmt.Errorf("%s comes after %d other texts, too many for classes: name another column with label",
				quote([]byte(text)), mostClasses)
		}
		i = len(w.met)
		w.met = append(w.met, strings.Clone(text))
	}
	return float64(i), nil
}

// unprintable reports whether a text has characters that are no text, such as line ends.
func unprintable(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// code replaces the places of the texts in labels by their codes, and returns the texts in
// the order of these, nil if labels are numbers.
func (w *classWords) code(labels []float64) []string {
	if w.known != nil || !w.used || labels == nil {
		return w.known
	}
	sorted := slices.Sorted(slices.Values(w.met))
	for i, place := range labels {
		at, _ := slices.BinarySearch(sorted, w.met[int(place)])
		labels[i] = classCode(at, len(sorted))
	}
	return sorted
}

// classCode is the label that stands for the i-th of n texts in their order: -1 and +1 for two,
// else 1, 2, ….
func classCode(i, n int) float64 {
	if n == 2 {
		return float64(2*i - 1)
	}
	return float64(i + 1)
}

// classWord is the text that a label stands for.
func classWord(label float64, texts []string) (text string, ok bool) {
	for i, text := range texts {
		if classCode(i, len(texts)) == label {
			return text, true
		}
	}
	return "", false
}
