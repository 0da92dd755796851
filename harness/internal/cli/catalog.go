package cli

import (
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
		Short: "List the algorithms, with their parameters and their source in the thesis",
		Args:  cobra.NoArgs,
	}
	var task, format string
	asJSON := false
	list := &cobra.Command{
		Use:   "list",
		Short: "List the algorithms, of all tasks or of one",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkTask(task); err != nil {
				return err
			}
			return printTable(a.out, format, registry.Algorithms(task), []column[spec.Algorithm]{
				{"id", func(e spec.Algorithm) any { return e.ID }},
				{"task", func(e spec.Algorithm) any { return e.Task }},
				{"algorithm", func(e spec.Algorithm) any { return e.Title }},
				{"source", func(e spec.Algorithm) any { return e.Source }},
			})
		},
	}
	show := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an algorithm and its parameters",
		Args:  exactlyOne("algorithm"),
		RunE:  func(_ *cobra.Command, args []string) error { return a.showAlgorithm(args[0], task, asJSON) },
	}
	list.Flags().StringVar(&task, "task", "", "task whose algorithms are listed (default: all)")
	show.Flags().StringVar(&task, "task", "", "task of an algorithm that several tasks have")
	formatFlags(list, &format)
	show.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list, show)
	return cmd
}

func checkTask(task string) error {
	if tasks := registry.Catalog().TaskNames(); task != "" && !slices.Contains(tasks, task) {
		return usagef("unknown task %q%s", task, spec.Hint(task, tasks))
	}
	return nil
}

// showAlgorithm shows the algorithms of a name, of a task unless that is empty.
func (a *app) showAlgorithm(name, task string, asJSON bool) error {
	if err := checkTask(task); err != nil {
		return err
	}
	var found []spec.Algorithm
	var ids, tasks []string
	for _, e := range registry.Algorithms(task) {
		ids = append(ids, e.ID)
		if e.ID == name {
			found, tasks = append(found, e), append(tasks, e.Task)
		}
	}
	switch {
	case len(found) == 0 && task != "":
		return usagef("the task %s has no algorithm %q%s", task, name, spec.Hint(name, ids))
	case len(found) == 0:
		return usagef("unknown algorithm %q%s", name, spec.Hint(name, ids))
	case asJSON && len(found) > 1:
		return usagef("%s is an algorithm of the tasks %s; choose one with --task", name, strings.Join(tasks, " and "))
	case asJSON:
		return printJSON(a.out, found[0])
	}
	for _, e := range found {
		fmt.Fprintln(a.out, strings.Join(algorithmLines(e), "\n"))
		if err := printParams(a.out, inTable, e.Params); err != nil {
			return err
		}
	}
	return nil
}

// algorithmLines describe an algorithm without its parameters; the first line has its name.
func algorithmLines(e spec.Algorithm) []string {
	lines := []string{fmt.Sprintf("%s: %s", e.ID, e.Title)}
	if e.Update != "" {
		lines = append(lines, "a step: "+e.Update, "a step costs: "+e.StepCost)
	}
	lines = append(lines, "source: "+e.Source, fmt.Sprintf("task %s, version %d", e.Task, e.Version))
	if e.Deterministic {
		lines = append(lines, "deterministic: one run on a split that does not change, however many repeats")
	}
	return lines
}

// printParams describes parameters, of an algorithm or of a dataset source.
func printParams(w io.Writer, format string, params []spec.Param) error {
	return printTable(w, format, params, []column[spec.Param]{
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
	case p.Above != nil && p.Max != nil:
		return fmt.Sprintf("> %g, <= %g", *p.Above, *p.Max)
	case p.Min != nil && p.Max != nil:
		return fmt.Sprintf("%s to %s", record.FormatParam(*p.Min), record.FormatParam(*p.Max))
	case p.Min != nil:
		return fmt.Sprintf(">= %g", *p.Min)
	case p.Max != nil:
		return fmt.Sprintf("<= %g", *p.Max)
	case p.Above != nil:
		return fmt.Sprintf("> %g", *p.Above)
	case p.Kind == "bool":
		return "true or false"
	}
	return "any value"
}

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
			return o.files(cmd.Context(), a, args, o.data.options(a))
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
			opt := o.data.options(a)
			opt.Offline = true
			return o.files(cmd.Context(), a, args, opt)
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
func (o *datasetsOptions) files(ctx context.Context, a *app, names []string, opt datasets.Options) error {
	found := make(map[string][]datasets.FileStatus, len(names))
	var errs []error
	for _, name := range names {
		files, err := datasets.Fetch(ctx, name, opt)
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
		missing.Real = true
	}
	return err
}
