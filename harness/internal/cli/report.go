package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"stochopt/harness/internal/experiment"
	reports "stochopt/harness/internal/report"
	"stochopt/harness/internal/report/page"
	"stochopt/results/words"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

// renderPage writes a page as HTML.
type renderPage func(io.Writer, *reports.Page) error

type reportOptions struct {
	out, title, serve string
	render            renderPage
	now               func() time.Time
}

func newReport(a *app) *cobra.Command {
	o := &reportOptions{render: page.Render, now: time.Now}
	cmd := &cobra.Command{
		Use:   "report DIR... {-o FILE | --serve ADDRESS}",
		Short: "Make one self-contained page of results folders",
		Long: `Report makes one HTML file of results folders, or of all in a folder of them:
the verdicts on the thesis's claims, every figure and table, what was selected,
what it cost, what failed, and where it all comes from. The file needs nothing
else: no network, no other files. Experiments may be running, stopped or
complete; the page says what is missing.

With --serve the page is served to a browser instead, and kept up to date while
experiments run, until it is interrupted.`,
		Example: `  stochopt report results -o report.html
  stochopt report results/pca-simulated results/pca-real -o pca.html --title "Streaming PCA"
  stochopt report results --serve localhost:8080`,
		Args: atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "HTML file to write; - for standard output")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the page (default: "+reports.DefaultTitle+")")
	cmd.Flags().StringVar(&o.serve, "serve", "", "serve the page at this address, such as localhost:8080, and keep it up to date (without a host: to this machine alone)")
	return cmd
}

func (o *reportOptions) run(ctx context.Context, a *app, dirs []string) error {
	switch {
	case o.out == "" && o.serve == "":
		return usagef("say where the page goes: -o report.html, or --serve localhost:8080")
	case o.out != "" && o.serve != "":
		return usagef("-o and --serve exclude each other: a file is written once, a served page kept up to date")
	case o.serve != "":
		return o.listen(ctx, a, dirs)
	case o.out != "-":
		if err := checkOutput(o.out); err != nil {
			return err
		}
	}
	p, html, err := o.page(a, dirs)
	if err != nil {
		return err
	}
	if o.out == "-" {
		_, err := a.out.Write(html)
		return err
	}
	if err := writeOutput(o.out, html); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s, %s\n", o.out, words.Count(len(p.Experiments), "experiment"), humanize.Bytes(uint64(len(html))))
	return nil
}

// page makes the page of results folders, as values and as HTML, and tells of what is
// wrong with them.
func (o *reportOptions) page(a *app, dirs []string) (*reports.Page, []byte, error) {
	p, err := reports.NewCollector(dirs, o.options(o.out)).Collect()
	if err != nil {
		return nil, nil, usage(err)
	}
	a.warn(p.Complaints())
	var html bytes.Buffer
	if err := o.render(&html, p); err != nil {
		return nil, nil, failed(fmt.Errorf("cannot make the page: %w", err))
	}
	return p, html.Bytes(), nil
}

func (o *reportOptions) options(out string) reports.Options {
	if out == "-" {
		out = ""
	}
	return reports.Options{
		Title: o.title, Made: o.now(), Tool: experiment.ThisTool(), Out: out, Live: o.serve != "",
	}
}
