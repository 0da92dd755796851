// Package words has the words and number formats that figures, tables, verdicts and
// messages share, each for one purpose. Values of parameters are written by package
// record, since their text is part of a run's name.
package words

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
)

// Count writes "1 run" or "3 runs".
func Count(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, noun, ""))
}

// AddOnce appends a text unless it is listed.
func AddOnce[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// List writes at most the given number of texts: "a, b and 3 more".
func List(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// Changes says what was changed of a specification when it was run, "" for nothing.
func Changes(set []string) string {
	if len(set) == 0 {
		return ""
	}
	return "changed by --set: " + strings.Join(set, ", ")
}

// Quoted writes all texts in quotes, "none" for no texts.
func Quoted(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	return strings.Join(quoted, ", ")
}

// Markdown writes a text, on one line, so that Markdown shows it unchanged: no cell of a
// table ends in it, and nothing in it is HTML, a link or emphasis.
func Markdown(text string) string {
	return markup.ReplaceAllStringFunc(text, func(s string) string {
		switch s[0] {
		case '\r', '\n':
			return " "
		case '<':
			return "&lt;" + s[1:]
		case '&':
			return "&amp;" + s[1:]
		case ']':
			return `]\(`
		}
		return `\` + s
	})
}

// markup is what Markdown, or the HTML in it, would take for more than text.
var markup = regexp.MustCompile("[\\\\|*~_`\r\n]|\\]\\(|<[A-Za-z/!?]|&#?[0-9A-Za-z]+;")

// Wrap breaks a text between words into lines of at most width characters; a longer
// word has a line of its own. The first line is indented as the text is, the others by
// indent. The wrapping of tablewriter evens lines out in place of filling them, which
// moves words that did not change.
func Wrap(text string, width int, indent string) []string {
	var lines []string
	line := text[:len(text)-len(strings.TrimLeft(text, " "))]
	empty := true
	for _, word := range strings.Fields(text) {
		switch {
		case empty:
			line += word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines, line = append(lines, line), indent+word
		default:
			line += " " + word
		}
		empty = false
	}
	return append(lines, line)
}

// Fit shortens a text to at most width characters, of which the last is then "…".
func Fit(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return strings.TrimRight(string(runes[:max(width-1, 0)]), " ") + "…"
}
