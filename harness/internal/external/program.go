// Package external has algorithms of any language: programs that speak the protocol of
// docs/external.md on their standard input and output. It starts and ends them, talks to
// them, checks what they say, and shows them as the learners of the packages pca and svm.
// What is run and recorded, and whether programs may be started, others decide.
package external

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stochopt/internal/disk"
	"stochopt/internal/shell"
)

// Program is an algorithm that another program performs: what is started, and what it is
// known by.
type Program struct {
	// ID is its name in a specification, Task what it is started for.
	ID, Task string
	// Version is the one declared; the program has to say the same. 0: any. unless it is 0.
	Version int
	// Command is what is started, with absolute paths in place of those of files.
	Command []string
	// Env is added to the clean environment.
	Env map[string]string
	// Patience is how long an answer may take, defaultPatience if it is 0.
	Patience time.Duration

	// words are those of the command, of files only their names; hashes are of the files.
	words  []string
	hashes []string
}

// NewProgram returns the program that a command starts, relative paths being relative to the
// working directory. The files are what is hashed; without any those words of the command
// that are files. It starts nothing. The error says which word or file cannot be had.
func NewProgram(p Program, command, files []string) (*Program, error) {
	var own []string
	for i, word := range command {
		if strings.ContainsRune(word, 0) || i == 0 && word == "" {
			return nil, fmt.Errorf("command: %q cannot be a word of a command", word)
		}
		path := i > 0 || strings.ContainsRune(word, filepath.Separator)
		info, err := os.Stat(word)
		switch {
		case path && err == nil && info.Mode().IsRegular():
			whole, err := filepath.Abs(word)
			if err != nil {
				return nil, err
			}
			own = append(own, whole)
			p.Command, p.words = append(p.Command, whole), append(p.words, filepath.Base(word))
		case path && i == 0:
			return nil, fmt.Errorf("command: there is no file %s; paths in a spec are relative to the working directory", word)
		default:
			p.Command, p.words = append(p.Command, word), append(p.words, word)
		}
	}
	for name, value := range p.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return nil, fmt.Errorf("env: %q=%q cannot be a variable of the environment", name, value)
		}
	}
	if len(files) == 0 {
		files = own
	}
	for _, file := range files {
		hash, err := disk.SHA256(file)
		if err != nil {
			return nil, fmt.Errorf("files: %w; paths in a spec are relative to the working directory", err)
		}
		p.hashes = append(p.hashes, hash)
	}
	slices.Sort(p.hashes)
	return &p, nil
}

// Identity returns what the results of the program depend on besides its parameters, for
// keys: the SHA-256 of its files, the other words of its command, and its environment. Where
// the files lie is no part of it.
func (p *Program) Identity() map[string]any {
	id := map[string]any{"files": p.hashes, "command": p.words}
	if len(p.Env) > 0 {
		id["env"] = p.Env
	}
	return id
}

// String returns the command as one would type it.
func (p *Program) String() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		words = append(words, name+"="+p.Env[name])
	}
	return shell.Words(append(words, p.Command...))
}

// environment is the clean environment of a program whose folder is dir: no more threads
// than one, and nothing of this process's own but the path.
func (p *Program) environment(dir, token string) []string {
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": dir, "TMPDIR": dir, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0",
		"STOCHOPT_PROTOCOL": fmt.Sprint(Protocol),
	}
	for _, library := range []string{"OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR"} {
		env[library+"_NUM_THREADS"] = "1"
	}
	env["VECLIB_MAXIMUM_THREADS"] = "1"
	maps.Copy(env, p.Env)
	env[tokenName] = token
	var list []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// tokenName is the variable that the program and all that it starts are known by.
const tokenName = "STOCHOPT_RUN"
