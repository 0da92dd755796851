// Package external runs algorithms in other languages: programs that speak the protocol of
// docs/external.md on their standard input and output. It starts and stops the programs and provides
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

// Program is the description in a spec of a program that performs an algorithm.
type Program struct {
	// ID is the algorithm's id in the spec. Task is the task of the spec.
	ID, Task string
	// Version is the version that the program must report; 0 allows any.
	Version int
	// Command is the command line. Words that name files are absolute paths.
	Command []string
	// Env is added to the clean environment.
	Env map[string]string
	// Timeout is the time limit for an answer; 0 means a minute.
	Timeout time.Duration

	// words are the words of the command, with the base names of files. hashes are the SHA-256 of the
	// files.
	words  []string
	hashes []string
}

// NewProgram returns p with its command. Relative paths start at the working directory. The contents of
// files identify the program; if files is empty, the files in the command do. The error names a word or
// file that cannot be read.
func NewProgram(p Program, command, files []string) (*Program, error) {
	var own []string
	for i, word := range command {
		whole, base := word, word
		if i > 0 || strings.ContainsRune(word, filepath.Separator) {
			info, err := os.Stat(word)
			if i == 0 && (err != nil || !info.Mode().IsRegular()) {
				return nil, fmt.Errorf("command: file %s does not exist; a relative path starts at the working directory", word)
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

// Identity returns the part of the run key that identifies the program: the SHA-256 of its files, the
// words of its command, and its environment. It does not include the folders of files.
func (p *Program) Identity() map[string]any {
	id := map[string]any{"files": p.hashes, "command": p.words}
	if len(p.Env) > 0 {
		id["env"] = p.Env
	}
	return id
}

// variables returns Env as NAME=VALUE, sorted.
func (p *Program) variables() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		list = append(list, name+"="+p.Env[name])
	}
	return list
}

// String returns the command in shell syntax.
func (p *Program) String() string { return shell.Words(append(p.variables(), p.Command...)) }

// environment returns the environment of a program in the folder dir. It limits numerical libraries to one
// thread, so that concurrent runs do not compete for processors.
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
