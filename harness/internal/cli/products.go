package cli

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/page"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots"
	"stochopt/plots/table"

	"github.com/spf13/cobra"
)

func newPlot(a *app) *cobra.Command {
	var style string
	what := experiment.Kinds{Data: true, Figures: true}
	cmd := newRedraw(a, "plot", "Draw the figures again from the records", what, &style)
	cmd.Long += `

--style reads a YAML file with the keys of style in a spec, such as size, font, legend and colours.
They override the styles of the spec and its figures. Only the files of the figures change. To restore
them, run plot without --style.`
	cmd.Example += "\n  stochopt plot results/pca-simulated --style paper.yaml"
	cmd.Flags().StringVar(&style, "style", "", "YAML file with a style for the figures")
	return cmd
}

func newTable(a *app) *cobra.Command {
	what := experiment.Kinds{Tables: true}
	return newRedraw(a, "table", "Make and print the tables again from the records", what, new(string))
}

// newRedraw returns a command that makes products again, in the style of a file.
func newRedraw(a *app, name, short string, what experiment.Kinds, style *string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " DIR...",
		Short: short,
		Long: short + `.
The experiments may be running, stopped or complete. A folder of results folders stands for all of
them. To change figures or tables, change the spec and run it with the same profile; this repeats no
run.`,
		Example: fmt.Sprintf("  stochopt %[1]s results/pca-simulated\n  stochopt %[1]s results", name),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dirs, err := a.folders(args)
			if err != nil {
				return err
			}
			appearance, err := a.readStyle(*style, dirs)
			if err != nil {
				return err
			}
			return openEach(dirs, func(f *experiment.Folder) error { return a.redraw(f, what, appearance) })
		},
	}
}

// readStyle reads a style and checks it against the specs of results folders. It returns an empty style if
// file is "". It ignores unreadable folders, which are reported later.
func (a *app) readStyle(file string, dirs []string) (plots.Appearance, error) {
	if file == "" {
		return plots.Appearance{}, nil
	}
	var specs []*spec.Spec
	for _, dir := range dirs {
		f, err := experiment.Open(dir)
		if err != nil {
			continue
		}
		if s, err := f.Spec(); err == nil {
			specs = append(specs, s)
		}
	}
	style, err := spec.ReadStyle(file, specs)
	return style, usage(readError("style", err))
}

// redraw derives products again and prints the tables among them, the warnings, and the runs that did not finish.
func (a *app) redraw(f *experiment.Folder, what experiment.Kinds, style plots.Appearance) error {
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	for i := range s.Figures {
		s.Figures[i].Style = s.Figures[i].Style.With(style)
	}
	d, products, err := a.products(f, s, what)
	if err != nil {
		return err
	}
	for _, g := range products.Tables {
		_ = table.Text(a.out, g) // a.out keeps the error
	}
	for _, w := range products.Warnings {
		fmt.Fprintln(a.err, "note:", w)
	}
	for _, p := range experiment.Summarise(d.Records).Problems {
		fmt.Fprintf(a.err, "%s: %s: %s\n", p.Status, p.Name, p.Reason)
	}
	if len(products.Failed) > 0 {
		return failed(errors.Join(products.Failed...))
	}
	fmt.Fprintf(a.out, "%s: redrawn\n", f.Dir)
	return nil
}

func newReport(a *app) *cobra.Command {
	var out, title string
	cmd := &cobra.Command{
		Use:   "report DIR... -o FILE",
		Short: "Write an HTML page about results folders",
		Long: `Report writes one HTML file about results folders, or about all those in a folder: the verdicts on
claims, the figures and tables, the selected parameters, the failures and the provenance. The page
needs no network and no other files. The experiments may be running, stopped or complete; the page
states what is missing.`,
		Example: `  stochopt report results -o report.html
  stochopt report results/pca-simulated results/pca-real -o pca.html --title "Streaming PCA"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.report(args, out, title) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "HTML file to write; - for standard output")
	cmd.Flags().StringVar(&title, "title", "", "title of the page (default: "+page.DefaultTitle+")")
	return cmd
}

func (a *app) report(dirs []string, out, title string) error {
	if out == "" {
		return usagef("-o is missing: name the file to write, such as -o report.html")
	}
	o := page.Options{Title: title, Made: time.Now(), Tool: experiment.ThisTool()}
	if out != "-" {
		o.Out = out
		if err := checkOutput(o.Out); err != nil {
			return err
		}
	}
	p, err := page.Collect(dirs, o)
	if err != nil {
		return usage(err)
	}
	a.warn(p.Problems()...)
	if out == "-" {
		return failed(p.Write(a.out))
	}
	if err := writeOutput(o.Out, p.Write); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s\n", o.Out, words.Count(len(p.Experiments), "experiment"))
	return nil
}

func newExport(a *app) *cobra.Command {
	var to, out, licence string
	cmd := &cobra.Command{
		Use:   "export DIR --to jsonl|csv|checksums|ro-crate",
		Short: "Write the records of a results folder as text, or the folder as an archive",
		Long: `Export writes the runs of the spec, in the order of the spec.

jsonl has one JSON object per line, with a checksum and without times. Equal runs give equal bytes.
A folder with runs.jsonl or runs.jsonl.gz, spec.yaml and manifest.json is a results folder for all
other commands. Keep this form under version control.

csv has one row for each recorded point of each run, and a column for each parameter, counter, metric
and time. The column of the repeat is named repetition, because R reserves the word repeat.

checksums has one row for each run: its key, extent, status and the checksum of its curve. If a folder
has this list, as runs.csv.gz, instead of the records, verify repeats runs of the list.

ro-crate is a zip file of the folder for an archive such as Zenodo. It has the spec, the manifest, the
records, the figures, the tables and the verdicts. Its file ro-crate-metadata.json describes in
JSON-LD what ran, on which data, and the checksum of each file, as RO-Crate 1.1 and Process Run Crate
0.5 require. Data sets are identified by their hashes and not included. The same folder gives the same
bytes. Set the licence of the results with --license: an SPDX identifier, such as CC-BY-4.0, or a URL.`,
		Example: `  stochopt export results/pca-simulated --to csv -o pca.csv
  stochopt export results/pca-simulated --to jsonl -o baseline/pca-simulated/runs.jsonl.gz
  stochopt export results/pca-simulated --to ro-crate --license CC-BY-4.0 -o pca-simulated.crate.zip`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !slices.Contains([]string{"jsonl", "csv", "checksums", toCrate}, to):
				return usagef("--to %q: want jsonl, csv, checksums or ro-crate", to)
			case licence != "" && to != toCrate:
				return usagef("--license is for --to ro-crate only")
			case out == "" && to == toCrate:
				return usagef("-o is missing: name the zip file to write, such as -o results.crate.zip")
			}
			export := func(f *experiment.Folder) error { return a.export(f, to, out, licence) }
			return openEach([]string{args[0]}, export)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "format: jsonl, csv, checksums or ro-crate")
	cmd.Flags().StringVarP(&out, "output", "o", "",
		"file to write, compressed if the name ends in .gz (default: standard output)")
	cmd.Flags().StringVar(&licence, "license", "",
		"licence of the results in an RO-Crate, such as CC-BY-4.0 (default: none)")
	return cmd
}

// toCrate is the value of --to for an archive.
const toCrate = "ro-crate"

func (a *app) export(f *experiment.Folder, to, out, licence string) error {
	e, err := a.records(f)
	if err != nil {
		return err
	}
	if e.Damaged > 0 {
		return usagef("%s is damaged, and runs may be missing: run the spec again before the export", f.Dir)
	}
	write := func(w io.Writer) error { return record.WriteRuns(w, e.Runs) }
	switch to {
	case "csv":
		write = func(w io.Writer) error { return experiment.WriteCSV(w, e.Name, e, e.Runs, true) }
	case "checksums":
		write = func(w io.Writer) error { return experiment.WriteChecksums(w, e.Runs) }
	case toCrate:
		write = func(w io.Writer) error { return f.WriteCrate(w, licence) }
	}
	compressed := func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		if !strings.HasSuffix(out, ".gz") || to == toCrate {
			return errors.Join(write(buffered), buffered.Flush())
		}
		z, _ := gzip.NewWriterLevel(buffered, gzip.BestCompression) // the level is valid
		return errors.Join(write(z), z.Close(), buffered.Flush())
	}
	if out == "" {
		return failed(compressed(a.out))
	}
	if err := checkOutput(out); err != nil {
		return err
	}
	return writeOutput(out, compressed)
}

func newImport(a *app) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "import DIR... --out OUT",
		Short: "Import exported runs into a database",
		Long: `Import reads folders with runs.jsonl or runs.jsonl.gz, spec.yaml and manifest.json. It adds their runs
to OUT/<name>/results.db, where run can continue. Runs that are already there are kept, so a second
import changes nothing.`,
		Example: "  stochopt import results/reference/pca-rates --out results",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: name the folder to import into")
			}
			return a.eachFolder(args, func(f *experiment.Folder) error { return a.importFolder(f, out) })
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "parent of the results folders to write")
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
	a.warn(into.Manifest.Builds(dir)...)
	fmt.Fprintf(a.out, "%s: %s imported\n", dir, words.Count(len(e.Runs), "run"))
	return nil
}
