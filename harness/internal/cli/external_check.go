package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"stochopt/harness/internal/external"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

func newExternal(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "external", Short: "Algorithms in other languages"}
	o := checkOptions{}
	check := &cobra.Command{
		Use:   "check COMMAND...",
		Short: "Check that a program keeps to the protocol of external algorithms",
		Long: `Starts the command, which is taken as permission, and checks it on a small
problem: its hello, the shapes and numbers of its states, that a method that claims
to be deterministic gives the same bytes twice, its counters, and what it does with
lines that are no messages. The exit code is 1 if a check fails.

Flags come before the command.`,
		Example: "  stochopt external check --task pca python3 external/python/oja.py",
		Args:    atLeastOne("command"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.externalCheck(cmd, args, &o) },
	}
	check.Flags().SetInterspersed(false)
	check.Flags().StringVar(&o.task, "task", "pca", "task to start it for: pca or svm")
	check.Flags().StringArrayVar(&o.with, "with", nil, "a parameter as NAME=VALUE; may be repeated")
	check.Flags().DurationVar(&o.patience, "timeout", 10*time.Second, "how long an answer may take")
	cmd.AddCommand(check)
	return cmd
}

// checkOptions are the flags of external check.
type checkOptions struct {
	task     string
	with     []string
	patience time.Duration
}

func (a *app) externalCheck(cmd *cobra.Command, command []string, o *checkOptions) error {
	if o.task != "pca" && o.task != "svm" {
		return usagef("--task %q: want pca or svm", o.task)
	}
	given := map[string]any{"step.schedule": "inverse-sqrt", "step.c": 0.1}
	for _, pair := range o.with {
		name, text, ok := strings.Cut(pair, "=")
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); !ok || name == "" || err != nil {
			return usagef("--with %q: want NAME=VALUE", pair)
		}
		if n, ok := value.(int); ok {
			value = int64(n)
		}
		given[name] = value
	}
	program, err := external.NewProgram(external.Program{ID: "check", Task: o.task, Patience: o.patience}, command, nil)
	if err != nil {
		return usagef("%v", err)
	}
	wrong := 0
	warn := func(text string) { fmt.Fprintln(a.err, text) }
	for _, f := range external.Check(cmd.Context(), program, given, external.Settings{Warn: warn}) {
		switch {
		case f.Err != nil:
			wrong++
			fmt.Fprintf(a.out, "FAILED   %s\n         %s\n", f.What, strings.ReplaceAll(f.Err.Error(), "\n", "\n         "))
		case f.Skipped != "":
			fmt.Fprintf(a.out, "skipped  %s: %s\n", f.What, f.Skipped)
		default:
			fmt.Fprintf(a.out, "ok       %s\n", f.What)
		}
	}
	if wrong > 0 {
		return failed(errors.New(words.Count(wrong, "check") + " failed"))
	}
	return nil
}
