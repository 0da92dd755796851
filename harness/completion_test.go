package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bashCompletion is where Debian, Fedora and Homebrew put the functions that completion
// scripts need.
var bashCompletion = []string{
	"/usr/share/bash-completion/bash_completion",
	"/usr/local/share/bash-completion/bash_completion",
	"/opt/homebrew/share/bash-completion/bash_completion",
}

// Completes the last word of a line, as bash does when somebody presses Tab after it.
const pressTab = `
source "$1" && source <(stochopt completion bash) || exit
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9
COMP_POINT=${#COMP_LINE}
__start_stochopt
printf '%s\n' "${COMPREPLY[@]}"
`

// The same in fish and zsh. Of the functions of zsh there is a stand-in for the one that
// lists words.
const (
	pressTabInFish = `stochopt completion fish | source; and complete -C (string join ' ' -- $argv)`
	pressTabInZsh  = `
function compdef { }
function _describe { while [[ $1 == -* ]]; do shift; done; print -rl -- ${(M)${(P)2}:#$words[-1]*} }
source <(stochopt completion zsh) || exit
words=("$@") CURRENT=$#
_stochopt
`
)

// offer is what is offered at the end of a line, and what is not.
type offer struct {
	line      string
	has, lack []string
}

var offers = []offer{
	{"stochopt ", []string{"run", "compare", "report"}, []string{"manual"}},
	{"stochopt va", []string{"validate"}, []string{"run"}},
	{"stochopt run --st", []string{"--stand-in"}, []string{"--profile"}},
}

func TestCompletionInBash(t *testing.T) {
	i := slices.IndexFunc(bashCompletion, func(path string) bool { _, err := os.Stat(path); return err == nil })
	if i < 0 {
		t.Skip("the package bash-completion is not installed")
	}
	checkCompletion(t, "bash", "-c", pressTab, "bash", bashCompletion[i])
}

func TestCompletionInFish(t *testing.T) {
	checkCompletion(t, "fish", "--no-config", "-c", pressTabInFish)
}

func TestCompletionInZsh(t *testing.T) {
	checkCompletion(t, "zsh", "-f", "-c", pressTabInZsh, "zsh")
}

// checkCompletion lets a shell complete the lines of offers, whose words follow the arguments.
func checkCompletion(t *testing.T, shell string, args ...string) {
	t.Helper()
	name := shell
	shell, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.Command(shell, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"), "BASH_ENV=", "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", args[len(args)-1], err, out)
		}
		return string(out)
	}
	script, err := exec.Command(path, "completion", name).Output()
	file := filepath.Join(t.TempDir(), "script")
	if err := cmp.Or(err, os.WriteFile(file, script, 0o644)); err != nil {
		t.Fatal(err)
	}
	run("-n", file) // the syntax of all of it
	for _, c := range offers {
		var words []string
		for line := range strings.Lines(run(slices.Concat(args, strings.Split(c.line, " "))...)) {
			words = append(words, line[:strings.IndexAny(line, " \t:\n")]) // a description may follow
		}
		for _, w := range c.has {
			if !slices.Contains(words, w) {
				t.Errorf("%q does not offer %q: %q", c.line, w, words)
			}
		}
		for _, w := range c.lack {
			if slices.Contains(words, w) {
				t.Errorf("%q offers %q", c.line, w)
			}
		}
	}
}
