package experiment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// NoResults says of a folder that it holds no results.
func NoResults(dir string) string {
	return fmt.Sprintf("%s is not a results folder (it has no %s) and contains none; name a results folder, such as results/<name>, or a folder of them", dir, ManifestFile)
}

// Find returns the results folders that dirs stand for: those among them, and in place of each
// other one the results folders in it, in order of name. Each is named once. A results folder is
// one with a manifest or with records, damaged ones included. Find ignores other folders in a named
// folder. A named folder without results, such as a pattern of the shell may yield, is in idle; it
// is an error if there are no others.
func Find(dirs []string) (found, idle []string, err error) {
	seen := make(map[string]bool)
	add := func(dir string) {
		if id := identity(dir); !seen[id] {
			seen[id] = true
			found = append(found, filepath.Clean(dir))
		}
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			var path *fs.PathError
			if errors.As(err, &path) {
				err = path.Err
			}
			return nil, nil, fmt.Errorf("cannot read %s: %w; name a results folder, or a folder of results folders", dir, err)
		}
		if HoldsResults(dir) {
			add(dir)
			continue
		}
		some := false
		for _, e := range entries {
			// A link to a folder counts as one.
			if sub := filepath.Join(dir, e.Name()); HoldsResults(sub) {
				some = true
				add(sub)
			}
		}
		if !some {
			idle = append(idle, dir)
		}
	}
	if len(found) == 0 && len(idle) > 0 {
		return nil, nil, errors.New(NoResults(idle[0]))
	}
	return found, idle, nil
}

// identity is the same for all paths to a folder.
func identity(dir string) string {
	id, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(id); err == nil {
		return real
	}
	return id
}

// HoldsResults reports whether the folder has files that only results folders have, damaged ones included.
func HoldsResults(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ManifestFile))
	return err == nil && !info.IsDir() || len(recordFiles(dir)) > 0
}

// recordFiles lists the files of a folder that hold records, those of parts included.
func recordFiles(dir string) []fs.DirEntry {
	list := func(dir string, holds func(name string) bool) []fs.DirEntry {
		entries, _ := os.ReadDir(dir) // a folder that cannot be read holds none
		return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() || !holds(e.Name()) })
	}
	isPart := func(name string) bool { return filepath.Ext(name) == ".jsonl" }
	return append(list(dir, isRecord), list(filepath.Join(dir, record.PartsFolder), isPart)...)
}

func isRecord(name string) bool {
	switch strings.TrimSuffix(name, ".gz") {
	case record.DatabaseFile, record.RunsFile:
		return true
	}
	return false
}
