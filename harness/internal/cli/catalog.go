package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots/table"

	"github.com/spf13/cobra"
)

func newAlgorithms(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "algorithms",
		Short: "List the algorithms with their parameters and their source in the thesis",
		Args:  cobra.NoArgs,
	}
	var task string
	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List the algorithms of all tasks or of one task",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if tasks := registry.Catalog().TaskNames(); task != "" && !slices.Contains(tasks, task) {
				return usagef("unknown task %q%s", task, spec.Hint(task, tasks))
			}
			if asJSON {
				return printJSONList(a.out, registry.Algorithms(task))
			}
			printTable(a.out, inTable, registry.Algorithms(task), []column[spec.Algorithm]{
				{"id", func(e spec.Algorithm) any { return e.ID }},
				{"task", func(e spec.Algorithm) any { return e.Task }},
				{"algorithm", func(e spec.Algorithm) any { return e.Title }},
				{"source", func(e spec.Algorithm) any { return e.Source }},
			})
			return nil
		},
	}
	show := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an algorithm and its parameters, for each of its tasks",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return a.showAlgorithm(args[0]) },
	}
	list.Flags().StringVar(&task, "task", "", "list the algorithms of this task (default: all)")
	jsonFlag(list, &asJSON)
	cmd.AddCommand(list, show)
	return cmd
}

// showAlgorithm prints the algorithms with a name. Several tasks may have an algorithm with that name.
func (a *app) showAlgorithm(name string) error {
	var ids []string
	for _, e := range registry.Algorithms("") {
		ids = append(ids, e.ID)
		if e.ID != name {
			continue
		}
		fmt.Fprintln(a.out, strings.Join(algorithmLines(e), "\n"))
		printParams(a.out, inTable, e.Params)
	}
	if !slices.Contains(ids, name) {
		return usagef("unknown algorithm %q%s", name, spec.Hint(name, ids))
	}
	return nil
}

// algorithmLines describes an algorithm without its parameters. The first line has its name.
func algorithmLines(e spec.Algorithm) []string {
	lines := []string{fmt.Sprintf("%s: %s", e.ID, e.Title)}
	if e.Update != "" {
		lines = append(lines, "a step: "+e.Update, "cost of a step: "+e.StepCost)
	}
	lines = append(lines, "source: "+e.Source, fmt.Sprintf("task %s, version %d", e.Task, e.Version))
	if e.Deterministic {
		lines = append(lines, "deterministic: on a fixed split, one run stands for all repeats")
	}
	return lines
}

// printParams prints a table of the parameters of an algorithm or of a dataset source.
func printParams(w io.Writer, format string, params []spec.Param) {
	printTable(w, format, params, []column[spec.Param]{
		{"parameter", func(p spec.Param) any { return p.Name }},
		{"kind", func(p spec.Param) any { return p.Kind }},
		{"default", func(p spec.Param) any { return defaultText(p) }},
		{"values", func(p spec.Param) any { return valuesText(p) }},
		{"what", func(p spec.Param) any { return p.Doc }},
	})
}

func defaultText(p spec.Param) string {
	switch {
	case p.Required:
		return "required"
	case p.Default == nil:
		return "none"
	}
	return fmt.Sprint(p.Default)
}

func valuesText(p spec.Param) string {
	switch {
	case len(p.Choices) > 0:
		return "one of " + strings.Join(p.Choices, ", ")
	case p.Kind == "bool":
		return "true or false"
	case p.Min != nil && p.Max != nil:
		return record.FormatParam(*p.Min) + " to " + record.FormatParam(*p.Max)
	}
	var bounds []string
	for _, bound := range []struct {
		sign  string
		value *float64
	}{{"> ", p.Above}, {">= ", p.Min}, {"<= ", p.Max}} {
		if bound.value != nil {
			bounds = append(bounds, bound.sign+record.FormatParam(*bound.value))
		}
	}
	return cmp.Or(strings.Join(bounds, ", "), "any value")
}

func newDatasets(a *app) *cobra.Command {
	var data dataOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "datasets",
		Short: "List, describe, download and verify data sets",
		Long: `Files of data sets are looked up in the cache folder, then in the folder or URL
HARNESS_MIRROR (as <mirror>/mnist/<file>), then at their canonical addresses.
A file is used only if its checksum is correct.`,
		Args: cobra.NoArgs,
	}
	list := &cobra.Command{
		Use: "list", Short: "List the data sets, generators and preparation steps", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listDatasets(asJSON) },
	}
	info := &cobra.Command{
		Use: "info NAME", Short: "Describe a data set: files, checksums, licence, citation", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.describeDataset(args[0]) },
	}
	fetch := &cobra.Command{
		Use: "fetch NAME...", Short: "Download missing files into the cache and verify them", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.fetchDatasets(cmd.Context(), args, data.options(a), asJSON)
		},
	}
	jsonFlag(list, &asJSON)
	jsonFlag(fetch, &asJSON)
	data.flags(fetch)
	cmd.AddCommand(list, info, fetch)
	return cmd
}

func (a *app) listDatasets(asJSON bool) error {
	if asJSON {
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
	printTable(a.out, inTable, sources, []column[source]{
		{"name", func(s source) any { return s.name }},
		{"rows", func(s source) any { return s.rows }},
		{"features", func(s source) any { return s.features }},
		{"what", func(s source) any { return s.what }},
	})
	fmt.Fprintln(a.out, "\nPreparation steps, for prepare: [...], applied in order:")
	for _, p := range datasets.Preparations() {
		fmt.Fprintf(a.out, "\n  %s\n%s\n", p.Name, strings.Join(words.Wrap("      "+p.Doc, table.Width, "      "), "\n"))
	}
	return nil
}

func (a *app) describeDataset(name string) error {
	generators := datasets.Generators()
	if i := slices.IndexFunc(generators, func(g datasets.Generator) bool { return g.Name == name }); i >= 0 {
		fmt.Fprintf(a.out, "%s: %s\n", name, generators[i].Doc)
	} else {
		e, err := datasets.Info(name)
		if err != nil {
			return usage(err)
		}
		if err := printYAML(a.out, e); err != nil {
			return err
		}
	}
	printParams(a.out, inTable, registry.Catalog().SourceParams(name))
	return nil
}

// fetchDatasets downloads and verifies the files of data sets. It reports the files that it could not get.
func (a *app) fetchDatasets(ctx context.Context, names []string, from datasets.Options, asJSON bool) error {
	found := make(map[string][]datasets.FileStatus, len(names))
	var errs []error
	for _, name := range names {
		files, err := datasets.Fetch(ctx, name, from)
		if err != nil {
			return usage(err)
		}
		found[name] = files
		for _, f := range files {
			switch {
			case !f.OK && f.File == name:
				errs = append(errs, fmt.Errorf("%s: %w", name, fetchError(f.Err)))
			case !f.OK:
				errs = append(errs, fmt.Errorf("%s: %s: %w", name, f.File, fetchError(f.Err)))
			case !asJSON:
				fmt.Fprintf(a.out, "%s: %s: ok (%s: %s)\n", name, f.File, f.Where, f.Path)
			}
		}
	}
	if asJSON {
		if err := printJSON(a.out, found); err != nil {
			return err
		}
	}
	return failed(errors.Join(errs...))
}

// fetchError removes the name of the data set and the advice on specs from an error.
func fetchError(err error) error {
	if named, ok := errors.AsType[*datasets.NamedError](err); ok {
		err = named.Err
	}
	if missing, ok := errors.AsType[*datasets.MissingError](err); ok {
		missing.Real = true
	}
	return err
}
