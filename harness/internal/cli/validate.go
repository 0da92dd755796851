package cli

import (
	"context"
	"errors"
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
		Long: "Validate checks specs strictly and runs nothing. It opens files of your own and simulated data,\n" +
			"and downloads nothing.",
		Args: atLeastOne("spec"),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := o.load(a, args)
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
			if err := checkData(cmd.Context(), a, specs, *memory); err != nil {
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

// checkData plans the runs on the data that need no download, which finds what is wrong with
// these data and reports how many rows are left where some are skipped.
func checkData(ctx context.Context, a *app, specs []*spec.Spec, memory memoryOptions) error {
	open := (&dataOptions{memory: memory}).opener(a)
	var errs []error
	for _, s := range specs {
		for i := range s.Datasets {
			if !s.Local(&s.Datasets[i]) {
				continue
			}
			one := *s
			one.Datasets = s.Datasets[i : i+1]
			if _, err := plan.Build(ctx, &one, open); ctx.Err() != nil {
				return ctx.Err()
			} else if err != nil {
				errs = append(errs, err)
			}
		}
	}
	return usage(errors.Join(errs...))
}
