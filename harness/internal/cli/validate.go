package cli

import (
	"context"
	"fmt"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

func newValidate(a *app) *cobra.Command {
	o := &specOptions{}
	memory := &memoryOptions{}
	cmd := &cobra.Command{
		Use:   "validate SPEC...",
		Short: "Check specs strictly; run nothing",
		Long: "Validate checks specs strictly and runs nothing. It opens no data, except for CSV files with\n" +
			"missing: skip, to report how many rows are left.",
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := o.load(args)
			if err != nil {
				return err
			}
			var outlines []*plan.Plan
			for _, s := range specs {
				outlines = append(outlines, plan.Outline(s))
			}
			if err := memory.warn(a, outlines); err != nil {
				return err
			}
			if err := warnOfSkipped(cmd.Context(), a, specs, *memory); err != nil {
				return err
			}
			for i, s := range specs {
				a.warn(s.Warnings(nil))
				runs := 0
				for c := range s.Expand() {
					runs += plan.Repeats(s, c)
				}
				fmt.Fprintf(a.out, "%s: ok, %s\n", args[i], words.Count(runs, "run"))
			}
			return nil
		},
	}
	o.flags(cmd)
	memory.flags(cmd)
	return cmd
}

// warnOfSkipped opens the files whose rows with missing values are skipped, which reports
// how many are left. A file that cannot be read is a warning: it may not be there yet.
func warnOfSkipped(ctx context.Context, a *app, specs []*spec.Spec, memory memoryOptions) error {
	open := (&dataOptions{memory: memory}).opener(a)
	for _, s := range specs {
		for i := range s.Datasets {
			e := &s.Datasets[i]
			if e.Path == "" || e.With["missing"] != "skip" {
				continue
			}
			if _, err := open(ctx, e); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				a.warn([]string{fmt.Sprintf("%s: dataset %q: %v", e.Pos, e.ID, err)})
			}
		}
	}
	return nil
}
