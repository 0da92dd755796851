package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// openShard opens a part of a folder that the test closes.
func openShard(t *testing.T, dir, part string) *Store {
	t.Helper()
	s, err := Open(dir, Options{Part: part})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func shardFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, PartsFolder, "shard*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A part without records has no file, and its plan is imported all the same.
func TestPlanOfPartsWithoutRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plan := []ID{testRun(1).ID(), testRun(0).ID()}
	s := openShard(t, dir, "shard1")
	if err := s.SetPlan(plan); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if files := shardFiles(t, dir); len(files) > 0 {
		t.Errorf("there are %v", files)
	}
	e, err := ReadDir(dir)
	if err != nil || e.Planned != 2 {
		t.Fatalf("%d runs are planned, %v", e.Planned, err)
	}
	whole, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.SetPlan(whole.Plan()); err != nil {
		t.Fatal(err)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, PartsFolder, PartsPlanFile)); !os.IsNotExist(err) {
		t.Errorf("the plan is also in the folder of the parts: %v", err)
	}
	again, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !slices.Equal(again.plan, plan) {
		t.Errorf("the plan is %v, want %v", again.plan, plan)
	}
}

func TestPartThatWasMovedOrRemoved(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(dir string) error{
		"moved":   func(dir string) error { return os.Rename(dir, dir+"-moved") },
		"removed": os.RemoveAll,
		"replaced": func(dir string) error {
			for _, path := range shardFiles(t, dir) {
				if err := os.Remove(path); err != nil {
					return err
				}
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		dir := filepath.Join(t.TempDir(), "results")
		s := openShard(t, dir, "shard1")
		if err := s.Add(testRun(0), timingOf(testRun(0))); err != nil {
			t.Fatal(err)
		}
		if err := do(dir); err != nil {
			t.Fatal(err)
		}
		err := s.Add(testRun(1), timingOf(testRun(1)))
		if err == nil || !strings.Contains(err.Error(), "cannot write "+dir) || !strings.Contains(err.Error(), "put the folder in its place") {
			t.Errorf("%s: error is %v", name, err)
		}
		if closed := s.Close(); closed == nil || err != nil && !strings.Contains(closed.Error(), err.Error()) {
			t.Errorf("%s: closing says %v, want %v", name, closed, err)
		}
	}
}
