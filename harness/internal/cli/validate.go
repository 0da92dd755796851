package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newValidate(a *app) *cobra.Command {
	o := &specOptions{}
	cmd := &cobra.Command{
		Use:   "validate SPEC...",
		Short: "Check specs strictly; open no data and run nothing",
		Args:  atLeastOne("spec"),
		RunE: func(_ *cobra.Command, args []string) error {
			specs, err := o.load(args)
			if err != nil {
				return err
			}
			for i, s := range specs {
				fmt.Fprintf(a.out, "%s: ok, %s\n", args[i], plural(len(s.Expand())*s.Repeats, "run"))
			}
			return nil
		},
	}
	o.flags(cmd)
	return cmd
}
