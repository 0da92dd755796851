package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/results/record"
)

// State names what is in a results folder by the sizes and times of the files that all
// else is derived from, and of the verdicts, which is cheap. What is read of folders of
// equal states is equal.
func State(dir string) string {
	h := sha256.New()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "unreadable"
	}
	for _, e := range entries {
		name := e.Name()
		if !IsRecord(name) && !slices.Contains([]string{ManifestFile, SpecFile, ClaimsFile, record.ReferencesFile}, name) {
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
// the spec.
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
		return (IsRecord(e.Name()) || e.Name() == SpecFile) && err == nil && of.ModTime().After(info.ModTime())
	})
}
