package cli

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"

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
			return with(f, func(f *experiment.Folder) error { return a.export(f, to, out) })
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
	if out == "" {
		return failed(writeText(a.out, write, false))
	}
	out = a.path(out)
	if err := checkOutput(out); err != nil {
		return err
	}
	return failed(writeOutputBy(out, func(w io.Writer) error { return writeText(w, write, strings.HasSuffix(out, ".gz")) }))
}

// writeText writes what a function writes, buffered and maybe compressed.
func writeText(w io.Writer, write func(io.Writer) error, compress bool) error {
	buffered := bufio.NewWriter(w)
	if !compress {
		return errors.Join(write(buffered), buffered.Flush())
	}
	z, _ := gzip.NewWriterLevel(buffered, gzip.BestCompression) // the level is known
	return errors.Join(write(z), z.Close(), buffered.Flush())
}
