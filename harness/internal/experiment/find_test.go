package experiment

import (
	"errors"
	"io/fs"
	"slices"
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
		put(t, &Folder{Dir: root}, path, "")
	}
	under := func(names []string) (dirs []string) {
		for _, name := range names {
			dirs = append(dirs, root+"/"+name)
		}
		return dirs
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
		found, idle, err := Find(under(test.dirs))
		if err != nil || !slices.Equal(found, under(test.found)) || !slices.Equal(idle, under(test.idle)) {
			t.Errorf("%q: %q, idle %q, %v", test.dirs, found, idle, err)
		}
	}
	if _, _, err := Find(under([]string{"code"})); err == nil {
		t.Error("a folder without results is found")
	}
	if _, _, err := Find(under([]string{"nowhere"})); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
