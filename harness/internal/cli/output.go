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

// Exit codes. Those of compare have other meanings; the first two are verdicts.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInternal    = 3
	exitInterrupted = 130

	exitRegression = 1
	exitUndecided  = 2
	exitError      = 3
)

// codedError is an error with an exit code.
type codedError struct {
	code int
	err  error
	// verdict means that the code is the verdict of compare, which has already printed it.
	verdict bool
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// usage marks an error that the user can correct, such as a wrong flag or spec, or missing data.
func usage(err error) error { return withCode(exitUsage, err) }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// failed marks an error of the experiment, such as a failed run, or of its folder.
func failed(err error) error { return withCode(exitFailed, err) }

// withCode adds an exit code to an error. It returns nil if err is nil.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code: code, err: err}
}

// exitCode returns the exit code of a command that returned err.
func exitCode(cmd *cobra.Command, err error) int {
	coded, isCoded := errors.AsType[*codedError](err)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case isCoded && coded.verdict:
		return coded.code
	case cmd.Name() == "compare":
		return exitError
	case isCoded:
		return coded.code
	}
	return exitInternal
}

// report prints the error of a command.
func report(stderr io.Writer, err error) {
	coded, _ := errors.AsType[*codedError](err)
	_, inSpec := errors.AsType[spec.Errors](err)
	_, inPlan := errors.AsType[*plan.Error](err)
	switch {
	case err == nil, coded != nil && coded.verdict: // already printed
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "interrupted; run the same command again")
	case coded == nil:
		fmt.Fprintln(stderr, "stochopt: internal error:", err)
	case coded.code == exitInterrupted, inSpec, inPlan:
		// Editors parse lines of the form "file:line:col: message".
		fmt.Fprintln(stderr, err)
	default:
		fmt.Fprintln(stderr, "stochopt:", err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		fmt.Fprintln(stderr, "the disk is full: free some space and repeat the command")
	}
}

// textWriter replaces characters that control a terminal by U+FFFD. Specs, records and file names may
// contain such characters.
type textWriter struct {
	mu  sync.Mutex
	w   *transform.Writer
	err error // the first error
}

func newTextWriter(w io.Writer) *textWriter {
	return &textWriter{w: transform.NewWriter(w, runes.Map(func(r rune) rune {
		if isControl(r) {
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

// close writes the rest of an incomplete character. It returns the first error.
func (t *textWriter) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = t.w.Close()
	}
	return t.err
}

// checkedText is the value of a flag whose text is checked, or parsed, when it is set.
type checkedText struct {
	text  *string
	check func(text string) error
}

// String implements pflag.Value.
func (c checkedText) String() string { return *c.text }

// Type implements pflag.Value.
func (c checkedText) Type() string { return "string" }

// Set implements pflag.Value.
func (c checkedText) Set(text string) error {
	*c.text = text
	return c.check(text)
}

// choiceFlag adds a flag that takes one of the known words. The default is the first.
func choiceFlag(cmd *cobra.Command, value *string, name, help string, known ...string) {
	*value = known[0]
	cmd.Flags().Var(checkedText{value, func(word string) error {
		if !slices.Contains(known, word) {
			return fmt.Errorf("want one of %s", strings.Join(known, ", "))
		}
		return nil
	}}, name, help)
}

// isControl reports whether a character controls a terminal or the direction of text.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
