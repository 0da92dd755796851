package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/output"
)

// stateOf names what is in a results folder by the sizes and times of the files that
// a report is made from, which is cheap. Equal states have equal reports.
func stateOf(dir string) string {
	h := sha256.New()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "unreadable"
	}
	for _, e := range entries {
		name := e.Name()
		if !isRecord(name) && name != output.ManifestFile && name != output.SpecFile && name != claimsFile {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // it has just been replaced
		}
		fmt.Fprintf(h, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// newest reports whether a file of a results folder is not older than the records and
// the specification.
func newest(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		of, err := e.Info()
		return (isRecord(e.Name()) || e.Name() == output.SpecFile) && err == nil && of.ModTime().After(info.ModTime())
	})
}

// stateOfAll is stateOf of several folders.
func stateOfAll(dirs []string) string {
	h := sha256.New()
	for _, dir := range dirs {
		fmt.Fprintf(h, "%s %s\n", filepath.Clean(dir), stateOf(dir))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
