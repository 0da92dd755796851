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

// NoResults returns the message on a folder without results.
func NoResults(dir string) string {
	return fmt.Sprintf("%s is not a results folder (it has no %s) and contains none; "+
		"name a results folder, such as results/<name>, or a folder of them", dir, ManifestFile)
}

// Find returns the results folders among dirs and directly inside the others, each once. A results folder has a
// manifest or records, possibly damaged. empty lists the dirs without results, for example matches of a shell
// pattern. It is an error if no dir has results, or if one cannot be read.
func Find(dirs []string) (found, empty []string, err error) {
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
		hasResults := false
		for _, e := range entries { // also links to folders
			if sub := filepath.Join(dir, e.Name()); HoldsResults(sub) {
				hasResults = true
				add(sub)
			}
		}
		if !hasResults {
			empty = append(empty, dir)
		}
	}
	if len(found) == 0 && len(empty) > 0 {
		return nil, nil, errors.New(NoResults(empty[0]))
	}
	return found, empty, nil
}

// identity returns the same path for all paths to a folder.
func identity(dir string) string {
	id, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if target, err := filepath.EvalSymlinks(id); err == nil {
		return target
	}
	return id
}

// HoldsResults reports whether the folder has a manifest or records, possibly damaged.
func HoldsResults(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ManifestFile))
	return err == nil && !info.IsDir() || hasRecords(dir)
}

// hasRecords reports whether the folder has files of records, possibly of parts.
func hasRecords(dir string) bool {
	contains := func(dir string, is func(name string) bool) bool {
		entries, _ := os.ReadDir(dir) // an unreadable folder counts as empty
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && is(e.Name()) })
	}
	isRecord := func(name string) bool {
		name = strings.TrimSuffix(name, ".gz")
		return name == record.DatabaseFile || name == record.RunsFile
	}
	isPart := func(name string) bool { return filepath.Ext(name) == ".jsonl" }
	return contains(dir, isRecord) || contains(filepath.Join(dir, record.PartsFolder), isPart)
}
