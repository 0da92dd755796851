package objective

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"stochopt/internal/record"
)

// ReferenceLine is a line of a file of certified optima, as it is there.
type ReferenceLine struct {
	// Number counts from 1.
	Number int
	// Of the optima one is set.
	PCA *Reference
	SVM *SVMReference
	// ID names the problem, Of does so for people.
	ID, Of string
}

// Solved returns what the optimum of the line is of.
func (l ReferenceLine) Solved() *Solved {
	if l.PCA != nil {
		return &l.PCA.Solved
	}
	return &l.SVM.Solved
}

// ReadReferenceLines reads the sound lines of a file of certified optima, without writing
// anything, and tells of the others, a last one that is cut short included; a file that is
// not there has none.
func ReadReferenceLines(path string) (lines []ReferenceLine, sound record.Lines, err error) {
	read, sound, err := record.ReadWritten(path, false, parse)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, sound, nil
	}
	for _, w := range read {
		l := ReferenceLine{Number: w.Line, ID: w.Value.id(), Of: w.Value.of()}
		switch ref := w.Value.(type) {
		case *Reference:
			l.PCA = ref
		case *SVMReference:
			l.SVM = ref
		}
		lines = append(lines, l)
	}
	return lines, sound, err
}

// Soundness reports damaged lines of a file of certified optima, except for a last one that
// an interrupted write left. It writes nothing.
func Soundness(path string) (record.Lines, error) {
	_, lines, err := readReferences(path)
	return lines, err
}

// Difference says how an optimum differs from that of the same problem solved again, "" if
// it does not. One of them may have more eigenvalues than the other.
func (l ReferenceLine) Difference(again ReferenceLine) string {
	was, is := l, again
	if l.PCA != nil && again.PCA != nil {
		n := min(len(l.PCA.Eigenvalues), len(again.PCA.Eigenvalues))
		was.PCA, is.PCA = l.PCA.leading(n), again.PCA.leading(n)
	}
	a, b := was.members(), is.members()
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] != b[name] {
			return fmt.Sprintf("%s is %s; the record has %s", name, shown(b[name]), shown(a[name]))
		}
	}
	return ""
}

// shown is as much of a value as is shown.
func shown(text string) string {
	const most = 60
	switch {
	case text == "":
		return "not there"
	case len(text) > most:
		return text[:most] + "…"
	}
	return text
}

func (r *Reference) leading(n int) *Reference {
	out := *r
	out.Eigenvalues = r.Eigenvalues[:n]
	return &out
}

// members returns the values of an optimum by their names in the file.
func (l ReferenceLine) members() map[string]string {
	if l.SVM != nil {
		return record.Members(l.SVM)
	}
	return record.Members(l.PCA)
}
