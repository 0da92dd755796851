package page

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

func TestDamagedFolders(t *testing.T) {
	t.Parallel()
	damage := map[string]struct {
		do   func(dir string)
		says string
	}{
		"manifest":    {func(dir string) { write(t, "{", dir, "manifest.json") }, "damaged"},
		"no-manifest": {func(dir string) { os.Remove(filepath.Join(dir, "manifest.json")) }, "manifest.json"},
		"no-spec":     {func(dir string) { os.Remove(filepath.Join(dir, "spec.yaml")) }, "has no spec.yaml"},
		"spec":        {func(dir string) { write(t, "version: 99\nname: spec\n", dir, "spec.yaml") }, "recorded spec"},
		"schema":      {func(dir string) { execute(t, dir, "PRAGMA user_version = 99") }, "schema 99"},
		"database":    {func(dir string) { write(t, "no database", dir, record.DatabaseFile) }, "is damaged"},
		"curves":      {func(dir string) { execute(t, dir, "UPDATE curve SET crc = crc + 1") }, "of table curve has a wrong checksum"},
	}
	for name, d := range damage {
		root := t.TempDir()
		d.do(testFolder{name: name, runs: -1}.create(t, root))
		_, err := Collect([]string{root}, options())
		if err == nil || !strings.Contains(err.Error(), d.says) {
			t.Errorf("%s alone: %v", name, err)
		}
		testFolder{name: "zz-good", runs: -1}.create(t, root)
		p := collect(t, options(), root)
		if got := namesOf(p); !slices.Equal(got, []string{"zz-good"}) || len(p.Broken) != 1 || p.Broken[0].Dir != filepath.Join(root, name) || !strings.Contains(p.Broken[0].Reason, d.says) {
			t.Errorf("%s: experiments %q, broken %+v", name, got, p.Broken)
		}
		if all := p.Problems(); len(p.Warnings) != 0 || len(all) != 1 {
			t.Errorf("%s: problems %q, warnings %q", name, all, p.Warnings)
		}
	}
}

// Damaged rows are reported, and the other rows are shown.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	dir := testFolder{name: "exp", runs: -1}.create(t, t.TempDir())
	execute(t, dir, "UPDATE run SET crc = crc + 1 WHERE id = 1")
	p := collect(t, options(), dir)
	e := p.Experiments[0]
	if e.Runs != 7 || e.Missing != 1 || len(p.Warnings) != 1 || !slices.Contains(e.Warnings, p.Warnings[0]) {
		t.Errorf("%d runs, warnings %q and %q", e.Runs, p.Warnings, e.Warnings)
	}
}
