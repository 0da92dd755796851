// Package shell writes text into commands of a POSIX shell.
package shell

import (
	"strings"
	"unicode"
)

// Word writes an argument of a command for a shell: in quotes if a character has a meaning there.
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
