package cli

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

func newExport(a *app) *cobra.Command {
	var to, out string
	cmd := &cobra.Command{
		Use:   "export DIR --to jsonl|csv",
		Short: "Write the runs of a results folder as text",
		Long: `Export writes the runs that the spec asks for, in its order.

jsonl is one JSON object per line, with a checksum and without times. Equal runs give equal
bytes. A folder of runs.jsonl or runs.jsonl.gz, spec.yaml and manifest.json is a results
folder for all other commands. Keep this form under version control.

csv has one row for each recorded point of each run, with a column for each parameter, counter
and metric, and with the times. The column of the repeat is repetition, because R reserves the
word repeat.`,
		Example: `  stochopt export results/pca-simulated --to csv -o pca.csv
  stochopt export results/pca-simulated --to jsonl -o baseline/pca-simulated/runs.jsonl.gz`,
		Args: exactlyOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != "jsonl" && to != "csv" {
				return usagef("--to %q: want jsonl or csv", to)
			}
			f, err := experiment.Open(a.path(args[0]))
			if err != nil {
				return usage(err)
			}
			return with(f, func(f *experiment.Folder) error { return a.export(f, to, a.path(out)) })
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "form to write: jsonl or csv")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write, compressed if its name ends in .gz (default: standard output)")
	return cmd
}

func (a *app) export(f *experiment.Folder, to, out string) error {
	e, err := a.records(f)
	if err != nil {
		return err
	}
	if e.Damaged > 0 {
		return usagef("%s is damaged, and some runs may be missing: run the spec again before you export it", f.Dir)
	}
	write := func(w io.Writer) error { return record.WriteRuns(w, e.Runs) }
	if to == "csv" {
		write = func(w io.Writer) error { return experiment.WritePoints(w, e) }
	}
	text := func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		if !strings.HasSuffix(out, ".gz") {
			return errors.Join(write(buffered), buffered.Flush())
		}
		z, _ := gzip.NewWriterLevel(buffered, gzip.BestCompression) // the level is known
		return errors.Join(write(z), z.Close(), buffered.Flush())
	}
	if out == "" {
		return failed(text(a.out))
	}
	if err := checkOutput(out); err != nil {
		return err
	}
	return writeOutput(out, text)
}

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
