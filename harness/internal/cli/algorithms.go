package cli

import (
	"fmt"
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
	asJSON := false
	var task, format string
	list := &cobra.Command{
		Use:   "list",
		Short: "List the algorithms, of all tasks or of one",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if tasks := registry.Catalog().TaskNames(); task != "" && !slices.Contains(tasks, task) {
				return usagef("unknown task %q%s", task, spec.Hint(task, tasks))
			}
			entries := registry.Algorithms(task)
			return printTable(a.out, format, entries, []column[registry.Entry]{
				{"id", func(e registry.Entry) any { return e.ID }},
				{"task", func(e registry.Entry) any { return e.Task }},
				{"algorithm", func(e registry.Entry) any { return e.Title }},
				{"source", func(e registry.Entry) any { return e.Source }},
			})
		},
	}
	show := &cobra.Command{
		Use:   "show NAME",
		Short: "Show an algorithm and its parameters",
		Args:  exactlyOne("algorithm"),
		RunE: func(_ *cobra.Command, args []string) error {
			found := slices.DeleteFunc(registry.Algorithms(task), func(e registry.Entry) bool { return e.ID != args[0] })
			if len(found) == 0 {
				return unknownAlgorithm(args[0], task)
			}
			if asJSON && len(found) > 1 {
				return usagef("%s is an algorithm of the tasks %s; choose one with --task", args[0], strings.Join(tasksOf(found), " and "))
			}
			if asJSON {
				return printJSON(a.out, found[0])
			}
			for i, e := range found {
				if i > 0 {
					fmt.Fprintln(a.out)
				}
				if err := a.showAlgorithm(e); err != nil {
					return err
				}
			}
			return nil
		},
	}
	list.Flags().StringVar(&task, "task", "", "task whose algorithms are listed (default: all)")
	show.Flags().StringVar(&task, "task", "", "task of an algorithm that several tasks have")
	formatFlags(list, &format)
	show.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list, show)
	return cmd
}

func algorithmIDs() []string {
	var ids []string
	for _, e := range registry.Algorithms("") {
		if !slices.Contains(ids, e.ID) { // several tasks may have it
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// unknownAlgorithm explains a name that no algorithm has, or none of the task.
func unknownAlgorithm(id, task string) error {
	tasks := registry.Catalog().TaskNames()
	switch {
	case task == "":
		return usagef("unknown algorithm %q%s", id, spec.Hint(id, algorithmIDs()))
	case !slices.Contains(tasks, task):
		return usagef("unknown task %q%s", task, spec.Hint(task, tasks))
	}
	return usagef("the task %s has no algorithm %q%s", task, id, spec.Hint(id, registry.Catalog().Task(task).IDs()))
}

func tasksOf(entries []registry.Entry) []string {
	var tasks []string
	for _, e := range entries {
		tasks = append(tasks, e.Task)
	}
	return tasks
}

func (a *app) showAlgorithm(e registry.Entry) error {
	fmt.Fprintf(a.out, "%s: %s\ntask %s, version %d\nsource: %s\n", e.ID, e.Title, e.Task, e.Version, e.Source)
	if e.Update != "" {
		fmt.Fprintf(a.out, "a step: %s\na step costs: %s\n", e.Update, e.StepCost)
	}
	if e.Deterministic {
		fmt.Fprintln(a.out, "deterministic: one run on a split that does not change, however many repeats")
	}
	a.showParams(e.Params)
	return nil
}

// showParams describes parameters, of an algorithm or of a dataset source.
func (a *app) showParams(params []spec.Param) {
	for _, p := range params {
		fmt.Fprintf(a.out, "\n  %s  (%s, %s; %s)\n      %s\n", p.Name, p.Kind, defaultText(p), valuesText(p), p.Doc)
	}
}

func defaultText(p spec.Param) string {
	switch {
	case p.Required:
		return "required"
	case p.Default == nil:
		return "no default"
	}
	return fmt.Sprintf("default %v", p.Default)
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
