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
	reports "stochopt/harness/internal/report"
	"stochopt/harness/internal/report/page"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/shell"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// A summary fits on a screen of so many lines and columns. Paths and commands are never cut.
const screenLines, screenWidth = 24, 120

// mostModels is the number of models that a summary describes.
const mostModels = 4

// mostListed is the number of failures that a summary lists.
const mostListed = 10

// summaryOptions say what run prints of what came out.
type summaryOptions struct {
	verbose bool
	// claims says how verdicts are told of: one of claimsShown, or empty for the default.
	claims string
	// page is the file of the page to be made in the end, empty for none.
	page, title string

	started time.Time
	// several: there are several specs, each of which has a line or two.
	several bool
	ended   []ended
}

// claimsShown are the ways of telling of verdicts.
var claimsShown = []string{"table", "counts", "none"}

func (o *summaryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "print every table, warning and verdict as well")
	cmd.Flags().StringVar(&o.claims, "claims", "", "what to print of the verdicts on claims: table, counts or none (default: counts, with -v table)")
	cmd.Flags().StringVar(&o.page, "report", "", "HTML file to make in the end of the specs' results folders, as the verb report does")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the page that --report makes (default: "+reports.DefaultTitle+")")
	completeFlag(cmd, "claims", claimsShown...)
}

// check checks the flags and fills in what they leave open.
func (o *summaryOptions) check(specs int) error {
	o.started, o.several = time.Now(), specs > 1
	switch {
	case o.claims == "" && o.verbose:
		o.claims = "table"
	case o.claims == "":
		o.claims = "counts"
	case !slices.Contains(claimsShown, o.claims):
		return usagef("--claims %q: want table, counts or none%s", o.claims, spec.Hint(o.claims, claimsShown))
	}
	if o.title != "" && o.page == "" {
		return usagef("--title is that of a page; say where the page goes: --report report.html")
	}
	return nil
}

// checkPage reports why the page cannot be written, before any run is made. The folder of
// the results folders may be made for it.
func (o *summaryOptions) checkPage(out string) error {
	if o.page == "" {
		return nil
	}
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
	unfinished []record.Problem
	warnings   []experiment.Warning
	wider      string
	figures    []string
	tables     []string
	models     []string
	// came are lines on what came out, where there is one spec.
	came func(room int) []string
}

// end tells that the runs of a spec are over and keeps what the summary is to say.
func (o *summaryOptions) end(a *app, d *experiment.Derivation, p *experiment.Products, sum run.Summary, took time.Duration, models []string) {
	e := ended{
		name: d.Spec.Name, dir: d.Folder.Dir, profile: d.Folder.Manifest.Profile, sum: sum, standIns: d.Folder.Manifest.StandIns(),
		verdicts: p.Verdicts, unfinished: record.Summarise(d.Records).Problems, warnings: p.Warnings, wider: p.Wider, models: models,
	}
	for _, f := range d.Spec.Figures {
		e.figures = append(e.figures, filepath.Join(e.dir, "figures", f.ID+".png"))
	}
	for _, t := range p.Tables {
		e.tables = append(e.tables, filepath.Join(e.dir, "tables", t.ID+".txt"))
	}
	if !o.several && !o.verbose {
		e.came = func(room int) []string { return mainTable(d, p, room) }
	}
	fmt.Fprintf(a.out, "%s: %s in %s -> %s\n", e.name, describe(sum), took.Round(100*time.Millisecond), e.dir)
	if parts := e.brief(o.claims); o.several && parts != "" {
		fmt.Fprintln(a.out, "  "+parts)
	}
	o.ended = append(o.ended, e)
}

// brief says in a line what came out of a spec among others.
func (e *ended) brief(shown string) string {
	var parts []string
	if own := claims.OfClaims(e.verdicts); len(own) > 0 && shown != "none" {
		parts = append(parts, countOutcomes(own))
	}
	if n := len(e.models); n > 0 {
		parts = append(parts, words.Count(n, "model"))
	}
	if n := len(e.warnings); n > 0 {
		parts = append(parts, words.Count(n, "warning"))
	}
	return strings.Join(parts, "; ")
}

// summarise prints a screen on what came out, with the page as its last line if there is
// one.
func (o *summaryOptions) summarise(a *app, out string) error {
	if len(o.ended) == 0 {
		return nil // a shard
	}
	verdicts := o.verdicts()
	if o.claims == "table" && len(verdicts) > 0 {
		fmt.Fprintln(a.out)
		if err := (&verdictTables{format: "table", whole: o.verbose}).print(a.out, verdicts, verdicts); err != nil {
			return err
		}
	}
	last, err := o.makePage(a, out)
	lines := o.screen(last)
	if o.several {
		lines = o.screenOfAll(out, last)
	}
	fmt.Fprintln(a.out)
	fmt.Fprintln(a.out, strings.Join(lines, "\n"))
	return err
}

func (o *summaryOptions) verdicts() (all []claims.Verdict) {
	for i := range o.ended {
		all = append(all, o.ended[i].verdicts...)
	}
	return all
}

// makePage makes the page, if it is asked for, and returns the line that says where it is,
// or else how to make it.
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
	r := &reportOptions{out: o.page, title: o.title, render: page.Render, now: time.Now}
	_, html, err := r.page(a, dirs)
	if err == nil {
		err = writeOutput(o.page, html)
	}
	if err != nil {
		return "page: none, see the error", err
	}
	return fmt.Sprintf("page: %s (%s)", o.page, humanize.Bytes(uint64(len(html)))), nil
}

// screen is the summary of a single spec.
func (o *summaryOptions) screen(last string) []string {
	e := &o.ended[0]
	var head []string
	if own := claims.OfClaims(e.verdicts); len(own) > 0 && o.claims != "none" {
		head = append(head, why(countOutcomes(own), e.dir)...)
	}
	if n := len(claims.Investigations(e.verdicts)); n > 0 && o.claims != "none" {
		head = append(head, fmt.Sprintf("%s investigated: stochopt claims %s", words.Count(n, "claim"), shell.Word(e.dir)))
	}
	tail := o.minded(e.dir)
	if e.wider != "" && len(e.wider) <= 2*screenWidth {
		tail = append(tail, e.wider)
	}
	tail = append(tail, toOpen("figures", e.figures)...)
	tail = append(tail, toOpen("tables", e.tables)...)
	if n := len(e.models); n > 0 {
		if !o.verbose {
			head = append(head, e.models[:min(n, mostModels)]...)
		}
		tail = append(tail, fmt.Sprintf("models: %s in %s", words.Count(n, "file"), filepath.Join(e.dir, "models")))
	}
	tail = append(tail, last)
	// Two more lines have been said before, or are empty.
	room := screenLines - 2 - height(head) - height(tail)
	bad := o.failures(min(mostListed/2, room), e.dir)
	lines := slices.Concat(head, bad)
	if e.came != nil {
		lines = append(e.came(room-height(bad)), lines...)
	}
	return append(lines, tail...)
}

// why adds to counts of verdicts how to read what decided, if there is room.
func why(counts, where string) []string {
	if line := counts + "; why: stochopt claims " + shell.Word(where); len([]rune(line)) <= screenWidth {
		return []string{line}
	}
	return words.Wrap(counts, screenWidth, "  ")
}

// height is the number of lines of a screen that lines take.
func height(lines []string) (n int) {
	for _, l := range lines {
		n += max(1, (len([]rune(l))+screenWidth-1)/screenWidth)
	}
	return n
}

// toOpen says which file of several to open first.
func toOpen(what string, paths []string) []string {
	switch len(paths) {
	case 0:
		return nil
	case 1:
		return []string{what + ": " + paths[0]}
	}
	return []string{fmt.Sprintf("%s: %s and %d more", what, paths[0], len(paths)-1)}
}

// minded are the lines on what the results must not be read without: data that were made
// up, runs that did not finish, warnings by what they are about. where is what the verb
// status is to look at.
func (o *summaryOptions) minded(where string) (lines []string) {
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
		for _, p := range e.unfinished {
			unfinished[p.Status]++
		}
		warnings = append(warnings, e.warnings...)
	}
	if len(standIns) > 0 {
		lines = append(lines, words.Fit("STAND-IN DATA for "+words.List(standIns, 5), screenWidth))
	}
	var parts []string
	for _, status := range record.Unfinished() {
		if n := unfinished[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(status, "-", " ")))
		}
	}
	if parts != nil {
		lines = append(lines, fmt.Sprintf("runs without a result: %s; why: stochopt status %s", strings.Join(parts, ", "), shell.Word(where)))
	}
	parts = nil
	for _, about := range []string{experiment.OfChoices, experiment.OfTables, experiment.OfFigures} {
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

// failures lists the runs that failed and the claims that are not reproduced, in so many
// lines at most. where is what the verbs status and claims are to look at.
func (o *summaryOptions) failures(most int, where string) []string {
	var failed, refuted []string
	for i := range o.ended {
		failed = append(failed, o.ended[i].failed()...)
	}
	for _, v := range claims.OfClaims(o.verdicts()) {
		if v.Outcome == claims.NotReproduced && o.claims != "none" {
			refuted = append(refuted, fmt.Sprintf("not reproduced: %s: %s", v.ID, v.Says))
		}
	}
	all := slices.Concat(failed, refuted)
	listed := all
	if most = min(most, mostListed); len(all) > most {
		listed = all[:max(most-1, 0)]
	}
	var lines []string
	for _, text := range listed {
		lines = append(lines, words.Fit(strings.Join(strings.Fields(text), " "), screenWidth))
	}
	if more := len(all) - len(listed); more > 0 {
		see := fmt.Sprintf("stochopt claims %s --outcome \"not reproduced\"", shell.Word(where))
		if len(listed) < len(failed) {
			see = "stochopt status " + shell.Word(where)
		}
		lines = append(lines, fmt.Sprintf("and %d more: %s", more, see))
	}
	return lines
}

// failed are lines on the runs that failed, one for those of a series on a data set that
// failed for the same reason.
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
