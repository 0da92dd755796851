package observe

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// Declared says that a cost of some series is what the programs that perform them say, and
// that nobody has counted it.
type Declared struct {
	Cost   string
	Series []string
}

// DeclaredIn returns the series of runs whose records say so of a cost, in the order of the
// runs; ok is false if there are none.
func DeclaredIn(runs iter.Seq[*record.Run], cost string) (d Declared, ok bool) {
	d.Cost = cost
	for r := range runs {
		if r.External != nil && slices.Contains(r.External.Declared, cost) && !slices.Contains(d.Series, r.Series) {
			d.Series = append(d.Series, r.Series)
		}
	}
	return d, len(d.Series) > 0
}

// EachRun yields the runs of lists.
func EachRun(lists ...[]record.Run) iter.Seq[*record.Run] {
	return func(yield func(*record.Run) bool) {
		for _, list := range lists {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// String says it as figures, tables, verdicts and comparisons do.
func (d Declared) String() string {
	return fmt.Sprintf("%s: declared by the program of %s, not counted", strings.ToLower(Label(d.Cost)), strings.Join(d.Series, ", "))
}
