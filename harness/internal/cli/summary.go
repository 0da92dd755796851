package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/shell"
	"stochopt/internal/words"
	"stochopt/plots"
	"stochopt/plots/table"
)

// printSummary prints the outcome of an experiment: its runs, its main table, its verdicts and its files.
// It returns an error if a figure could not be drawn.
func (a *app) printSummary(d *experiment.Derivation, p *experiment.Products, sum run.Summary, started time.Time) error {
	took := time.Since(started).Round(100 * time.Millisecond)
	fmt.Fprintf(a.out, "%s: %s in %s -> %s\n\n", d.Spec.Name, describeRuns(sum), took, d.Folder.Dir)
	if g := mainTable(d, p); g != nil {
		_ = table.Text(a.out, g) // a.out keeps the error
		fmt.Fprintln(a.out)
	}
	fmt.Fprintln(a.out, strings.Join(summaryLines(d, p), "\n"))
	return failed(errors.Join(p.Failed...))
}

// mainTable returns the first table of results of a spec, or a default one if the spec declares none. It
// returns nil if the table is too long for a summary.
func mainTable(d *experiment.Derivation, p *experiment.Products) *plots.Grid {
	const maxRows = 20
	var g *plots.Grid
	if i := slices.IndexFunc(d.Spec.Tables, func(t plots.Table) bool { return t.Kind != plots.KindDatasets }); i >= 0 {
		g = p.Tables[i]
	} else if !d.Choice.BySize() {
		g = plots.Outcomes(d.Plots(), d.Choice.Tune)
	}
	if g == nil || len(g.Rows) > maxRows {
		return nil
	}
	return g
}

// summaryLines returns the lines of a summary below the table.
func summaryLines(d *experiment.Derivation, p *experiment.Products) (lines []string) {
	dir := d.Folder.Dir
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	counted, readings := claims.WithoutReadings(p.Verdicts), claims.OnlyReadings(p.Verdicts)
	if len(counted) > 0 {
		add("%s; details: stochopt claims %s", describeCounts(counted), shell.Word(dir))
	}
	if len(readings) > 0 {
		add("readings of claims: %s; details: stochopt claims %s", describeOutcomes(readings), shell.Word(dir))
	}
	for _, v := range counted {
		if v.Outcome == claims.NotReproduced {
			add("not reproduced: %s: %s", v.ID, strings.Join(strings.Fields(v.Says), " "))
		}
	}
	if standIns := d.Folder.Manifest.StandIns(); len(standIns) > 0 {
		add("STAND-IN DATA for %s", strings.Join(standIns, ", "))
	}
	if counts := unfinished(experiment.Summarise(d.Records).Counts); counts != nil {
		add("runs without a result: %s; details: stochopt status %s", strings.Join(counts, ", "), shell.Word(dir))
	}
	if n := len(p.Warnings); n > 0 {
		add("%s on the selection and figures: stochopt table %s", words.Count(n, "warning"), shell.Word(dir))
	}
	if n := len(d.Spec.Figures); n > 0 {
		add("figures: %d in %s", n, filepath.Join(dir, "figures"))
	}
	if n := len(p.Tables); n > 0 {
		add("tables: %d in %s", n, filepath.Join(dir, "tables"))
	}
	add("page: stochopt report %s -o %s", shell.Word(dir), shell.Word(dir+".html"))
	return lines
}

// describeRuns returns a text such as "10 runs, 4 reused, 2 failed, 1 diverged". It omits zeros.
func describeRuns(s run.Summary) string {
	parts := []string{words.Count(s.Planned, "run")}
	if s.Reused > 0 {
		parts = append(parts, fmt.Sprintf("%d reused", s.Reused))
	}
	return strings.Join(append(parts, unfinished(s.Counts)...), ", ")
}

// unfinished counts the runs without a result by status, such as "2 failed". It omits zeros.
func unfinished(c record.Counts) (counts []string) {
	for _, status := range []struct {
		runs int
		name string
	}{
		{c.Failed, "failed"}, {c.Diverged, "diverged"}, {c.Skipped, "skipped"},
		{c.OutOfTime, "out of time"}, {c.OutOfMemory, "out of memory"},
	} {
		if status.runs > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", status.runs, status.name))
		}
	}
	return counts
}
