package cli

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// The output does not depend on the boundaries of writes.
func TestTextWriter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain |w|² → …\n\tü":        "plain |w|² → …\n\tü",
		"\x1b]0;owned\x07":           "�]0;owned�",
		"ok\rNOT ok":                 "ok�NOT ok",
		"\u009b31m \x9b31m":          "�31m �31m",
		"a\u202eb\u2028c":            "a�b�c",
		"𝛼 \x1b[2J \xe2\x80 end\xf0": "𝛼 �[2J �� end�",
	} {
		for i := range text {
			var out bytes.Buffer
			w := newTextWriter(&out)
			for _, part := range []string{text[:i], text[i:]} {
				if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.close(); err != nil || out.String() != want {
				t.Errorf("%q cut at %d: %q, want %q (%v)", text, i, out.String(), want, err)
			}
		}
	}
}

// Specs and file names may contain control characters, which errors quote.
func TestNoControlCharacters(t *testing.T) {
	home(t)
	const evil = `\e]0;owned\a\e[2J\r\x9b\u202e`
	title := `title: "` + evil + `"`
	spec := edit(t, small+tables, "name: small", "name: small\n"+title)
	spec = edit(t, spec, "{id: tab,", "{id: tab, "+title+",")
	write(t, "spec.yaml", spec)
	write(t, "wrong.yaml", edit(t, spec, "task:", `"`+evil+`": 1`+"\ntask:"))
	if err := os.WriteFile(at(t, "\x1b[2J\xff.yaml"), []byte("a: ["), 0o644); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"run", "spec.yaml"}, {"table", "results/small"}, {"validate", "wrong.yaml"}, {"validate", "\x1b[2J\xff.yaml"},
		{"\x1b[2J"}, {"validate", "spec.yaml", "--set", "repeats=\"\\e[2J\""}, {"report", "results", "-o", "-"},
	} {
		var out, err bytes.Buffer
		a := newApp(t, &out, &err)
		a.run(context.Background(), args)
		for _, text := range []string{out.String(), err.String()} {
			if i := strings.IndexFunc(text, isControl); i >= 0 || !utf8.ValidString(text) {
				t.Errorf("%q prints %q", args, text[max(0, i-40):min(len(text), i+40)])
			}
		}
	}
}
