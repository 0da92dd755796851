// Package cli is the command line: one file a verb, each an options struct, a constructor and a run
// function. Results go to stdout, progress and logs to stderr.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"stochopt/harness/internal/cluster"
	"stochopt/harness/internal/run"

	"github.com/spf13/cobra"
)

// app is what the commands share: the streams, the environment and the limits of the process.
type app struct {
	in     io.Reader
	out    io.Writer
	err    io.Writer
	getenv func(string) string
	slurm  cluster.Slurm
	// root is the folder that relative paths of a user start from; "" is the working directory.
	root string
	// cache is the folder of downloaded data without --cache; "" is the default of datasets.
	cache string
	// limitHeap sets the memory limit of the process.
	limitHeap func(bytes int64)
}

// path resolves a path that a user gives.
func (a *app) path(path string) string {
	if a.root == "" || path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.root, path)
}

// paths resolves several paths.
func (a *app) paths(paths []string) []string {
	resolved := make([]string, len(paths))
	for i, p := range paths {
		resolved[i] = a.path(p)
	}
	return resolved
}

// Main runs the command line and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	// A second signal ends the program at once, but not one that comes with the first: a cluster
	// signals all processes of a job, and its script passes on what it gets.
	context.AfterFunc(ctx, func() { time.AfterFunc(2*time.Second, stop) })
	a := &app{in: stdin, out: stdout, err: stderr, getenv: os.Getenv, limitHeap: run.LimitHeap}
	return a.run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) (code int) {
	stdout, stderr := newTextWriter(a.out), newTextWriter(a.err)
	defer func() { _ = stderr.close() }() // there is nowhere to say that it failed
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "stochopt: internal error: %v\n%s", p, debug.Stack())
			code = exitInternal
		}
	}()
	out := &stickyWriter{w: stdout}
	own := *a
	own.out, own.err = out, stderr
	root := newRoot(&own)
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, args, err) })
	// What cobra itself objects to, before a command runs, is a usage error.
	var running *cobra.Command
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { running = cmd }
	cmd, err := root.ExecuteContextC(ctx)
	var coded *codedError
	if err != nil && running == nil && !errors.As(err, &coded) {
		err = usagef("%w; see %s --help", err, cmd.CommandPath())
	}
	out.err = cmp.Or(out.err, stdout.close())
	if out.err != nil && (err == nil || errors.Is(err, out.err)) {
		err = failed(fmt.Errorf("cannot write the output: %w", out.err))
	}
	report(stderr, err)
	return exitCode(cmd, err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "stochopt",
		Short: "Reproducible experiments with stochastic optimisation algorithms",
		Long: `stochopt runs the experiments of Andrew Cotter's thesis "Stochastic Optimization
for Machine Learning" (2013), and yours, from YAML specs: seeded repeats, step
sizes selected on validation data, exact costs, figures and tables.

Exit codes: 0 ok, 1 a run failed or, of the verb claims, a claim is not reproduced, or,
of verify, something differs or is missing, 2 usage or spec error, 3 internal error,
130 interrupted (the same command resumes).
Those of compare are verdicts: see its help.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		newNew(a), newRun(a), newPlan(a), newValidate(a), newStatus(a),
		newPlot(a), newTable(a), newVerify(a), newCompare(a), newClaims(a), newReport(a),
		newSubmit(a), newCollect(a), newExport(a), newImport(a),
		newDatasets(a), newAlgorithms(a), newExternal(a), newSchema(a), newVersion(a), newManual(a),
	)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	strictVerbs(root)
	return root
}
