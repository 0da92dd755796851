package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// textWriter is the edge where text is printed: what comes from specs, records and file
// names reaches a terminal without characters that steer it. They are written as Go
// escapes, such as \x1b. Only whole lines of text may go through it.
type textWriter struct {
	w io.Writer

	mu sync.Mutex
	// rest is the beginning of a character that the next Write is to complete.
	rest []byte
}

func newTextWriter(w io.Writer) *textWriter { return &textWriter{w: w} }

// Write implements io.Writer.
func (t *textWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := append(t.rest, p...)
	end := len(text) - cut(text)
	t.rest = append([]byte(nil), text[end:]...)
	return len(p), t.print(text[:end])
}

// close writes what was left incomplete.
func (t *textWriter) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.rest
	t.rest = nil
	return t.print(text)
}

func (t *textWriter) print(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := io.WriteString(t.w, harmless(string(text)))
	return err
}

// cut returns the number of bytes at the end of a text that begin a character and do
// not complete it.
func cut(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			break
		}
	}
	return 0
}

// harmless returns a text without what steers a terminal or hides text on it.
func harmless(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, steers) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1, r < utf8.RuneSelf && steers(r):
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case steers(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// steers reports whether a character does something to a terminal, or to the order in
// which the text around it is shown.
func steers(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

func isTerminal(w io.Writer) bool {
	f, ok := unwrapped(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// unwrapped returns what a writer of the program writes to in the end.
func unwrapped(w io.Writer) io.Writer {
	for {
		switch inner := w.(type) {
		case *stickyWriter:
			w = inner.w
		case *textWriter:
			w = inner.w
		default:
			return w
		}
	}
}
