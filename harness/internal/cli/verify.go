package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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
	sample  int
	seed    uint64
	workers int
	asJSON  bool
	externalOptions
}

func newVerify(a *app) *cobra.Command {
	o := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check the files and records of a results folder and re-run a sample of the records",
		Long: `Verify checks a results folder and changes nothing in it. It compares

  - the database, text records, spec.yaml and manifest.json with their checksums
  - the data with their hashes, the plan on record with the plan of the spec, each record with the
    plan, and its suboptimality with its objective and the certified optimum
  - a sample of the records, and the optima that they need, with a second run, bit for bit
  - selection.csv, curves.csv, claims.json, tables and figures with newly derived ones

A folder without records is verified if it has runs.csv.gz, a list of its runs: verify re-runs a sample
of the list and compares the checksums of the curves.

By default, the sample has a tenth of the records, at least 30, and at least one of each series on
each data set. Runs of external algorithms are re-run only with --external allow.

Verify cannot detect wrong times, the replacement of the whole folder, or errors of the program or
the machine that occur again. It detects a wrong number with a correct checksum only in the sample or
if the number contradicts an optimum.

Verify lists what differs, is missing or is damaged; the exit code is then 1. This includes missing
runs, even if the experiment is still running.`,
		Example: `  stochopt verify results/pca-simulated
  stochopt verify results/pca-simulated --all --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				o.seed = rand.Uint64N(1_000_000)
			}
			if cmd.Flags().Changed("sample") && o.sample < 1 {
				return usagef("--sample %d: want at least 1", o.sample)
			}
			return o.run(cmd.Context(), a, args[0])
		},
	}
	o.data.flags(cmd)
	o.data.standInFlag(cmd)
	o.data.memory.flags(cmd)
	o.externalOptions.flags(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "re-run all records")
	cmd.Flags().IntVar(&o.sample, "sample", 0, "number of records to re-run (default: a tenth, at least 30)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the sample (default: random; it is printed)")
	workersFlag(cmd, &o.workers)
	jsonFlag(cmd, &o.asJSON)
	return cmd
}

func (o *verifyOptions) run(ctx context.Context, a *app, dir string) error {
	memory := o.data.memory.bytes()
	a.limitHeap(memory)
	if o.all {
		o.sample = math.MaxInt
	}
	progress := newProgress(a.err, "verify")
	report, err := verify.Folder(ctx, dir, verify.Options{
		Runs: o.sample, Seed: o.seed, Tool: experiment.ThisTool(),
		Open: func(standIns []string) plan.Opener {
			o.data.forced, o.data.suggestReal = standIns, true
			return o.data.opener(a)
		},
		Run: run.Options{
			Memory: memory, Workers: o.workers, External: o.allowed(),
			Progress: progress, Warn: progress.warn, Note: progress.note,
		},
	})
	progress.finish()
	if err != nil {
		return usage(err)
	}
	if o.asJSON {
		err = printJSON(a.out, report)
	} else {
		a.printVerification(report)
	}
	if err == nil && !report.OK {
		err = failed(fmt.Errorf("%s: %s", dir, verifyOutcome(report)))
	}
	return err
}

// printVerification prints a report with at most maxFindings findings of each check.
func (a *app) printVerification(r *verify.Report) {
	const maxFindings = 10
	printTable(a.out, inTable, r.Checks, []column[*verify.Check]{
		{"check", func(c *verify.Check) any { return c.Name }},
		{"checked", func(c *verify.Check) any { return c.Checked }},
		{"findings", func(c *verify.Check) any { return c.Findings }},
	})
	line := func(text string) {
		fmt.Fprintln(a.out, strings.Join(words.Wrap(text, table.Width, "    "), "\n"))
	}
	shown := make(map[string]int)
	for _, f := range r.Findings {
		if shown[f.Check]++; shown[f.Check] <= maxFindings {
			line(strings.ToUpper(f.Kind) + ": " + cmp.Or(f.Where, f.Check) + ": " + f.Text)
		}
	}
	for _, c := range r.Checks {
		if more := c.Findings - maxFindings; more > 0 {
			line(fmt.Sprintf("%s: %d more findings; --json lists all", c.Name, more))
		}
	}
	for _, text := range r.Notes {
		line("note: " + text)
	}
	sample := r.Count("records re-run")
	if n, of := sample.Checked, sample.Of; n < of {
		line(fmt.Sprintf("note: the sample (seed %d) contains a given record of the %d with probability %.4g; "+
			"--all re-runs all", r.Seed, of, float64(n)/float64(of)))
	}
	fmt.Fprintf(a.out, "%s: %d of %s re-run, %d differ\n",
		r.Dir, sample.Checked, words.Count(sample.Of, "record"), sample.Findings)
	fmt.Fprintf(a.out, "%s: %s\n", r.Dir, verifyOutcome(r))
}

// verifyOutcome describes the outcome of a verification.
func verifyOutcome(r *verify.Report) string {
	if r.OK {
		return "no differences"
	}
	return words.Count(len(r.Findings), "finding")
}
