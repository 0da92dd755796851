package cli

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	style := ""
	what := experiment.Kinds{Data: true, Figures: true}
	cmd := newRedraw(a, "plot", "Draw the figures from the records alone", what, &style)
	cmd.Long += `

--style applies a file of the keys of style in a spec over those of the spec and its figures: size, font,
legend, colours. Only the files of the figures change, until they are drawn again without it.`
	cmd.Example += "\n  stochopt plot results/pca-simulated --style paper.yaml"
	cmd.Flags().StringVar(&style, "style", "", "YAML file of a style to draw the figures in")
	return cmd
}

func newTable(a *app) *cobra.Command {
	return newRedraw(a, "table", "Make the tables from the records alone", experiment.Kinds{Tables: true}, new(string))
}

func newRedraw(a *app, name, short string, what experiment.Kinds, style *string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " DIR...",
		Short: short,
		Long: short + `, of experiments that are running, stopped or complete. A folder of
results folders stands for all in it. To change figures or tables, change the spec and run it with
the same profile, which repeats no run.`,
		Example: fmt.Sprintf("  stochopt %[1]s results/pca-simulated\n  stochopt %[1]s results", name),
		Args:    atLeastOne("results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			found, err := a.folders(args)
			if err != nil {
				return err
			}
			over, err := a.style(*style, found)
			if err != nil {
				return err
			}
			return eachOf(found, func(f *experiment.Folder) error { return a.redraw(f, what, over) })
		},
	}
}

// style reads the style of a file for the figures of results folders; "" is the empty style. Folders that
// cannot be read are reported when they are drawn.
func (a *app) style(file string, folders []string) (plots.Appearance, error) {
	if file == "" {
		return plots.Appearance{}, nil
	}
	var specs []*spec.Spec
	for _, dir := range folders {
		f, err := experiment.Open(dir)
		if err != nil {
			continue
		}
		if s, err := f.Spec(); err == nil {
			specs = append(specs, s)
		}
	}
	style, err := spec.ReadStyle(a.path(file), specs)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = fmt.Errorf("cannot read the style: %w; name a YAML file", err)
	}
	return style, usage(err)
}

func (a *app) redraw(f *experiment.Folder, what experiment.Kinds, style plots.Appearance) error {
	s, err := f.Spec()
	if err != nil {
		return usage(err)
	}
	for i := range s.Figures {
		s.Figures[i].Style = s.Figures[i].Style.With(style)
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

func newReport(a *app) *cobra.Command {
	var out, title string
	cmd := &cobra.Command{
		Use:   "report DIR... -o FILE",
		Short: "Make one self-contained page of results folders",
		Long: `Report makes one HTML file of results folders, or of all in a folder of them:
the verdicts on the thesis's claims, every figure and table, the selection,
failures and provenance. The file needs no network and no other files. Experiments
may be running, stopped or complete; the page says what is missing.`,
		Example: `  stochopt report results -o report.html
  stochopt report results/pca-simulated results/pca-real -o pca.html --title "Streaming PCA"`,
		Args: atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.report(args, out, title) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "HTML file to write; - for standard output")
	cmd.Flags().StringVar(&title, "title", "", "title of the page (default: "+page.DefaultTitle+")")
	return cmd
}

func (a *app) report(dirs []string, out, title string) error {
	if out == "" {
		return usagef("name the file to write with -o, such as -o report.html")
	}
	o := page.Options{Title: title, Made: time.Now(), Tool: experiment.ThisTool()}
	if out != "-" {
		o.Out = a.path(out)
		if err := checkOutput(o.Out); err != nil {
			return err
		}
	}
	p, err := page.Collect(a.paths(dirs), o)
	if err != nil {
		return usage(err)
	}
	a.warn(p.Problems())
	if out == "-" {
		return failed(p.Write(a.out))
	}
	if err := writeOutput(o.Out, p.Write); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s\n", o.Out, words.Count(len(p.Experiments), "experiment"))
	return nil
}

// show prints the tables among products, their warnings, and the runs that did not finish.
func (a *app) show(d *experiment.Derivation, products *experiment.Products) error {
	for _, g := range products.Tables {
		if err := table.Text(a.out, g); err != nil {
			return failed(err)
		}
	}
	for _, w := range products.Warnings {
		fmt.Fprintln(a.err, "note:", w)
	}
	for _, p := range experiment.Summarise(d.Records).Problems {
		fmt.Fprintf(a.err, "%s: %s: %s\n", p.Status, p.Name, p.Reason)
	}
	return nil
}

func newExport(a *app) *cobra.Command {
	var to, out, licence string
	cmd := &cobra.Command{
		Use:   "export DIR --to jsonl|csv|checksums|ro-crate",
		Short: "Write the runs of a results folder as text, or the folder as an archive",
		Long: `Export writes the runs that the spec asks for, in its order.

jsonl is one JSON object per line, with a checksum and without times. Equal runs give equal
bytes. A folder of runs.jsonl or runs.jsonl.gz, spec.yaml and manifest.json is a results
folder for all other commands. Keep this form under version control.

csv has one row for each recorded point of each run, with a column for each parameter, counter
and metric, and with the times. The column of the repeat is repetition, because R reserves the
word repeat.

checksums has one row for each run: its key, extent, status and the checksum of its curve. Verify
repeats runs of a folder that has this list, runs.csv.gz, in place of the records.

ro-crate is a zip file of the folder for an archive such as Zenodo: spec, manifest, records,
figures, tables and verdicts. Its ro-crate-metadata.json says in JSON-LD what ran, on which data,
and the checksum of each file, as RO-Crate 1.1 and the profile Process Run Crate 0.5 demand. Data
are named by their hashes, not included. The same folder gives the same bytes. State the licence
of the results with --license: an identifier of SPDX, such as CC-BY-4.0, or an address.`,
		Example: `  stochopt export results/pca-simulated --to csv -o pca.csv
  stochopt export results/pca-simulated --to jsonl -o baseline/pca-simulated/runs.jsonl.gz
  stochopt export results/pca-simulated --to ro-crate --license CC-BY-4.0 -o pca-simulated.crate.zip`,
		Args: exactlyOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case !slices.Contains([]string{"jsonl", "csv", "checksums", toCrate}, to):
				return usagef("--to %q: want jsonl, csv, checksums or ro-crate", to)
			case licence != "" && to != toCrate:
				return usagef("--license is for --to ro-crate only")
			case out == "" && to == toCrate:
				return usagef("name the zip file to write with -o, such as -o results.crate.zip")
			}
			f, err := experiment.Open(a.path(args[0]))
			if err != nil {
				return usage(err)
			}
			return with(f, func(f *experiment.Folder) error { return a.export(f, to, a.path(out), licence) })
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "form to write: jsonl, csv, checksums or ro-crate")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write, compressed if its name ends in .gz (default: standard output)")
	cmd.Flags().StringVar(&licence, "license", "", "licence of the results in a crate, such as CC-BY-4.0 (default: none is stated)")
	return cmd
}

// toCrate is the form of an archive.
const toCrate = "ro-crate"

func (a *app) export(f *experiment.Folder, to, out, licence string) error {
	e, err := a.records(f)
	if err != nil {
		return err
	}
	if e.Damaged > 0 {
		return usagef("%s is damaged, and some runs may be missing: run the spec again before you export it", f.Dir)
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
	text := func(w io.Writer) error {
		buffered := bufio.NewWriter(w)
		if !strings.HasSuffix(out, ".gz") || to == toCrate {
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
