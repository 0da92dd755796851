package cli

import (
	"errors"
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
	var from string
	cmd := &cobra.Command{
		Use:   name + " DIR...",
		Short: short,
		Long: short + `, of experiments that are running, stopped or complete. A folder of
results folders stands for all in it.

With --spec the figures and tables of that spec are made in place of those of
the spec that the folder was run with.`,
		Example: fmt.Sprintf("  stochopt %[1]s results/pca-simulated\n  stochopt %[1]s results", name),
		Args:    atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.eachFolder(args, func(f *experiment.Folder) error { return a.redraw(f, from, what) })
		},
	}
	cmd.Flags().StringVar(&from, "spec", "", "take figures and tables from this spec")
	return cmd
}

func (a *app) redraw(f *experiment.Folder, from string, what experiment.What) error {
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	if from != "" {
		other, err := (&specOptions{profile: f.Manifest.Profile}).load([]string{from})
		if err != nil {
			return err
		}
		s.Title, s.Figures, s.Tables = other[0].Title, other[0].Figures, other[0].Tables
	}
	d, products, err := a.products(f, s, what)
	if err == nil {
		err = a.show(d, products)
	}
	if err == nil {
		err = failed(errors.Join(products.Failed...))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: redrawn\n", f.Dir)
	return nil
}
