package cli

import (
	"errors"
	"fmt"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/page"
	"stochopt/internal/words"
	"stochopt/plots/table"

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
	a.warn(p.Complaints())
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
		fmt.Fprintln(a.err, "note:", w.Text)
	}
	for _, p := range experiment.Summarise(d.Records).Problems {
		fmt.Fprintf(a.err, "%s: %s: %s\n", p.Status, p.Name, p.Reason)
	}
	return nil
}
