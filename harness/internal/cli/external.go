package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/compare"
	"stochopt/internal/record"

	"github.com/spf13/cobra"
)

// externalOptions say whether the programs of external algorithms may be started.
type externalOptions struct{ external string }

func (o *externalOptions) flags(cmd *cobra.Command) {
	choiceFlag(cmd, &o.external, "external",
		"whether the programs of external algorithms may be started: allow or refuse", "refuse", "allow")
}

// leave reports whether programs may be started.
func (o *externalOptions) leave() bool { return o.external == "allow" }

// programs lists the programs that runs start, as a user would type them, each once.
func programs(items []*plan.Item) (list []string) {
	for _, it := range items {
		if p := it.Algorithm.Program; p != nil && !slices.Contains(list, p.ID+": "+p.String()) {
			list = append(list, p.ID+": "+p.String())
		}
	}
	return list
}

// permit returns an error if runs start programs without permission.
func (o *externalOptions) permit(items []*plan.Item) error {
	list := programs(items)
	if len(list) == 0 || o.leave() {
		return nil
	}
	return usagef("this spec names programs for external algorithms, which run with your rights; nothing was started:\n"+
		"  %s\ngive --external allow if you trust them", strings.Join(list, "\n  "))
}

// checkOptions are the flags of external check.
type checkOptions struct {
	task string
	with []string
}

func newExternal(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "external", Short: "Algorithms in other languages"}
	o := checkOptions{}
	check := &cobra.Command{
		Use:   "check COMMAND...",
		Short: "Check that a program keeps to the protocol of external algorithms",
		Long: `Check takes the command as permission and starts it twice, for a run of a small
problem. It checks what any run checks, and that both runs give the same numbers if the
program says that it is deterministic. The exit code is 1 if a check fails.

Flags come before the command; after --, everything is the command.`,
		Example: "  stochopt external check --task pca python3 external/python/oja.py",
		Args:    atLeastOne("command"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, word := range args {
				flag, _, _ := strings.Cut(word, "=")
				if cmd.ArgsLenAtDash() < 0 && (flag == "--task" || flag == "--with") {
					return usagef("%s comes after the command: flags come first, or write -- before the command", flag)
				}
			}
			return o.check(cmd.Context(), a, args)
		},
	}
	check.Flags().SetInterspersed(false)
	check.Flags().StringVar(&o.task, "task", "pca", "task to start the program for: pca or svm")
	check.Flags().StringArrayVar(&o.with, "with", nil, "a parameter as NAME=VALUE; may be repeated")
	cmd.AddCommand(check)
	return cmd
}

// checkSpec runs a program on the data of a task, twice: as two algorithms that differ in their names.
const checkSpec = `{version: 1, name: check, seed: 20130719, repeats: 1, budget: {iterations: 120},
record: {points: 6, spacing: log}, task: %s, datasets: [{id: check, %s}], algorithms: [
{id: first, external: &program {version: 1, command: %s},
  with: &with {%s}, step: &step {schedule: inverse-sqrt, c: 0.1}},
{id: second, with: *with, step: *step, external: *program}]}`

// checkData are the data and the problem of each task.
var checkData = map[string]string{
	"pca": "source: simulated-gaussian, with: {dim: 12, gap: 2}, problem: {k: 3}",
	"svm": "source: simulated-margin, with: {dim: 12, R: 4, n: 60, test: 20}, " +
		"problem: {kernel: gaussian, gamma: 0.1, C: 1}",
}

func (o *checkOptions) check(ctx context.Context, a *app, command []string) error {
	var with []string
	for _, pair := range o.with {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" || value == "" {
			return usagef("--with %q: want NAME=VALUE", pair)
		}
		with = append(with, name+": "+value)
	}
	if checkData[o.task] == "" {
		return usagef("--task %q: want pca or svm", o.task)
	}
	quoted, err := json.Marshal(command)
	if err != nil {
		return err
	}
	text := fmt.Sprintf(checkSpec, o.task, checkData[o.task], quoted, strings.Join(with, ", "))
	s, err := spec.Parse("check", []byte(text), spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		return usage(err)
	}
	p, err := plan.Build(ctx, s, func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		return registry.Open(ctx, e, datasets.Options{})
	})
	if err != nil {
		return usage(err)
	}
	for _, it := range p.Items {
		it.Algorithm.Program.Version = 0 // any
	}
	dir, err := os.MkdirTemp("", "stochopt-check-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	runs, err := a.runInto(ctx, dir, p)
	if err != nil {
		return failed(err)
	}
	for _, r := range runs {
		if r.Status != record.StatusFinished {
			return failed(fmt.Errorf("the program fails the check: %s", r.Reason))
		}
	}
	runs[1].Algorithm = runs[0].Algorithm
	if list := runs[0].External.Declared; len(list) > 0 {
		fmt.Fprintf(a.out, "declared costs, which nobody counts: %s\n", strings.Join(list, ", "))
	}
	if !runs[0].External.Deterministic {
		fmt.Fprintln(a.out, "ok; the program does not say that it is deterministic")
	} else if text := compare.RunDifference(&runs[0], &runs[1]); text != "" {
		return failed(fmt.Errorf("the program says that it is deterministic, but a second run differs: %s", text))
	} else {
		fmt.Fprintln(a.out, "ok; a second run gives the same numbers")
	}
	return nil
}

// runInto performs a plan into a folder.
func (a *app) runInto(ctx context.Context, dir string, p *plan.Plan) ([]record.Run, error) {
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return nil, err
	}
	warn := func(text string) { a.warn([]string{text}) }
	_, err = run.Execute(ctx, p, store, run.Options{Workers: 1, External: true, Warn: warn})
	if err = errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	records, err := record.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	return records.Runs, nil
}
