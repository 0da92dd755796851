package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

type datasetsOptions struct {
	data dataOptions
	json bool
}

func newDatasets(a *app) *cobra.Command {
	o := &datasetsOptions{}
	cmd := &cobra.Command{
		Use:   "datasets",
		Short: "List, describe, fetch and verify datasets",
		Long: `Datasets are looked for in the cache folder, then in the folder or URL that
HARNESS_MIRROR names (laid out as <mirror>/mnist/<file>), then at their
canonical addresses. Nothing is used before its checksum has been verified.`,
		Args: cobra.NoArgs,
	}
	list := &cobra.Command{
		Use: "list", Short: "List the datasets and generators", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.list(a) },
	}
	info := &cobra.Command{
		Use: "info NAME", Short: "Describe a dataset: files, checksums, licence, citation", Args: exactlyOne("dataset"),
		RunE: func(_ *cobra.Command, args []string) error { return o.info(a, args[0]) },
	}
	fetch := &cobra.Command{
		Use: "fetch NAME...", Short: "Download missing files into the cache, and verify them", Args: atLeastOne("dataset"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.files(cmd.Context(), a, args, datasets.Fetch)
		},
	}
	verify := &cobra.Command{
		Use: "verify [NAME...]", Short: "Check local files against their checksums; download nothing",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, e := range datasets.List() {
					args = append(args, e.Name)
				}
			}
			return o.files(cmd.Context(), a, args, datasets.Verify)
		},
	}
	for _, c := range []*cobra.Command{list, info, fetch, verify} {
		c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	}
	o.data.flags(fetch)
	o.data.flags(verify)
	cmd.AddCommand(list, info, fetch, verify)
	return cmd
}

// docWidth is the width of the lines below the table of datasets list.
const docWidth = 94

func (o *datasetsOptions) list(a *app) error {
	if o.json {
		return printJSON(a.out, struct {
			Datasets     []datasets.Entry       `json:"datasets"`
			Generators   []datasets.Generator   `json:"generators"`
			Preparations []datasets.Preparation `json:"preparations"`
		}{datasets.List(), datasets.Generators(), datasets.Preparations()})
	}
	type source struct {
		name           string
		rows, features any
		what           string
	}
	var sources []source
	for _, e := range datasets.List() {
		rows, _, err := datasets.Ref{Source: e.Name}.Shape()
		if err != nil {
			return err
		}
		sources = append(sources, source{e.Name, rows, e.Features, e.Title})
	}
	for _, g := range datasets.Generators() {
		rows := "unlimited"
		if slices.Contains(g.Params, "n") {
			rows = "n"
		}
		sources = append(sources, source{g.Name, rows, "", g.Doc})
	}
	err := printTable(a.out, inTable, sources, []column[source]{
		{"name", func(s source) any { return s.name }},
		{"rows", func(s source) any { return s.rows }},
		{"features", func(s source) any { return s.features }},
		{"what", func(s source) any { return s.what }},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, "\nPreparation steps, for prepare: [...], applied in order:")
	for _, p := range datasets.Preparations() {
		fmt.Fprintf(a.out, "\n  %s\n", p.Name)
		const indent = "      "
		fmt.Fprintln(a.out, strings.Join(words.Wrap(indent+p.Doc, docWidth+len(indent), indent), "\n"))
	}
	return nil
}

func (o *datasetsOptions) info(a *app, name string) error {
	for _, g := range datasets.Generators() {
		if g.Name != name {
			continue
		}
		if o.json {
			return printJSON(a.out, g)
		}
		fmt.Fprintf(a.out, "%s: %s\n", g.Name, g.Doc)
		a.showParams(registry.Catalog().SourceParams(name))
		return nil
	}
	e, err := datasets.Info(name)
	if err != nil {
		return usage(err)
	}
	if o.json {
		return printJSON(a.out, e)
	}
	fmt.Fprintf(a.out, "%s: %s\n%s\nformat %s, %d features, %d classes\nlicence: %s\ncitation: %s\nhomepage: %s\nthesis: %s\n",
		e.Name, e.Title, strings.TrimSpace(e.Description), e.Format, e.Features, e.Classes, e.Licence, strings.TrimSpace(e.Citation), e.Homepage, e.Thesis)
	if e.Positive != nil {
		fmt.Fprintf(a.out, "suggested positive class, for the task svm: positive: %g\n", *e.Positive)
	}
	for _, n := range e.Notes {
		fmt.Fprintln(a.out, "note:", strings.TrimSpace(n))
	}
	for _, v := range e.Variants {
		for _, p := range v.Parts {
			fmt.Fprintf(a.out, "variant %s, part %s: %d rows\n", v.Name, p.Name, p.Rows)
		}
	}
	for _, f := range e.Files {
		fmt.Fprintf(a.out, "file %s: %d bytes, sha256 %s\n", f.Name, f.Size, f.SHA256)
		for _, form := range f.Forms {
			fmt.Fprintf(a.out, "  stored as %s", form.Name)
			if form.SHA256 != "" {
				fmt.Fprintf(a.out, ": %d bytes, sha256 %s", form.Size, form.SHA256)
			}
			fmt.Fprintln(a.out)
			for _, u := range form.URLs {
				fmt.Fprintln(a.out, "   ", u)
			}
		}
		if f.Obtain != "" {
			fmt.Fprintln(a.out, "  how to obtain it:", strings.TrimSpace(f.Obtain))
		}
	}
	if e.Obtain != "" {
		fmt.Fprintln(a.out, "how to obtain it:", strings.TrimSpace(e.Obtain))
	}
	a.showParams(registry.Catalog().SourceParams(name))
	return nil
}

func (o *datasetsOptions) files(ctx context.Context, a *app, names []string,
	look func(context.Context, string, datasets.Options) ([]datasets.FileStatus, error),
) error {
	found := make(map[string][]datasets.FileStatus, len(names))
	var errs []error
	for _, name := range names {
		files, err := look(ctx, name, o.data.options(a))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if files == nil && err != nil {
			return usage(err)
		}
		found[name] = files
		for _, f := range files {
			if !f.OK {
				at := name
				if f.File != name {
					at += ": " + f.File
				}
				errs = append(errs, fmt.Errorf("%s: %w", at, noSpec(f.Err)))
			}
		}
	}
	if o.json {
		if err := printJSON(a.out, found); err != nil {
			return err
		}
	} else {
		for _, name := range names {
			for _, f := range found[name] {
				if f.OK {
					fmt.Fprintf(a.out, "%s: %s: ok (%s: %s)\n", name, f.File, f.Where, f.Path)
				}
			}
		}
	}
	return failed(errors.Join(errs...))
}

// noSpec returns the error of a dataset without the advice on specs and without the
// dataset's name, which the user has given.
func noSpec(err error) error {
	var named *datasets.NamedError
	if errors.As(err, &named) {
		err = named.Err
	}
	var missing *datasets.MissingError
	if errors.As(err, &missing) {
		err = errors.New(missing.Reason(false))
	}
	return err
}
