package run

import (
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// The columns of each task match the table of metrics.
func TestColumnsMatchMetricTable(t *testing.T) {
	t.Parallel()
	checkColumns(t, record.TaskPCA, pcaColumns)
	checkColumns(t, record.TaskSVM, svmColumns)
	checkColumns(t, record.TaskSparse, sparseColumns)
}

func checkColumns[P any](t *testing.T, task string, columns []column[P]) {
	t.Helper()
	var names []string
	for _, c := range columns {
		names = append(names, c.metric)
		if own := c.ofState != nil; own == (c.ofSplit != nil) {
			t.Errorf("%s, %s: ofState and ofSplit are both set or both nil", task, c.metric)
		}
	}
	want := observe.TaskMetrics(task)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("%s measures %v; the table has %v", task, names, want)
	}
}
