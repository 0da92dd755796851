package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
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

// codedError is an error with an exit code.
type codedError struct {
	code int
	err  error
	// verdict: a comparison was made but not passed.
	verdict bool
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// judges names the annotation of verbs whose exit codes 1 and 2 are verdicts, so that errors of any
// kind have code 3.
const judges = "judges"

// usage marks an error that the user can correct: a flag, a spec, a missing dataset, a folder that
// cannot be written.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code: exitUsage, err: err}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// failed marks an error that means that the experiment failed.
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

// report prints the error that ends a command.
func report(stderr io.Writer, err error) {
	var coded *codedError
	var stopped *interruptedError
	var mistakes spec.Errors
	var mistake *plan.Error
	switch {
	case err == nil, errors.As(err, &coded) && coded.verdict: // the output ends with it
	case errors.As(err, &stopped):
		fmt.Fprintln(stderr, stopped)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "interrupted; run the same command again")
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

// interruptedError says how many runs of an experiment were saved before it was interrupted.
type interruptedError struct {
	experiment     string
	saved, planned int
}

func (e *interruptedError) Error() string {
	return fmt.Sprintf("%s: interrupted: %d of %d runs saved; run the same command to resume", e.experiment, e.saved, e.planned)
}

func (e *interruptedError) Unwrap() error { return context.Canceled }

// textWriter writes text with U+FFFD in place of the characters that control a terminal, which specs,
// records and file names may contain. It remembers the first error.
type textWriter struct {
	mu  sync.Mutex
	w   *transform.Writer
	err error
}

func newTextWriter(w io.Writer) *textWriter {
	return &textWriter{w: transform.NewWriter(w, runes.Map(func(r rune) rune {
		if controls(r) {
			return utf8.RuneError
		}
		return r
	}))}
}

// Write implements io.Writer.
func (t *textWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		_, t.err = t.w.Write(p)
	}
	return len(p), t.err
}

// close writes a character that is not complete.
func (t *textWriter) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = t.w.Close()
	}
	return t.err
}

// choice is the value of a flag that is one of some words.
type choice struct {
	value *string
	known []string
}

// choiceFlag adds a flag whose value is one of some words, by default the first.
func choiceFlag(cmd *cobra.Command, value *string, name, help string, known ...string) {
	*value = known[0]
	cmd.Flags().Var(choice{value, known}, name, help)
}

// String implements pflag.Value.
func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type implements pflag.Value.
func (c choice) Type() string { return "string" }

// Set implements pflag.Value.
func (c choice) Set(word string) error {
	if !slices.Contains(c.known, word) {
		return fmt.Errorf("want one of %s", strings.Join(c.known, ", "))
	}
	*c.value = word
	return nil
}

// controls reports whether a character controls a terminal, or the order in which the text around
// it is shown.
func controls(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
