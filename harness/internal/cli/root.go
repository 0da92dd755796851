// Package cli implements the command line. Results go to stdout, progress and messages to stderr.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/run"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/spf13/cobra"
)

// app holds what the commands share: the streams, the cluster and the limits of the process.
type app struct {
	out   io.Writer
	err   io.Writer
	slurm cluster.Slurm
	// limitHeap sets the memory limit of the process.
	limitHeap func(bytes int64)
}

// Main runs the command line and returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	// A second signal ends the program at once, but not within two seconds of the first: Slurm signals all
	// processes of a job, and the script of the job signals them again.
	context.AfterFunc(ctx, func() { time.AfterFunc(2*time.Second, stop) })
	a := &app{out: stdout, err: stderr, limitHeap: run.LimitHeap}
	return a.run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) (code int) {
	out, stderr := newTextWriter(a.out), newTextWriter(a.err)
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "stochopt: internal error: %v\n%s", p, debug.Stack())
			code = exitInternal
		}
		_ = stderr.close() // an error cannot be reported
	}()
	filtered := *a
	filtered.out, filtered.err = out, stderr
	root := newRoot(&filtered)
	root.SetArgs(args)
	// An error of cobra before the command runs is a usage error.
	running := false
	root.PersistentPreRun = func(*cobra.Command, []string) { running = true }
	cmd, err := root.ExecuteContextC(ctx)
	if _, coded := errors.AsType[*codedError](err); err != nil && !running && !coded {
		err = usagef("%w; see %s --help", err, cmd.CommandPath())
	}
	if ctx.Err() != nil && exitCode(cmd, err) == exitUsage {
		err = ctx.Err() // the interruption, not a mistake of the user, caused the error
	}
	if writeErr := out.close(); writeErr != nil {
		if errors.Is(err, writeErr) {
			err = nil
		}
		err = errors.Join(err, failed(fmt.Errorf("cannot write the output: %w", writeErr)))
	}
	report(stderr, err)
	return exitCode(cmd, err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "stochopt",
		Short: "Reproducible experiments with stochastic optimisation algorithms",
		Long: `stochopt runs the experiments of Andrew Cotter's thesis "Stochastic Optimization for Machine
Learning" (2013), and your own, from YAML specs.

Exit codes: 0 ok; 1 a run or claim failed, or verify found a difference; 2 usage or spec error;
3 internal error; 130 interrupted. The exit codes of compare are verdicts.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		newNew(a), newRun(a), newPlan(a), newValidate(a), newStatus(a),
		newPlot(a), newTable(a), newVerify(a), newCompare(a), newClaims(a), newReport(a),
		newSubmit(a), newCollect(a), newExport(a), newImport(a),
		newDatasets(a), newAlgorithms(a), newExternal(a), newSchema(a), newVersion(a), newManual(a),
	)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpCommand(&cobra.Command{
		Use:    "help [COMMAND...]",
		Short:  "Help about a command",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.SetArgs(append(args, "--help"))
			return root.Execute()
		},
	})
	root.InitDefaultCompletionCmd()
	checkArguments(root)
	return root
}

// checkArguments makes a command and its subcommands report an unknown command as an error. By default, cobra
// prints the help and succeeds, or reports the flags after it. Errors in the number of arguments name the
// arguments of the command.
func checkArguments(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		checkArguments(sub)
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) != nil {
				return fmt.Errorf("want %s, got %s", cmd.Use, words.Count(len(args), "argument"))
			}
			return nil
		}
	}
	if !cmd.HasSubCommands() || cmd.Runnable() {
		return
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.DisableFlagParsing, cmd.DisableFlagsInUseLine = true, true
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Hidden = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		isFlag := func(arg string) bool { return strings.HasPrefix(arg, "-") }
		if names := slices.DeleteFunc(slices.Clone(args), isFlag); len(names) > 0 {
			return unknownCommand(cmd, names[0])
		}
		if len(args) > 0 && args[0] != "--help" && args[0] != "-h" {
			return usagef("unknown flag: %s; see %s --help", args[0], cmd.CommandPath())
		}
		return cmd.Help()
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	return usagef("unknown command %q%s; see %s --help", name, spec.Hint(name, known), cmd.CommandPath())
}
