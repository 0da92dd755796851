package cli

import (
	"fmt"
	"path/filepath"

	"stochopt/harness/internal/output"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

func newPlot(a *app) *cobra.Command {
	return newRedraw(a, "plot", "Draw the figures anew from the records alone", output.What{Data: true, Figures: true})
}

func newTable(a *app) *cobra.Command {
	return newRedraw(a, "table", "Make the tables anew from the records alone", output.What{Tables: true})
}

func newRedraw(a *app, name, short string, what output.What) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   name + " DIR...",
		Short: short,
		Long: short + `, of experiments that are running, stopped or complete.

With --spec the figures and tables of that spec are made in place of those of
the spec that the folder was run with.`,
		Args: atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, dir := range args {
				if err := a.redraw(dir, from, what); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "spec", "", "take figures and tables from this spec")
	return cmd
}

func (a *app) redraw(dir, from string, what output.What) error {
	m, err := output.ReadManifest(dir)
	if err != nil {
		return usage(err)
	}
	s, err := a.recordedSpec(dir)
	if err != nil {
		return err
	}
	if from != "" {
		other, err := (&specOptions{profile: m.Profile}).load([]string{from})
		if err != nil {
			return err
		}
		s.Title, s.Figures, s.Tables = other[0].Title, other[0].Figures, other[0].Tables
	}
	if _, _, err := a.products(dir, s, m.Profile, what); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: redrawn\n", dir)
	return nil
}

// recordedSpec reads the resolved spec of a results folder.
func (a *app) recordedSpec(dir string) (*spec.Spec, error) {
	s, err := spec.Load([]string{filepath.Join(dir, output.SpecFile)}, spec.LoadOptions{Catalog: registry.Catalog{}})
	return s, usage(err)
}
