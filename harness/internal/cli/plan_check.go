package cli

import (
	"context"
	"fmt"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

// pastOptions are those of the verbs that hold times on record against work.
type pastOptions struct {
	data   dataOptions
	memory memoryOptions
}

func (o *pastOptions) flags(cmd *cobra.Command) {
	o.data.flags(cmd)
	o.data.standInFlag(cmd)
	o.memory.flags(cmd)
}

// each plans anew what results folders were run with, and does something with each plan and
// its records.
func (o *pastOptions) each(
	ctx context.Context, a *app, dirs []string, do func(*experiment.Folder, *plan.Plan, *record.Experiment) error,
) error {
	if err := o.data.check(); err != nil {
		return err
	}
	if _, err := o.memory.bytes(); err != nil {
		return err
	}
	o.data.memory = o.memory
	return a.eachFolder(dirs, func(f *experiment.Folder) error {
		s, e, err := a.contents(f)
		if err != nil {
			return err
		}
		o.data.recorded = f.Manifest.StandIns()
		p, err := plan.Build(ctx, s, o.data.opener(a))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return usage(err)
		}
		return do(f, p, e)
	})
}

type planCheckOptions struct {
	pastOptions
	series bool
	json   bool
}

func newPlanCheck(a *app) *cobra.Command {
	o := &planCheckOptions{}
	cmd := &cobra.Command{
		Use:   "check DIR...",
		Short: "Compare the times that plan predicts with those on record",
		Long: `Check predicts the CPU time of the runs that results folders have on record, without using
their times, and prints both: the seconds of all runs of a folder, with the work that they
share. The last column is the ratio for the runs after the first tenth, predicted from the
times of that tenth too.

Folders of earlier releases may have no CPU times. Elapsed times are used for them, which
depend on what else the machine did.`,
		Example: `  stochopt plan check results
  stochopt plan check results/svm-runtime --json`,
		Args: atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.series, "series", false, "a line for each series on each data set")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// heldSpec is the line of a results folder.
type heldSpec struct {
	Spec    string `json:"spec"`
	Profile string `json:"profile,omitempty"`
	forecast.Held
}

func (o *planCheckOptions) run(ctx context.Context, a *app, dirs []string) error {
	var rows []heldSpec
	err := o.each(ctx, a, dirs, func(f *experiment.Folder, p *plan.Plan, e *record.Experiment) error {
		if h := forecast.Check(p, forecast.RecordsOf(e), forecast.Measured()); h.Runs > 0 && h.Measured > 0 {
			rows = append(rows, heldSpec{p.Spec.Name, f.Manifest.Profile, h})
		} else {
			fmt.Fprintf(a.err, "note: %s has no times on record and is passed over\n", p.Spec.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(a.out, rows)
	}
	if o.series {
		return a.printParts(rows)
	}
	if err := printColumns(a.out, rows, []column[heldSpec]{
		{"spec", func(r heldSpec) any { return r.Spec }},
		{"profile", func(r heldSpec) any { return r.Profile }},
		{"runs", func(r heldSpec) any { return r.Runs }},
		{"predicted CPU s", func(r heldSpec) any { return threeDigits(r.Predicted) }},
		{"measured", func(r heldSpec) any { return threeDigits(r.Measured) }},
		{"ratio", func(r heldSpec) any { return ratio(r.Predicted, r.Measured) }},
		{"after a tenth", func(r heldSpec) any { return ratio(r.RestPredicted, r.RestMeasured) }},
	}); err != nil {
		return err
	}
	within := 0
	for _, r := range rows {
		if forecast.Within(r.Predicted, r.Measured) {
			within++
		}
		if r.Clock {
			fmt.Fprintf(a.out, "%s: elapsed times, as there are no CPU times on record\n", r.Spec)
		}
	}
	fmt.Fprintf(a.out, "%d of %s within a factor of 2, or within %v s\n", within, words.Count(len(rows), "spec"), forecast.Moment)
	return nil
}

func threeDigits(v float64) string { return words.Significant(v, 3) }

// ratio is that of a prediction to a measurement in words.
func ratio(predicted, measured float64) string {
	if measured <= 0 {
		return "-"
	}
	return words.Significant(predicted/measured, 2)
}

// printParts prints what was predicted and measured of each series.
func (a *app) printParts(rows []heldSpec) error {
	type line struct {
		spec string
		forecast.Part
	}
	var lines []line
	for _, r := range rows {
		for _, p := range r.Parts {
			if p.Series == "" {
				p.Dataset = "shared by runs"
			}
			lines = append(lines, line{r.Spec, p})
		}
	}
	return printColumns(a.out, lines, []column[line]{
		{"spec", func(l line) any { return l.spec }},
		{"dataset", func(l line) any { return l.Dataset }},
		{"series", func(l line) any { return l.Series }},
		{"predicted CPU s", func(l line) any { return threeDigits(l.Predicted) }},
		{"measured", func(l line) any { return threeDigits(l.Measured) }},
		{"ratio", func(l line) any { return ratio(l.Predicted, l.Measured) }},
	})
}
