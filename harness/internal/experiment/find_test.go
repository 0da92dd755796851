package experiment

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"stochopt/internal/record"
)

// Find returns a results folder or the results folders in a folder, including damaged ones.
func TestFind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, path := range []string{
		"all/manifest/" + ManifestFile, "all/database/" + record.DatabaseFile, "all/parts/parts/1.jsonl", "all/code/one.go",
		"reference/a/" + record.RunsFile + ".gz", "code/one.go",
	} {
		put(t, &Folder{Dir: root}, path, "")
	}
	under := func(names []string) (dirs []string) {
		for _, name := range names {
			dirs = append(dirs, root+"/"+name)
		}
		return dirs
	}
	for _, test := range []struct {
		dirs         []string
		found, empty []string
	}{
		{[]string{"all"}, []string{"all/database", "all/manifest", "all/parts"}, nil},
		{[]string{"reference", "all/manifest"}, []string{"reference/a", "all/manifest"}, nil},
		{[]string{"all/parts", "all/manifest", "all/code/../parts"}, []string{"all/parts", "all/manifest"}, nil},
		{[]string{"code", "all/manifest"}, []string{"all/manifest"}, []string{"code"}},
	} {
		found, empty, err := Find(under(test.dirs))
		if err != nil || !slices.Equal(found, under(test.found)) || !slices.Equal(empty, under(test.empty)) {
			t.Errorf("%q: %q, empty %q, %v", test.dirs, found, empty, err)
		}
	}
	if _, _, err := Find(under([]string{"code"})); err == nil {
		t.Error("a folder without results is found")
	}
	if _, _, err := Find(under([]string{"nowhere"})); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
}
