package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/page"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/shell"
	"stochopt/internal/words"
	"stochopt/plots"
	"stochopt/plots/table"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// A summary lists at most mostFailures failures and shows no table of more than mostRows rows.
const mostFailures, mostRows = 10, 20

// summaryOptions says what run prints when it ends.
type summaryOptions struct {
	verbose bool
	// page is the file of the page to be made in the end, empty for none.
	page string

	started time.Time
	// several: there are several specs.
	several bool
	ended   []ended
}

func (o *summaryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "print every table, warning and verdict as well")
	cmd.Flags().StringVar(&o.page, "report", "", "HTML file to make at the end of the specs' results folders, as the verb report does")
}

// start notes the time and the number of specs before the first run.
func (o *summaryOptions) start(specs int) { o.started, o.several = time.Now(), specs > 1 }

// checkPage reports why the page cannot be written, before any run is made. The folder of the
// results folders may be made for it.
func (o *summaryOptions) checkPage(a *app, out string) error {
	if o.page == "" {
		return nil
	}
	o.page = a.path(o.page)
	if filepath.Dir(o.page) == filepath.Clean(out) {
		if err := os.MkdirAll(out, 0o755); err != nil {
			return usage(err)
		}
	}
	return checkOutputOf("--report", o.page)
}

// ended is what became of a spec.
type ended struct {
	name, dir, profile string
	sum                run.Summary
	standIns           []string
	verdicts           []claims.Verdict
	// unfinished are the runs on record that did not finish.
	unfinished []experiment.Problem
	warnings   []experiment.Warning
	criteria   []string
	figures    []string
	tables     []string
	// table is the table of results, nil if it is not printed.
	table *plots.Grid
}

// end reports that the runs of a spec have ended and keeps what the summary needs.
func (o *summaryOptions) end(
	a *app, d *experiment.Derivation, p *experiment.Products, sum run.Summary, took time.Duration,
) {
	e := ended{
		name: d.Spec.Name, dir: d.Folder.Dir, profile: d.Folder.Manifest.Profile, sum: sum, standIns: d.Folder.Manifest.StandIns(),
		verdicts: p.Verdicts, unfinished: experiment.Summarise(d.Records).Problems, warnings: p.Warnings,
		criteria: d.Plots().Criteria(d.Spec.Figures, d.Spec.Tables),
	}
	for _, f := range d.Spec.Figures {
		e.figures = append(e.figures, filepath.Join(e.dir, "figures", f.ID+".png"))
	}
	for _, t := range p.Tables {
		e.tables = append(e.tables, filepath.Join(e.dir, "tables", t.ID+".txt"))
	}
	if !o.several && !o.verbose {
		e.table = mainTable(d, p)
	}
	fmt.Fprintf(a.out, "%s: %s in %s -> %s\n", e.name, describe(sum), took.Round(100*time.Millisecond), e.dir)
	if parts := e.brief(); o.several && parts != "" {
		fmt.Fprintln(a.out, "  "+parts)
	}
	o.ended = append(o.ended, e)
}

// brief is the outcome of one spec of several, in a line.
func (e *ended) brief() string {
	var parts []string
	if own := claims.OfClaims(e.verdicts); len(own) > 0 {
		parts = append(parts, countOutcomes(own))
	}
	if n := len(e.warnings); n > 0 {
		parts = append(parts, words.Count(n, "warning"))
	}
	return strings.Join(parts, "; ")
}

// summarise prints the summary; its last line names the page, or how to make it.
func (o *summaryOptions) summarise(a *app, out string) error {
	if len(o.ended) == 0 {
		return nil // a shard
	}
	verdicts := o.verdicts()
	if o.verbose && len(verdicts) > 0 {
		fmt.Fprintln(a.out)
		if err := printVerdicts(a.out, verdicts, verdicts, true); err != nil {
			return err
		}
	}
	fmt.Fprintln(a.out)
	if g := o.ended[0].table; g != nil && !o.several {
		if err := table.Text(a.out, g); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
	}
	last, err := o.makePage(a, out)
	if !o.several {
		out = o.ended[0].dir
	}
	fmt.Fprintln(a.out, strings.Join(append(o.lines(out), last), "\n"))
	return err
}

// lines are the lines of the summary below the table; out is the folder that commands look at.
func (o *summaryOptions) lines(out string) []string {
	var lines []string
	if own := claims.OfClaims(o.verdicts()); len(own) > 0 {
		lines = append(lines, countOutcomes(own)+"; why: stochopt claims "+shell.Word(out))
	}
	if readings := claims.OfReadings(o.verdicts()); len(readings) > 0 {
		lines = append(lines, fmt.Sprintf("readings of claims: %s; why: stochopt claims %s", tallies(readings), shell.Word(out)))
	}
	lines = append(lines, o.failures(out)...)
	if o.several {
		return slices.Concat(lines, []string{o.total()}, o.caveats(out))
	}
	e := &o.ended[0]
	lines = append(lines, o.caveats(out)...)
	lines = append(lines, toOpen("figures", e.figures)...)
	lines = append(lines, toOpen("tables", e.tables)...)
	return lines
}

// total counts the experiments and the runs of all specs.
func (o *summaryOptions) total() string {
	var sum run.Summary
	for i := range o.ended {
		s := &o.ended[i].sum
		sum.Planned += s.Planned
		sum.Reused += s.Reused
		sum.Counts = sum.Plus(s.Counts)
	}
	text := words.Count(len(o.ended), "experiment")
	if profile := o.ended[0].profile; profile != "" {
		text += ", profile " + profile
	}
	return fmt.Sprintf("%s: %s in %s", text, describe(sum), time.Since(o.started).Round(100*time.Millisecond))
}

func (o *summaryOptions) verdicts() (all []claims.Verdict) {
	for i := range o.ended {
		all = append(all, o.ended[i].verdicts...)
	}
	return all
}

// makePage makes the page if --report is given. It returns the line that names the page, or the
// command that makes it.
func (o *summaryOptions) makePage(a *app, out string) (string, error) {
	if o.page == "" {
		dir, file := out, filepath.Join(out, "report.html")
		if !o.several {
			dir, file = o.ended[0].dir, o.ended[0].dir+".html"
		}
		return fmt.Sprintf("page: stochopt report %s -o %s", shell.Word(dir), shell.Word(file)), nil
	}
	var dirs []string
	for i := range o.ended {
		dirs = append(dirs, o.ended[i].dir)
	}
	_, html, err := makePage(a, dirs, page.Options{Out: o.page})
	if err == nil {
		err = writeOutput(o.page, html)
	}
	if err != nil {
		return "page: none, see the error", err
	}
	return fmt.Sprintf("page: %s (%s)", o.page, humanize.Bytes(uint64(len(html)))), nil
}

// toOpen names the first of several files.
func toOpen(what string, paths []string) []string {
	switch len(paths) {
	case 0:
		return nil
	case 1:
		return []string{what + ": " + paths[0]}
	}
	return []string{fmt.Sprintf("%s: %s and %d more", what, paths[0], len(paths)-1)}
}

// caveats are lines on stand-in data, runs that did not finish, and warnings by subject. out is the
// folder that the verb status looks at.
func (o *summaryOptions) caveats(out string) (lines []string) {
	var standIns []string
	var warnings []experiment.Warning
	unfinished := make(map[string]int)
	for i := range o.ended {
		e := &o.ended[i]
		for _, id := range e.standIns {
			if o.several {
				id += " (" + e.name + ")"
			}
			standIns = append(standIns, id)
		}
		for _, text := range e.criteria {
			lines = append(lines, e.name+": "+text)
		}
		for _, p := range e.unfinished {
			unfinished[p.Status]++
		}
		warnings = append(warnings, e.warnings...)
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
		lines = append(lines, fmt.Sprintf("runs without a result: %s; why: stochopt status %s", strings.Join(parts, ", "), shell.Word(out)))
	}
	parts = nil
	for _, about := range []string{experiment.OfChoices, experiment.OfFigures} {
		of := func(w experiment.Warning) bool { return w.About == about }
		if n := count(warnings, of); n > 0 {
			parts = append(parts, fmt.Sprintf("%d on %s", n, about))
		}
	}
	if parts != nil && !o.verbose {
		lines = append(lines, "warnings: "+strings.Join(parts, ", ")+"; in full: the page, or run -v")
	}
	return lines
}

func count[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
			n++
		}
	}
	return n
}

// failures lists the runs that failed and the claims that are not reproduced, at most mostFailures.
// out is the folder that the verbs status and claims look at.
func (o *summaryOptions) failures(out string) []string {
	var lines []string
	for i := range o.ended {
		lines = append(lines, o.ended[i].failed()...)
	}
	failed := len(lines)
	for _, v := range claims.OfClaims(o.verdicts()) {
		if v.Outcome == claims.NotReproduced {
			lines = append(lines, fmt.Sprintf("not reproduced: %s: %s", v.ID, v.Says))
		}
	}
	for i, text := range lines {
		lines[i] = strings.Join(strings.Fields(text), " ")
	}
	if more := len(lines) - mostFailures; more > 0 {
		see := fmt.Sprintf("stochopt claims %s --outcome \"not reproduced\"", shell.Word(out))
		if failed > mostFailures {
			see = "stochopt status " + shell.Word(out)
		}
		lines = append(lines[:mostFailures], fmt.Sprintf("and %d more: %s", more, see))
	}
	return lines
}

// failed has a line for the runs of a series on a data set that failed for the same reason.
func (e *ended) failed() (lines []string) {
	type cause struct{ dataset, series, reason string }
	var causes []cause
	times := make(map[cause]int)
	for _, p := range e.unfinished {
		if p.Status != record.StatusFailed {
			continue
		}
		c := cause{p.Dataset, p.Series, p.Reason}
		if times[c] == 0 {
			causes = append(causes, c)
		}
		times[c]++
	}
	for _, c := range causes {
		lines = append(lines, fmt.Sprintf("failed: %s: %s of %s on %s: %s", e.name, words.Count(times[c], "run"), c.series, c.dataset, c.reason))
	}
	return lines
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
