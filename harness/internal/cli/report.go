package cli

import (
	"bytes"
	"fmt"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/page"
	"stochopt/internal/words"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
)

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
		RunE: func(cmd *cobra.Command, args []string) error { return writePage(a, args, out, title) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "HTML file to write; - for standard output")
	cmd.Flags().StringVar(&title, "title", "", "title of the page (default: "+page.DefaultTitle+")")
	return cmd
}

func writePage(a *app, dirs []string, out, title string) error {
	switch out {
	case "":
		return usagef("name the file to write with -o, such as -o report.html")
	case "-":
		_, html, err := makePage(a, dirs, page.Options{Title: title})
		if err != nil {
			return err
		}
		_, err = a.out.Write(html)
		return err
	}
	out = a.path(out)
	if err := checkOutput(out); err != nil {
		return err
	}
	p, html, err := makePage(a, dirs, page.Options{Title: title, Out: out})
	if err != nil {
		return err
	}
	if err := writeOutput(out, html); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s, %s\n", out, words.Count(len(p.Experiments), "experiment"), humanize.Bytes(uint64(len(html))))
	return nil
}

// makePage makes the page of results folders, as values and as HTML, and prints its
// complaints.
func makePage(a *app, dirs []string, o page.Options) (*page.Page, []byte, error) {
	o.Made, o.Tool = time.Now(), experiment.ThisTool()
	p, err := page.Collect(a.paths(dirs), o)
	if err != nil {
		return nil, nil, usage(err)
	}
	a.warn(p.Complaints())
	var html bytes.Buffer
	if err := p.Write(&html); err != nil {
		return nil, nil, failed(err)
	}
	return p, html.Bytes(), nil
}
