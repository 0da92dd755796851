// Package external performs algorithms in any language: programs that speak the protocol of
// docs/external.md on their standard input and output. It starts and ends the programs, and shows
// them as learners of the packages pca and svm. Callers decide whether programs may be started.
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

// Program is what a specification says of a program that performs an algorithm.
type Program struct {
	// ID is the algorithm's id in the specification, and Task the task that it is started for.
	ID, Task string
	// Version is the one that the program has to state; 0 allows any.
	Version int
	// Command has absolute paths in place of the words that are files.
	Command []string
	// Env is added to the clean environment.
	Env map[string]string
	// Patience is how long an answer may take; 0 means a minute.
	Patience time.Duration

	// words are those of the command, with only the names of files. hashes are of the files.
	words  []string
	hashes []string
}

// NewProgram returns p with its command, whose relative paths start at the working directory. The
// files identify the program; if there are none, the words of the command that are files do. The
// error names the word or file that cannot be read.
func NewProgram(p Program, command, files []string) (*Program, error) {
	var own []string
	for i, word := range command {
		whole, base := word, word
		if i > 0 || strings.ContainsRune(word, filepath.Separator) {
			info, err := os.Stat(word)
			if i == 0 && (err != nil || !info.Mode().IsRegular()) {
				return nil, fmt.Errorf("command: there is no file %s; a relative path starts at the working directory", word)
			}
			if err == nil && info.Mode().IsRegular() {
				if whole, err = filepath.Abs(word); err != nil {
					return nil, err
				}
				own, base = append(own, whole), filepath.Base(word)
			}
		}
		p.Command, p.words = append(p.Command, whole), append(p.words, base)
	}
	if len(files) == 0 {
		files = own
	}
	for _, file := range files {
		hash, err := disk.SHA256(file)
		if err != nil {
			return nil, fmt.Errorf("files: %w; a relative path starts at the working directory", err)
		}
		p.hashes = append(p.hashes, hash)
	}
	slices.Sort(p.hashes)
	return &p, nil
}

// Identity returns what the results of the program depend on besides its parameters, for keys: the
// SHA-256 of its files, the other words of its command, and its environment. The folders of the
// files do not count.
func (p *Program) Identity() map[string]any {
	id := map[string]any{"files": p.hashes, "command": p.words}
	if len(p.Env) > 0 {
		id["env"] = p.Env
	}
	return id
}

// variables returns the environment of the specification as NAME=VALUE, sorted.
func (p *Program) variables() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		list = append(list, name+"="+p.Env[name])
	}
	return list
}

// String returns the command as a user would type it.
func (p *Program) String() string { return shell.Words(append(p.variables(), p.Command...)) }

// environment returns the environment of a program whose folder is dir. It has one thread for each
// numerical library, so that runs side by side do not share processors.
func (p *Program) environment(dir string) []string {
	list := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8", "PYTHONHASHSEED=0",
		fmt.Sprint("STOCHOPT_PROTOCOL=", Protocol), "VECLIB_MAXIMUM_THREADS=1",
	}
	for _, library := range []string{"OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR"} {
		list = append(list, library+"_NUM_THREADS=1")
	}
	return append(list, p.variables()...)
}
