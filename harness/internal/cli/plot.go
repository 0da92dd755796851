package cli

import (
	"fmt"

	"stochopt/harness/internal/experiment"

	"github.com/spf13/cobra"
)

func newPlot(a *app) *cobra.Command {
	return newRedraw(a, "plot", "Draw the figures from the records alone", experiment.What{Data: true, Figures: true})
}

func newTable(a *app) *cobra.Command {
	return newRedraw(a, "table", "Make the tables from the records alone", experiment.What{Tables: true})
}

func newRedraw(a *app, name, short string, what experiment.What) *cobra.Command {
	return &cobra.Command{
		Use:   name + " DIR...",
		Short: short,
		Long: short + `, of experiments that are running, stopped or complete. A folder of
results folders stands for all in it. To change figures or tables, change the spec and run it with
the same profile, which repeats no run.`,
		Example: fmt.Sprintf("  stochopt %[1]s results/pca-simulated\n  stochopt %[1]s results", name),
		Args:    atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.eachFolder(args, func(f *experiment.Folder) error { return a.redraw(f, what) })
		},
	}
}

func (a *app) redraw(f *experiment.Folder, what experiment.What) error {
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	d, products, err := a.products(f, s, what)
	if err == nil {
		err = a.show(d, products)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: redrawn\n", f.Dir)
	return nil
}
