package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
		Long: short + `, of experiments that are running, stopped or complete. A folder of
results folders stands for all in it.

With --spec the figures and tables of that spec are made in place of those of
the spec that the folder was run with.`,
		Example: fmt.Sprintf("  stochopt %[1]s results/pca-simulated\n  stochopt %[1]s results", name),
		Args:    atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.eachFolder(args, func(dir string) error { return a.redraw(dir, from, what) })
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
	path := filepath.Join(dir, output.SpecFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s has no %s, the spec that it was run with; run the spec with --out %s to record it again, which makes no run anew that is on record",
			dir, output.SpecFile, filepath.Dir(filepath.Clean(dir)))
	}
	s, err := spec.Load([]string{path}, spec.LoadOptions{Recorded: true, Catalog: registry.Catalog()})
	return s, usage(err)
}
