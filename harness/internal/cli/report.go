package cli

import (
	"bytes"
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
	out, title string
	render     renderPage
	now        func() time.Time
}

func newReport(a *app) *cobra.Command {
	o := &reportOptions{render: page.Render, now: time.Now}
	cmd := &cobra.Command{
		Use:   "report DIR... -o FILE",
		Short: "Make one self-contained page of results folders",
		Long: `Report makes one HTML file of results folders, or of all in a folder of them:
the verdicts on the thesis's claims, every figure and table, what was selected,
what it cost, what failed, and where it all comes from. The file needs nothing
else: no network, no other files. Experiments may be running, stopped or
complete; the page says what is missing.`,
		Example: `  stochopt report results -o report.html
  stochopt report results/pca-simulated results/pca-real -o pca.html --title "Streaming PCA"`,
		Args: atLeastOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, args) },
	}
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "HTML file to write; - for standard output")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the page (default: "+reports.DefaultTitle+")")
	return cmd
}

func (o *reportOptions) run(a *app, dirs []string) error {
	switch {
	case o.out == "":
		return usagef("name the file to write with -o, such as -o report.html")
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
	out := o.out
	if out == "-" {
		out = ""
	}
	p, err := reports.Collect(dirs, reports.Options{Title: o.title, Made: o.now(), Tool: experiment.ThisTool(), Out: out})
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
