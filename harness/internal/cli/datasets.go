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
	"stochopt/plots/table"

	"github.com/spf13/cobra"
)

type datasetsOptions struct {
	data   dataOptions
	json   bool
	format string
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
	formatFlags(list, &o.format)
	for _, c := range []*cobra.Command{info, fetch, verify} {
		c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	}
	o.data.flags(fetch)
	o.data.flags(verify)
	cmd.AddCommand(list, info, fetch, verify)
	return cmd
}

func (o *datasetsOptions) list(a *app) error {
	if o.format == inJSON {
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
	err := printTable(a.out, o.format, sources, []column[source]{
		{"name", func(s source) any { return s.name }},
		{"rows", func(s source) any { return s.rows }},
		{"features", func(s source) any { return s.features }},
		{"what", func(s source) any { return s.what }},
	})
	if err != nil || o.format != inTable {
		return err
	}
	fmt.Fprintln(a.out, "\nPreparation steps, for prepare: [...], applied in order:")
	for _, p := range datasets.Preparations() {
		fmt.Fprintf(a.out, "\n  %s\n%s\n", p.Name, strings.Join(words.Wrap("      "+p.Doc, table.Width, "      "), "\n"))
	}
	return nil
}

func (o *datasetsOptions) info(a *app, name string) error {
	for _, g := range datasets.Generators() {
		if g.Name == name && o.json {
			return printJSON(a.out, g)
		}
		if g.Name == name {
			fmt.Fprintf(a.out, "%s: %s\n", g.Name, g.Doc)
			return printParams(a.out, inTable, registry.Catalog().SourceParams(name))
		}
	}
	e, err := datasets.Info(name)
	switch {
	case err != nil:
		return usage(err)
	case o.json:
		return printJSON(a.out, e)
	}
	if err := printYAML(a.out, e); err != nil {
		return err
	}
	return printParams(a.out, inTable, registry.Catalog().SourceParams(name))
}

// files looks for the files of datasets, and reports those that it has not found.
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
			switch {
			case !f.OK && f.File == name:
				errs = append(errs, fmt.Errorf("%s: %w", name, noSpec(f.Err)))
			case !f.OK:
				errs = append(errs, fmt.Errorf("%s: %s: %w", name, f.File, noSpec(f.Err)))
			case !o.json:
				fmt.Fprintf(a.out, "%s: %s: ok (%s: %s)\n", name, f.File, f.Where, f.Path)
			}
		}
	}
	if o.json {
		if err := printJSON(a.out, found); err != nil {
			return err
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
