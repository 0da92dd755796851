package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"

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
