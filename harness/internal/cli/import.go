package cli

import (
	"fmt"
	"path/filepath"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

func newImport(a *app) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "import DIR... --out OUT",
		Short: "Read exported runs into a database",
		Long: `Import reads each folder of runs.jsonl or runs.jsonl.gz, spec.yaml and manifest.json into
OUT/<name>/results.db, where run can continue. It keeps the runs of the database, so importing
twice changes nothing.`,
		Example: "  stochopt import results/reference/pca-rates --out results",
		Args:    atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: name the folder to import into")
			}
			return a.eachFolder(args, func(f *experiment.Folder) error { return a.importFolder(f, a.path(out)) })
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder of the results folders to write")
	return cmd
}

func (a *app) importFolder(f *experiment.Folder, out string) error {
	e, err := a.records(f)
	if err != nil {
		return err
	}
	dir := filepath.Join(out, e.Name)
	if err := f.Import(dir); err != nil {
		return failed(err)
	}
	into, err := experiment.Open(dir)
	if err != nil {
		return failed(err)
	}
	a.warn(into.Manifest.Builds(dir))
	fmt.Fprintf(a.out, "%s: %s imported\n", dir, words.Count(len(e.Runs), "run"))
	return nil
}
