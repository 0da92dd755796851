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

// A summary lists at most mostRefuted claims and shows no table of more than mostRows rows.
const mostRefuted, mostRows = 10, 20

// summary is what run and collect print when they end.
type summary struct {
	started time.Time
	// several: there are several specs.
	several bool
	// failed counts the runs that failed.
	failed int
	ended  []ended
}

// ended is the outcome of a spec.
type ended struct {
	name, dir string
	sum       run.Summary
	standIns  []string
	verdicts  []claims.Verdict
	// unfinished are the runs on record that did not finish.
	unfinished []experiment.Problem
	warnings   int
	// files are lines that name the figures and tables.
	files []string
	// table is the table of results, nil if it is not printed.
	table *plots.Grid
	// undrawn says why figures failed.
	undrawn []error
}

// add reports that the runs of a spec have ended and keeps what the summary needs.
func (s *summary) add(a *app, d *experiment.Derivation, p *experiment.Products, sum run.Summary, took time.Duration) {
	e := ended{
		name: d.Spec.Name, dir: d.Folder.Dir, sum: sum, standIns: d.Folder.Manifest.StandIns(),
		verdicts: p.Verdicts, unfinished: experiment.Summarise(d.Records).Problems, warnings: len(p.Warnings),
		undrawn: p.Failed,
	}
	if n := len(d.Spec.Figures); n > 0 {
		e.files = append(e.files, fmt.Sprintf("figures: %d in %s", n, filepath.Join(e.dir, "figures")))
	}
	if n := len(p.Tables); n > 0 {
		e.files = append(e.files, fmt.Sprintf("tables: %d in %s", n, filepath.Join(e.dir, "tables")))
	}
	if !s.several {
		e.table = mainTable(d, p)
	}
	fmt.Fprintf(a.out, "%s: %s in %s -> %s\n", e.name, describe(sum), took.Round(100*time.Millisecond), e.dir)
	s.ended = append(s.ended, e)
}

// mainTable is the table of results of a spec: its first one, or one of outcomes where the spec
// asks for none; nil if it has more than mostRows rows.
func mainTable(d *experiment.Derivation, p *experiment.Products) *plots.Grid {
	var g *plots.Grid
	if i := slices.IndexFunc(d.Spec.Tables, func(t plots.Table) bool { return t.Kind != plots.KindDatasets }); i >= 0 {
		g = p.Tables[i]
	} else if !d.Choice.BySize() {
		g = plots.Outcomes(d.Plots(), d.Choice.Tune)
	}
	if g == nil || len(g.Rows) > mostRows {
		return nil
	}
	return g
}

// print prints the summary. out is the folder of the results folders.
func (s *summary) print(a *app, out string) error {
	if len(s.ended) == 0 {
		return nil // a shard
	}
	fmt.Fprintln(a.out)
	if g := s.ended[0].table; g != nil {
		if err := table.Text(a.out, g); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	page := filepath.Join(out, "report.html")
	if !s.several {
		out = s.ended[0].dir
		page = out + ".html"
	}
	out = shell.Word(out)
	lines := append(s.lines(out), fmt.Sprintf("page: stochopt report %s -o %s", out, shell.Word(page)))
	fmt.Fprintln(a.out, strings.Join(lines, "\n"))
	var undrawn []error
	for i := range s.ended {
		undrawn = append(undrawn, s.ended[i].undrawn...)
	}
	return failed(errors.Join(undrawn...))
}

// lines are the lines of the summary below the table; out is the folder that commands look at.
func (s *summary) lines(out string) (lines []string) {
	var verdicts []claims.Verdict
	var refuted, standIns, files []string
	var sum run.Summary
	unfinished := make(map[string]int)
	warnings := 0
	for i := range s.ended {
		e := &s.ended[i]
		verdicts = append(verdicts, e.verdicts...)
		files = append(files, e.files...)
		warnings += e.warnings
		sum.Planned += e.sum.Planned
		sum.Reused += e.sum.Reused
		sum.Counts = sum.Plus(e.sum.Counts)
		for _, id := range e.standIns {
			standIns = append(standIns, id+" ("+e.name+")")
		}
		for _, p := range e.unfinished {
			unfinished[p.Status]++
		}
	}
	if own := claims.WithoutReadings(verdicts); len(own) > 0 {
		lines = append(lines, countOutcomes(own)+"; why: stochopt claims "+out)
	}
	if readings := claims.OnlyReadings(verdicts); len(readings) > 0 {
		lines = append(lines, fmt.Sprintf("readings of claims: %s; why: stochopt claims %s", tallies(readings), out))
	}
	for _, v := range claims.WithoutReadings(verdicts) {
		if v.Outcome == claims.NotReproduced {
			refuted = append(refuted, fmt.Sprintf("not reproduced: %s: %s", v.ID, strings.Join(strings.Fields(v.Says), " ")))
		}
	}
	if more := len(refuted) - mostRefuted; more > 0 {
		refuted = append(refuted[:mostRefuted], fmt.Sprintf("and %d more: stochopt claims %s", more, out))
	}
	lines = append(lines, refuted...)
	if s.several {
		files = nil
		lines = append(lines, fmt.Sprintf("%s: %s in %s", words.Count(len(s.ended), "experiment"), describe(sum),
			time.Since(s.started).Round(100*time.Millisecond)))
	}
	if len(standIns) > 0 {
		lines = append(lines, "STAND-IN DATA for "+words.List(standIns, 5))
	}
	var parts []string
	for _, status := range record.Unfinished() {
		if n := unfinished[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(status, "-", " ")))
		}
	}
	if parts != nil {
		lines = append(lines, fmt.Sprintf("runs without a result: %s; why: stochopt status %s", strings.Join(parts, ", "), out))
	}
	if warnings > 0 {
		lines = append(lines, fmt.Sprintf("%s on choices and figures: stochopt table %s", words.Count(warnings, "warning"), out))
	}
	return append(lines, files...)
}

// describe says in words what an execution did.
func describe(s run.Summary) string {
	text := words.Count(s.Planned, "run")
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Reused, "of them from the record"}, {s.Diverged, "diverged"}, {s.OutOfTime, "out of time"},
		{s.OutOfMemory, "out of memory"}, {s.Skipped, "skipped"}, {s.Failed, "FAILED"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}
