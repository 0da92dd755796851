package record

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// The views contain the values of the records. A counter that a run lacks is NULL.
func TestViews(t *testing.T) {
	dir := t.TempDir()
	runs := []Run{testRun(0), sparseRun(1), failedRun(2, "no memory")}
	runs[1].Series = "sparse"
	runs[1].Curve.Cost[CostKernelEvals] = []int64{10, 20, 30}
	s := open(t, dir, Options{})
	add(t, s, runs...)
	must(t, s.SetPlan(append(idsOf(runs), testRun(3).ID())))
	closeStore(t, s)

	var points, final []string
	for i := range runs {
		c := runs[i].Curve
		for split, columns := range c.Metrics {
			for metric, values := range columns {
				line := func(k int) string {
					text := fmt.Sprint(i+1, "|", split, "|", metric, "|", values[k])
					for _, counter := range []string{CostIterations, CostKernelEvals, CostSumKT2} {
						if column, ok := c.Cost[counter]; ok {
							text += fmt.Sprint("|", column[k])
						} else {
							text += "|-"
						}
					}
					return text
				}
				for k := range values {
					points = append(points, fmt.Sprint(k, "|", line(k)))
				}
				final = append(final, line(len(values)-1))
			}
		}
	}
	d, err := openDatabase(filepath.Join(dir, DatabaseFile), false)
	must(t, err)
	defer d.Close()
	const values = "run, split, metric, printf('%g', value), coalesce(iterations, '-'), coalesce(kernel_evals, '-'), coalesce(sum_kt2, '-')"
	for _, view := range []struct {
		name, columns string
		want          []string
	}{
		{"points", "point, " + values, points},
		{"final", values, final},
		{"progress", "dataset, series, planned, recorded, finished, failed, step_seconds, eval_seconds",
			[]string{"gaussian|msg|3|2|1|1|0.25|0.2", "gaussian|sparse|1|1|1|0|0.125|0.1"}},
		{"planned", "position, run, series, status, reason",
			[]string{"0|1|msg|finished|budget", "1|2|sparse|finished|" + runs[1].Reason, "2|3|msg|failed|no memory"}},
	} {
		var got []string
		err := each(d, "SELECT concat_ws('|', "+view.columns+") FROM "+view.name, func(scan func(...any) error) error {
			var row string
			err := scan(&row)
			got = append(got, row)
			return err
		})
		slices.Sort(got)
		slices.Sort(view.want)
		if err != nil || !slices.Equal(got, view.want) {
			t.Errorf("%s: %v\n%q\nwant\n%q", view.name, err, got, view.want)
		}
	}
}

// Tables, views and indexes of other programs in the database are kept.
func TestForeignTables(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, Options{}, testRun(0))
	spoil(t, dir, "UPDATE run SET id = id; CREATE INDEX by_key ON run (key); CREATE VIEW mine AS SELECT 1; CREATE TABLE notes (text); ANALYZE")
	record(t, dir, Options{}, testRun(1))
	wantRuns(t, dir, testRun(0), testRun(1))
	if damage, err := readDir(t, dir).Check(); err != nil || len(damage) > 0 {
		t.Errorf("damage %q, %v", damage, err)
	}
}
