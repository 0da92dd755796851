package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// A folder stands for the results folders in it, damaged ones included.
func TestFind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, path := range []string{
		"all/manifest/" + ManifestFile, "all/database/" + record.DatabaseFile, "all/parts/parts/1.jsonl", "all/code/one.go",
		"reference/a/" + record.RunsFile + ".gz", "code/one.go",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dirs        []string
		found, idle []string
	}{
		{[]string{"all"}, []string{"all/database", "all/manifest", "all/parts"}, nil},
		{[]string{"reference", "all/manifest"}, []string{"reference/a", "all/manifest"}, nil},
		{[]string{"all/parts", "all/manifest", "all/code/../parts"}, []string{"all/parts", "all/manifest"}, nil},
		{[]string{"code", "all/manifest"}, []string{"all/manifest"}, []string{"code"}},
	} {
		var dirs []string
		for _, d := range test.dirs {
			dirs = append(dirs, filepath.Join(root, d))
		}
		found, idle, err := Find(dirs)
		relative := func(dir string) string {
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				t.Fatal(err)
			}
			return rel
		}
		var got, none []string
		for _, dir := range found {
			got = append(got, relative(dir))
		}
		for _, dir := range idle {
			none = append(none, relative(dir))
		}
		if err != nil || !slices.Equal(got, test.found) || !slices.Equal(none, test.idle) {
			t.Errorf("%q: %q, idle %q, %v", test.dirs, got, none, err)
		}
	}
	if _, _, err := Find([]string{filepath.Join(root, "nowhere")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	for _, dir := range []string{"code", "nowhere"} {
		if _, _, err := Find([]string{filepath.Join(root, dir)}); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
