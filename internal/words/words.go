// Package words formats text and numbers for figures, tables, verdicts and messages. Package record
// formats values of parameters, whose text is part of a run's name.
package words

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
)

// Count returns a number with a noun: "1 run" or "3 runs".
func Count(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, noun, ""))
}

// AddOnce appends v unless the list contains it.
func AddOnce[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// List joins at most the given number of texts: "a, b and 3 more".
func List(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// Changes describes the changes of a specification by --set, or returns "" if there were no changes.
func Changes(set []string) string {
	if len(set) == 0 {
		return ""
	}
	return "changed by --set: " + strings.Join(set, ", ")
}

// Quoted joins the quoted texts, or returns "none" without texts.
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

// Markdown escapes a text, on one line, such that Markdown displays it unchanged, also in a cell of a
// table.
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

// markup matches Markdown and HTML syntax.
var markup = regexp.MustCompile("[\\\\|*~_`\r\n]|\\]\\(|<[A-Za-z/!?]|&#?[0-9A-Za-z]+;")

// Wrap breaks a text between words into lines of at most width characters; a longer word has its own
// line. The first line has the indentation of the text, the others have indent. The wrapping of
// tablewriter balances the lengths of lines, so a changed word could move others.
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

// Fit shortens a text to at most width characters. A shortened text ends in "…".
func Fit(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return strings.TrimRight(string(runes[:max(width-1, 0)]), " ") + "…"
}
