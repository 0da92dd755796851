package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/verify"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

type verifyOptions struct {
	data    dataOptions
	memory  memoryOptions
	all     bool
	runs    int
	seed    uint64
	workers int
	json    bool
	externalOptions
}

func newVerify(a *app) *cobra.Command {
	o := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check a results folder against its spec, plan and records, and re-run a sample",
		Long: `Verify compares the manifest with the resolved spec and the data; the plan with the
spec; the records, timings and certified optima with the plan and with one another; and
the files derived from the records (selection.csv, curves.csv, claims.json, tables,
figures) byte for byte with newly derived ones. It re-runs a sample of the records with the
optima that they need: a tenth, at least 30, with some of each series on each data set. It
changes nothing in the folder.

Times cannot be reproduced, so timings are only checked for contradictions: clocks that go
back or exceed their total, more CPU time than elapsed time, a number of points that is not
the record's, a date in the future. A time that was changed to another plausible one,
checksum included, goes undetected.

Runs of external algorithms are made again with --external allow only, whatever your
configuration says; else they are counted as not verified.

What differs, is missing, superfluous or damaged is listed, and the exit code is then 1.
That includes experiments that are running or were stopped: their missing runs are listed.`,
		Example: `  stochopt verify results/pca-simulated
  stochopt verify results/pca-simulated --all --json`,
		Args: exactlyOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				o.seed = rand.Uint64N(1_000_000)
			}
			asked := cmd.Flags().Changed("sample")
			return o.run(cmd.Context(), a, args[0], asked)
		},
	}
	o.data.flags(cmd)
	o.data.standInFlag(cmd)
	o.memory.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "re-run every record")
	cmd.Flags().IntVar(&o.runs, "sample", 0, "number of records to re-run (default: a tenth, at least 30)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed that draws the sample (default: a new one each time, which is printed)")
	cmd.Flags().IntVarP(&o.workers, "jobs", "j", runtime.NumCPU(), "runs side by side")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (o *verifyOptions) run(ctx context.Context, a *app, dir string, asked bool) error {
	if o.workers < 1 {
		return usagef("-j %d: want at least 1", o.workers)
	}
	if asked && o.runs < 1 {
		return usagef("--sample %d: want at least 1", o.runs)
	}
	if err := o.data.check(); err != nil {
		return err
	}
	if _, err := o.memory.bytes(); err != nil {
		return err
	}
	o.data.memory = o.memory
	if o.external != "" { // what the configuration allows run is no leave to verify
		if err := o.permit(nil); err != nil {
			return err
		}
	}
	progress := newProgress(a.err, "verify")
	progress.anew = true
	open := func(standIns []string) plan.Opener {
		o.data.recorded, o.data.asRecorded = standIns, true
		return o.data.opener(a)
	}
	report, err := verify.Folder(ctx, dir, verify.Options{
		Runs: o.runs, All: o.all, Seed: o.seed, Tool: experiment.ThisTool(), Open: open,
		Memory: func(p *plan.Plan) (bytes, data int64, err error) { return o.memory.bound([]*plan.Plan{p}) },
		Run:    run.Options{Workers: o.workers, External: o.leave, Progress: progress, Warn: progress.warn, Note: progress.note},
	})
	progress.finish()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var input *verify.InputError
	if errors.As(err, &input) {
		return usage(err)
	}
	if err != nil {
		return err
	}
	if o.json {
		err = printJSON(a.out, report)
	} else {
		err = a.printVerification(report)
	}
	if err == nil && !report.OK {
		err = failed(fmt.Errorf("%s: %s", dir, summed(report)))
	}
	return err
}

// Of findings of a check so many are shown, in lines of so many characters.
const (
	shownFindings = 10
	findingWidth  = 118
)

func (a *app) printVerification(r *verify.Report) error {
	columns := []column[verify.Check]{
		{"what", func(c verify.Check) any { return c.Name }},
		{"checked", func(c verify.Check) any { return c.Checked }},
		{"of", func(c verify.Check) any { return c.Of }},
		{"differ", func(c verify.Check) any { return c.Differ }},
		{"missing", func(c verify.Check) any { return c.Missing }},
		{"superfluous", func(c verify.Check) any { return c.Superfluous }},
		{"damaged", func(c verify.Check) any { return c.Damaged }},
	}
	if err := printColumns(a.out, r.Checks, columns); err != nil {
		return err
	}
	line := func(text string) {
		fmt.Fprintln(a.out, strings.Join(words.Wrap(text, findingWidth, "    "), "\n"))
	}
	shown := make(map[string]int)
	for _, f := range r.Findings {
		if shown[f.Check]++; shown[f.Check] <= shownFindings {
			line(strings.ToUpper(f.Kind) + ": " + findingText(f))
		}
	}
	for _, c := range r.Checks {
		if more := shown[c.Name] - shownFindings; more > 0 {
			line(fmt.Sprintf("%s: %d more findings; --json lists them all", c.Name, more))
		}
	}
	for _, f := range r.Remarks {
		line("note: " + f.Check + ": " + f.Text)
	}
	if s := r.Sample; s != nil && s.Runs < s.Of {
		line(fmt.Sprintf("note: the sample (seed %d) detects %s; --all re-runs every record", s.Seed, chances(s)))
	}
	if n := r.Count("records").Missing; n > 0 {
		line(fmt.Sprintf("note: %s not on record; run, with the spec and the profile of this folder, makes them", words.Count(n, "run")))
	}
	c := r.Rerun()
	fmt.Fprintf(a.out, "%s: %d of %s re-run, %d differ\n", r.Dir, c.Checked, words.Count(c.Of, "record"), c.Differ)
	fmt.Fprintf(a.out, "%s: %s\n", r.Dir, summed(r))
	return nil
}

// summed is the outcome in words.
func summed(r *verify.Report) string {
	if r.OK {
		return "no differences"
	}
	var sum verify.Check
	for _, c := range r.Checks {
		sum.Differ, sum.Missing = sum.Differ+c.Differ, sum.Missing+c.Missing
		sum.Superfluous, sum.Damaged = sum.Superfluous+c.Superfluous, sum.Damaged+c.Damaged
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{sum.Differ, "different"}, {sum.Missing, "missing"}, {sum.Superfluous, "superfluous"}, {sum.Damaged, "damaged"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(parts, ", ")
}

// findingText is a finding with its place.
func findingText(f verify.Finding) string {
	where := f.File
	if f.Line > 0 {
		where += fmt.Sprintf(":%d", f.Line)
	}
	parts := []string{where, f.Run}
	if f.Key != "" && f.Run != "" && !strings.Contains(f.Text, f.Key) {
		parts[1] += " (key " + f.Key + ")"
	}
	text := ""
	for _, part := range parts {
		if part != "" {
			text += part + ": "
		}
	}
	return text + f.Text
}

// chances gives the probabilities of detecting bad records.
func chances(s *verify.Sample) string {
	var parts []string
	for _, c := range s.Found {
		what := fmt.Sprintf("one of %d bad records", c.Bad)
		if c.Bad == 1 {
			what = fmt.Sprintf("one bad record of %d", s.Of)
		}
		parts = append(parts, fmt.Sprintf("%s with a probability of %.4g", what, c.Probability))
	}
	return strings.Join(parts, ", ")
}
