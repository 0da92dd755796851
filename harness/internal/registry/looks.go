package registry

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"stochopt/plots"
)

// Looks returns what figures and tables know of the algorithms, a task after another.
// The methods for sparse SVMs share figures with those of the task svm, which come after
// them, and have looks of their own; other tasks never share a figure, and may share looks.
//
// The colours of the tables are those of Okabe and Ito, which remain distinct under the
// common forms of colour blindness; their yellow, too faint on white, is darkened. Where
// a task has more algorithms than these, dark colours of Paul Tol's join them. Within a
// task no two share a colour or dashes other than a solid line, so that they are told
// apart in grey too.
var Looks = sync.OnceValue(func() plots.Catalog {
	var all plots.Catalog
	for _, name := range []string{TaskPCA, TaskSparse, TaskSVM, TaskLoss} {
		all = append(all, looksOf(lookupTask(name))...)
	}
	return all
})

// looksOf returns those of a task, in the order of legends.
func looksOf(t task) plots.Catalog {
	rows := slices.DeleteFunc(slices.Clone(t.algorithms), func(a Algorithm) bool { return a.look.Name == "" })
	last := func(a Algorithm) int { return cmp.Or(a.place, math.MaxInt) }
	slices.SortStableFunc(rows, func(a, b Algorithm) int { return cmp.Compare(last(a), last(b)) })
	var looks plots.Catalog
	for _, a := range rows {
		a.look.ID, a.look.Crowded = a.ID, t.sparse
		looks = append(looks, a.look)
	}
	return append(looks, t.series...)
}
