package main

import (
	"errors"
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

// Completes as bash does when somebody presses Tab after the words of a line, the last of
// which is to be completed. What the script leaves to file names, readline does.
const pressTab = `
source "$1" && source <(stochopt completion bash) || exit
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9
COMP_POINT=${#COMP_LINE}
__start_stochopt
printf '%s\n' "${COMPREPLY[@]}"
`

func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	i := slices.IndexFunc(bashCompletion, func(path string) bool { _, err := os.Stat(path); return err == nil })
	if i < 0 {
		t.Skip("the package bash-completion is not installed")
	}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "results", "mine"), 0o755),
		os.WriteFile(filepath.Join(dir, "mine.yaml"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "mine.csv"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line      string
		has, lack []string
	}{
		{"stochopt ", []string{"run", "compare", "report"}, []string{"manual", "mine.yaml"}},
		{"stochopt va", []string{"validate"}, []string{"run"}},
		{"stochopt run --st", []string{"--stand-in"}, []string{"--profile"}},
		{"stochopt run --profile ", []string{"smoke", "quick", "paper"}, []string{"mine.yaml"}},
		{"stochopt run --profile p", []string{"paper"}, []string{"smoke"}},
		{"stochopt run m", []string{"mine.yaml"}, []string{"mine.csv"}},
		{"stochopt plan mine.yaml m", []string{"mine.yaml"}, []string{"mine.csv"}},
		{"stochopt claims list m", []string{"mine.yaml"}, []string{"mine.csv"}},
		{"stochopt status r", []string{"results"}, []string{"run"}},
		{"stochopt status results/", []string{"results/mine"}, nil},
		{"stochopt verify m", nil, []string{"mine.yaml", "mine.csv"}},
		{"stochopt compare results/", []string{"results/mine"}, nil},
		{"stochopt algorithms show capped", []string{"capped-msg"}, []string{"msg"}},
	} {
		args := append([]string{"-c", pressTab, "bash", bashCompletion[i]}, strings.Split(c.line, " ")...)
		cmd := exec.Command(bash, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"), "BASH_ENV=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", c.line, err, out)
		}
		var words []string
		for _, l := range strings.Split(string(out), "\n") {
			word, _, _ := strings.Cut(l, " ") // a description may follow
			words = append(words, word)
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
