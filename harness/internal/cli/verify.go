package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/verify"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/spf13/cobra"
)

type verifyOptions struct {
	data    dataOptions
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
		Long: `Verify checks a results folder, and changes nothing in it. It compares

  - the database, lines of text, spec.yaml and manifest.json with their checksums
  - the data with their hashes, the plan with that of the spec, each record with the plan,
    and its suboptimality with its objective and the certified optimum
  - a sample of the records, and the optima that they need, with a second run, bit for bit
  - selection.csv, curves.csv, claims.json, tables and figures with newly derived ones

The default sample is a tenth of the records, at least 30, and at least one of each series on
each data set. Runs of external algorithms are repeated with --external allow only.

Verify cannot detect wrong times; wrong numbers with correct checksums outside the sample,
unless they contradict an optimum; a folder that was replaced as a whole; an error of this
program or machine that the second run repeats.

What differs, is missing or damaged is listed, and the exit code is then 1. That includes the
missing runs of experiments that are running or were stopped.`,
		Example: `  stochopt verify results/pca-simulated
  stochopt verify results/pca-simulated --all --json`,
		Args: exactlyOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				o.seed = rand.Uint64N(1_000_000)
			}
			if cmd.Flags().Changed("sample") && o.runs < 1 {
				return usagef("--sample %d: want at least 1", o.runs)
			}
			return o.run(cmd.Context(), a, a.path(args[0]))
		},
	}
	o.data.flags(cmd)
	o.data.standInFlag(cmd)
	o.data.memory.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "re-run every record")
	cmd.Flags().IntVar(&o.runs, "sample", 0, "number of records to re-run (default: a tenth, at least 30)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed that draws the sample (default: a new one each time, which is printed)")
	cmd.Flags().IntVarP(&o.workers, "jobs", "j", runtime.NumCPU(), "runs side by side")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func (o *verifyOptions) run(ctx context.Context, a *app, dir string) error {
	if o.workers < 1 {
		return usagef("-j %d: want at least 1", o.workers)
	}
	bytes := o.data.memory.bytes()
	a.limitHeap(bytes)
	if o.all {
		o.runs = math.MaxInt
	}
	progress := newProgress(a.err, "verify")
	progress.again = true
	report, err := verify.Folder(ctx, dir, verify.Options{
		Runs: o.runs, Seed: o.seed, Tool: experiment.ThisTool(),
		Open: func(standIns []string) plan.Opener {
			o.data.recorded, o.data.asRecorded = standIns, true
			return o.data.opener(a)
		},
		Run: run.Options{Memory: bytes, Workers: o.workers, External: o.leave(), Progress: progress, Warn: progress.warn, Note: progress.note},
	})
	progress.finish()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return usage(err)
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

// printVerification prints a report: at most shownFindings of each check.
func (a *app) printVerification(r *verify.Report) error {
	const shownFindings = 10
	err := printTable(a.out, inTable, r.Checks, []column[*verify.Check]{
		{"what", func(c *verify.Check) any { return c.Name }},
		{"checked", func(c *verify.Check) any { return c.Checked }},
		{"findings", func(c *verify.Check) any { return c.Findings }},
	})
	if err != nil {
		return err
	}
	line := func(text string) {
		fmt.Fprintln(a.out, strings.Join(words.Wrap(text, table.Width, "    "), "\n"))
	}
	shown := make(map[string]int)
	for _, f := range r.Findings {
		if shown[f.Check]++; shown[f.Check] <= shownFindings {
			line(strings.ToUpper(f.Kind) + ": " + cmp.Or(f.Where, f.Check) + ": " + f.Text)
		}
	}
	for _, c := range r.Checks {
		if more := c.Findings - shownFindings; more > 0 {
			line(fmt.Sprintf("%s: %d more findings; --json lists them all", c.Name, more))
		}
	}
	for _, text := range r.Notes {
		line("note: " + text)
	}
	sample := r.Count("records re-run")
	if n, of := sample.Checked, sample.Of; n < of {
		line(fmt.Sprintf("note: a single wrong record of %d is in the sample (seed %d) with probability %.4g; --all re-runs all",
			of, r.Seed, float64(n)/float64(of)))
	}
	fmt.Fprintf(a.out, "%s: %d of %s re-run, %d differ\n", r.Dir, sample.Checked, words.Count(sample.Of, "record"), sample.Findings)
	fmt.Fprintf(a.out, "%s: %s\n", r.Dir, summed(r))
	return nil
}

// summed is the outcome in words.
func summed(r *verify.Report) string {
	if r.OK {
		return "no differences"
	}
	return words.Count(len(r.Findings), "finding")
}
