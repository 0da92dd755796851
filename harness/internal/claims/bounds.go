package claims

import (
	"slices"
	"strings"

	"stochopt/results/record"
)

// form says in which sense a bound holds.
type form int

const (
	// everyRun: it holds for every run, so that one that breaks it refutes it.
	everyRun form = iota
	// onAverage: it holds for the expectation, of which the mean over repeats is the
	// estimate.
	onAverage
	// inProbability: the value is 1 in a run in which something happens, else 0, and
	// the bound is on the probability that it does.
	inProbability
)

// bound is a bound of a theorem.
type bound struct {
	// name is what claims call it, doc the bound in a line, with its source.
	name, doc string
	// task is the one that it is about; about lists its algorithms, all if it is empty.
	task  string
	about []string
	form  form
	// judged is what is shown, in words: the quantity over its bound, or how often it
	// is beyond.
	judged string
	// values returns, for a run that finished, the bounded quantity along the curve and
	// the bound on it there, columns of equal length, with the indices into the
	// columns of the curve that they belong to, so that the range of a claim restricts
	// them. The bound holds where value <= limit. Points at which there is none are
	// left out. err says in a few words what a run lacks that the bound cannot be
	// evaluated for, such as "no fact u_norm".
	values func(r *record.Run) (at []int, value, limit []float64, err error)
}

// bounds lists what claims may name.
func bounds() []bound { return slices.Concat(boundsPCA, boundsSVM, boundsSparse) }

// Bounds lists the names of the bounds that claims may name, sorted.
func Bounds() []string {
	var names []string
	for _, b := range bounds() {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return names
}

// BoundDoc returns the bound of that name in a line, with its source, or "".
func BoundDoc(name string) string {
	b, _ := boundOf(name)
	return b.doc
}

// BoundFits reports whether a bound is about runs of an algorithm in a task. If not, of
// says what it is about.
func BoundFits(name, task, algorithm string) (of string, ok bool) {
	b, known := boundOf(name)
	switch {
	case !known:
		return "", true
	case b.task != task:
		return "the task " + b.task, false
	case len(b.about) > 0 && !slices.Contains(b.about, algorithm):
		return strings.Join(b.about, ", "), false
	}
	return "", true
}

func boundOf(name string) (b bound, ok bool) {
	for _, b := range bounds() {
		if b.name == name {
			return b, true
		}
	}
	return bound{}, false
}
