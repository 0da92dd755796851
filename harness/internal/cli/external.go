package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

// externalOptions holds the permission to start the programs of external algorithms.
type externalOptions struct{ external string }

func (o *externalOptions) flags(cmd *cobra.Command) {
	choiceFlag(cmd, &o.external, "external",
		"allow or refuse to start the programs of external algorithms", "refuse", "allow")
}

// allowed reports whether programs may be started.
func (o *externalOptions) allowed() bool { return o.external == "allow" }

// checkPermission returns an error if runs start programs without permission.
func (o *externalOptions) checkPermission(items []*plan.Item) error {
	var list []string // the command lines of the programs
	for _, it := range items {
		if p := it.Algorithm.Program; p != nil {
			list = words.AddOnce(list, p.ID+": "+p.String())
		}
	}
	if len(list) == 0 || o.allowed() {
		return nil
	}
	return usagef("this spec starts programs of external algorithms, which run with your rights:\n"+
		"  %s\nnothing was started; use --external allow if you trust them", strings.Join(list, "\n  "))
}

type checkOptions struct {
	task   string
	params []string
}

func newExternal(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "external", Short: "Algorithms in other languages"}
	o := checkOptions{}
	check := &cobra.Command{
		Use:   "check COMMAND...",
		Short: "Check that a program follows the protocol of external algorithms",
		Long: `Check runs the command twice on a small problem. It makes the same checks as run. If the program
declares itself deterministic, both runs must give the same numbers. The exit code is 1 if a check
fails. The command needs no --external allow.

Flags come before the command. After --, all arguments belong to the command.`,
		Example: "  stochopt external check --task pca python3 external/python/oja.py",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, word := range args {
				flag, _, _ := strings.Cut(word, "=")
				if cmd.ArgsLenAtDash() < 0 && (flag == "--task" || flag == "--with") {
					return usagef("%s comes after the command: put flags first, or put -- before the command", flag)
				}
			}
			return o.check(cmd.Context(), a, args)
		},
	}
	check.Flags().SetInterspersed(false)
	choiceFlag(check, &o.task, "task", "task of the small problem: pca or svm", "pca", "svm")
	check.Flags().StringArrayVar(&o.params, "with", nil, "parameter of the program, as NAME=VALUE; repeatable")
	cmd.AddCommand(check)
	return cmd
}

// checkSpec is a spec that runs a program twice, as two algorithms with different names.
const checkSpec = `{version: 1, name: check, seed: 20130719, repeats: 1, budget: {iterations: 120},
record: {points: 6, spacing: log}, task: %s, datasets: [{id: check, %s}], algorithms: [
{id: first, external: &program {version: 1, command: %s},
  with: &with {%s}, step: &step {schedule: inverse-sqrt, c: 0.1}},
{id: second, with: *with, step: *step, external: *program}]}`

// checkData has the data and the problem of each task.
var checkData = map[string]string{
	"pca": "source: simulated-gaussian, with: {dim: 12, gap: 2}, problem: {k: 3}",
	"svm": "source: simulated-margin, with: {dim: 12, R: 4, n: 60, test: 20}, " +
		"problem: {kernel: gaussian, gamma: 0.1, C: 1}",
}

func (o *checkOptions) check(ctx context.Context, a *app, command []string) error {
	var with []string
	for _, pair := range o.params {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" || value == "" {
			return usagef("--with %q: want NAME=VALUE", pair)
		}
		with = append(with, name+": "+value)
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
	p, err := plan.Build(ctx, s, new(dataOptions).opener(a))
	if err != nil {
		return usage(err)
	}
	for _, it := range p.Items {
		it.Algorithm.Program.Version = 0 // accepts any version
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
	runs[1].Algorithm = runs[0].Algorithm // the only intended difference
	if list := runs[0].External.Declared; len(list) > 0 {
		fmt.Fprintf(a.out, "declared costs, which are not verified: %s\n", strings.Join(list, ", "))
	}
	if !runs[0].External.Deterministic {
		fmt.Fprintln(a.out, "ok; the program does not declare itself deterministic")
	} else if text, _ := compare.RunDifference(&runs[0], &runs[1]); text != "" {
		return failed(fmt.Errorf("the program declares itself deterministic, but a second run differs: %s", text))
	} else {
		fmt.Fprintln(a.out, "ok; a second run gives the same numbers")
	}
	return nil
}

// runInto performs a plan in a folder and returns the records.
func (a *app) runInto(ctx context.Context, dir string, p *plan.Plan) ([]record.Run, error) {
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return nil, err
	}
	_, err = run.Execute(ctx, p, store, run.Options{Workers: 1, External: true, Warn: func(text string) { a.warn(text) }})
	if err = errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	records, err := record.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	return records.Runs, nil
}
