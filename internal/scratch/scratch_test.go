package scratch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Folder removes the folders that killed processes left with its prefix, and nothing else. done removes
// the new folder.
func TestFolder(t *testing.T) {
	parent := t.TempDir()
	held, done, err := Folder(parent, "a-")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a-killed.lock", "a-killed/file", "b-other.lock", "a-none/file"} {
		path := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	second, doneToo, err := Folder(parent, "a-")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a-none", "b-other.lock", filepath.Base(held), filepath.Base(held) + ".lock", filepath.Base(second), filepath.Base(second) + ".lock"}
	for range 2 {
		slices.Sort(want)
		entries, err := os.ReadDir(parent)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("the parent contains %q, want %q", got, want)
		}
		if want = []string{"a-none", "b-other.lock"}; done() != nil || doneToo() != nil {
			t.Error("the folders cannot be removed")
		}
	}
	if _, _, err := Folder(filepath.Join(parent, "nowhere"), "a-"); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}
