package plots

import (
	"regexp"
	"slices"
	"strings"
)

// Text is text with superscripts, ^{...}, subscripts, _{...}, and spaces that lines
// are not broken at. As JSON it is plain.
type Text string

// String returns the text without markup, with the superscripts and subscripts that
// Unicode has.
func (t Text) String() string { return unglue(plainText(string(t))) }

// MarshalText implements encoding.TextMarshaler.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Span is a stretch of text that is a superscript if Shift is positive and a subscript
// if it is negative.
type Span struct {
	Text  string
	Shift int
}

var markup = regexp.MustCompile(`[\^_]\{[^}]*\}`)

// Spans splits a text at its superscripts and subscripts. An opening without its brace
// is plain text.
func (t Text) Spans() []Span {
	var spans []Span
	line := string(t)
	for line != "" {
		at := markup.FindStringIndex(line)
		if at == nil {
			return append(spans, Span{Text: line})
		}
		if at[0] > 0 {
			spans = append(spans, Span{Text: line[:at[0]]})
		}
		shift := 1
		if line[at[0]] == '_' {
			shift = -1
		}
		spans = append(spans, Span{line[at[0]+2 : at[1]-1], shift})
		line = line[at[1]:]
	}
	return spans
}

// Unicode's own superscripts and subscripts, in the order of what they stand for.
var (
	superscripts = []rune("0123456789−+n" + "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")
	subscripts   = []rune("0123456789tikjn" + "₀₁₂₃₄₅₆₇₈₉ₜᵢₖⱼₙ")
)

// plainText replaces the markup of superscripts and subscripts by the characters
// that Unicode has for them; one that it has not is written as it is.
func plainText(s string) string {
	var b strings.Builder
	for _, r := range Text(s).Spans() {
		switch {
		case r.Shift > 0:
			b.WriteString(shifted(r.Text, superscripts))
		case r.Shift < 0:
			b.WriteString(shifted(r.Text, subscripts))
		default:
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func shifted(text string, table []rune) string {
	var b strings.Builder
	n := len(table) / 2
	for _, r := range text {
		i := slices.Index(table[:n], r)
		if i < 0 {
			return text
		}
		b.WriteRune(table[n+i])
	}
	return b.String()
}

// glue makes the spaces of s such that lines are not broken there, and unglue plain
// spaces again.
func glue(s string) string   { return strings.ReplaceAll(s, " ", "\u00a0") }
func unglue(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }
