package cli

import (
	"fmt"

	"stochopt/harness/internal/plan"
	"stochopt/results/words"

	"github.com/spf13/cobra"
)

func newValidate(a *app) *cobra.Command {
	o := &specOptions{}
	memory := &memoryOptions{}
	cmd := &cobra.Command{
		Use:   "validate SPEC...",
		Short: "Check specs strictly; open no data and run nothing",
		Args:  atLeastOne("spec"),
		RunE: func(_ *cobra.Command, args []string) error {
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
			for i, s := range specs {
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
