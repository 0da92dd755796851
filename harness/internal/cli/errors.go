package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
)

// Exit codes of every verb but compare.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInternal    = 3
	exitInterrupted = 130
)

// Exit codes of compare, whose first ones are verdicts.
const (
	exitRegression = 1
	exitUndecided  = 2
	exitError      = 3
)

// codedError is an error that knows its exit code.
type codedError struct {
	code int
	err  error
	// verdict: it ends a comparison that was made but not passed.
	verdict bool
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// judges names the annotation of verbs whose exit codes 1 and 2 are verdicts, so that errors of any
// kind have code 3.
const judges = "judges"

// usage marks an error that the user can mend: a flag, a spec, a dataset that is not there, a
// folder that cannot be written.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code: exitUsage, err: err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// failed marks an error that means that the experiment did not come out.
func failed(err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code: exitFailed, err: err}
}

// exitCode maps the outcome of a verb to its exit code. It is the one place that does.
func exitCode(cmd *cobra.Command, err error) int {
	var coded *codedError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &coded) && coded.verdict:
		return coded.code
	case cmd != nil && cmd.Annotations[judges] != "":
		return exitError
	case errors.As(err, &coded):
		return coded.code
	}
	return exitInternal
}

// report prints err as the last word of a command.
func report(stderr io.Writer, err error) {
	var coded *codedError
	var mistakes spec.Errors
	var mistake *plan.Error
	switch {
	case err == nil, errors.As(err, &coded) && coded.verdict: // the output ends with it
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "interrupted; what is finished is on record, and the same command goes on from there")
	case errors.As(err, &coded) && (errors.As(err, &mistakes) || errors.As(err, &mistake)):
		// Lines of "file:line:col: message", as editors read them.
		fmt.Fprintln(stderr, err)
	case errors.As(err, &coded):
		fmt.Fprintln(stderr, "stochopt:", err)
	default:
		fmt.Fprintln(stderr, "stochopt: internal error:", err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		fmt.Fprintln(stderr, "the disk is full: free space, and repeat the command")
	}
}

// stickyWriter remembers the first error, so that output that is lost does not go unnoticed however
// it was written.
type stickyWriter struct {
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (s *stickyWriter) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}
