package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unicode"
	"unicode/utf8"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/spec"

	"github.com/spf13/cobra"
	"golang.org/x/term"
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

// textWriter writes text without the characters that control a terminal, which specs, records and
// file names may contain. It writes them as Go escapes, such as \x1b, and remembers the first error.
type textWriter struct {
	w io.Writer

	mu  sync.Mutex
	err error
	// rest is the beginning of a character that the next Write completes.
	rest []byte
}

// Write implements io.Writer.
func (t *textWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := append(t.rest, p...)
	end := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) && !utf8.FullRune(tail) {
			end -= n
			break
		}
	}
	t.rest = append([]byte(nil), text[end:]...)
	return len(p), t.print(text[:end])
}

// close writes the rest.
func (t *textWriter) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.print(t.rest)
}

func (t *textWriter) print(text []byte) error {
	if t.err == nil && len(text) > 0 {
		_, t.err = io.WriteString(t.w, harmless(string(text)))
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

// harmless returns a text with escapes in place of characters that control a terminal.
func harmless(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, controls) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		shown := text[:n]
		if r == utf8.RuneError && n == 1 || controls(r) {
			shown = strings.Trim(strconv.QuoteToGraphic(shown), `"`)
		}
		b.WriteString(shown)
		text = text[n:]
	}
	return b.String()
}

// controls reports whether a character controls a terminal, or the order in which the text around
// it is shown.
func controls(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

func isTerminal(w io.Writer) bool {
	f, ok := unwrapped(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// unwrapped returns the writer that a textWriter writes to.
func unwrapped(w io.Writer) io.Writer {
	if t, ok := w.(*textWriter); ok {
		return t.w
	}
	return w
}
