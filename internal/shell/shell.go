// Package shell writes text into commands of a POSIX shell.
package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word writes an argument of a command as it is typed into a shell: in quotes where any
// character of it means something there.
func Word(arg string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+:@%,=", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Words writes the arguments of a command.
func Words(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = Word(arg)
	}
	return strings.Join(words, " ")
}

// Check returns why a text cannot stand on a line of a script: it ends the line, it is
// nothing that a shell could hold, or it would not be seen as it is.
func Check(text string) error {
	if !utf8.ValidString(text) {
		return errors.New("is not UTF-8")
	}
	for _, r := range text {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("has the character %U, which no line of a script may have", r)
		}
	}
	return nil
}
