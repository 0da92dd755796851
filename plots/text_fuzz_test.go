package plots

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Splitting a text loses nothing: its spans, with their markup, make it up again. As plain
// text it keeps all that is not markup, and means the same when it is read again.
func FuzzTextSpans(f *testing.F) {
	for _, s := range []string{"", "x^{2}", "a_{ij}^{-1} b", "^{", "_{}", "^{^{2}}", "n^{\u00a0}_{t", "10^{x}\n_{\xff}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var again, bare strings.Builder
		for i, span := range Text(s).Spans() {
			switch {
			case span.Shift == 0 && (span.Text == "" || i > 0 && Text(s).Spans()[i-1].Shift == 0):
				t.Fatalf("%q has a span of plain text that is empty, or after another", s)
			case span.Shift > 0:
				again.WriteString("^{" + span.Text + "}")
			case span.Shift < 0:
				again.WriteString("_{" + span.Text + "}")
			default:
				again.WriteString(span.Text)
				bare.WriteString(span.Text)
			}
		}
		if again.String() != s {
			t.Fatalf("%q becomes %q", s, again.String())
		}
		plain := Text(s).String()
		if utf8.ValidString(s) && utf8.RuneCountInString(plain) > utf8.RuneCountInString(s) || strings.Count(plain, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q as text is %q", s, plain)
		}
		if bare.String() == s && plain != s {
			t.Fatalf("%q has no markup, and as text is %q", s, plain)
		}
	})
}
