// Package shell quotes text for commands of a POSIX shell.
package shell

import (
	"strings"
	"unicode"
)

// Word returns an argument of a command, quoted if it contains special characters.
func Word(arg string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+:@%,=", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Words returns the arguments of a command, each quoted by Word.
func Words(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = Word(arg)
	}
	return strings.Join(words, " ")
}
