package objective

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReferencesAreSolvedOnceAndKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "references.jsonl")
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	problem := Solved{Dataset: "d", DatasetHash: "sha256:1", Split: "test 0.4", Repeat: 2, Seed: 7}

	refs, err := OpenReferences(path, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := refs.Get(problem, 3, m)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := refs.Get(problem, 2, nil); again != first {
		t.Error("the same problem was solved twice")
	}
	if err := refs.Close(); err != nil {
		t.Fatal(err)
	}

	// A line cut short by a kill is dropped, the others survive.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"dataset":"d","dataset_ha`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	refs, err = OpenReferences(path, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := refs.Get(problem, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := first.Value(3)
	if b, ok := kept.Value(3); !ok || a != b {
		t.Errorf("stored optimum reads back as %v, want %v", b, a)
	}
	if _, ok := kept.Value(4); ok {
		t.Error("a reference of three eigenvalues claims to know the rank-4 optimum")
	}
	// More eigenvalues than are stored: solved anew, after the torn line.
	if _, err := refs.Get(problem, 5, m); err != nil {
		t.Fatal(err)
	}
	if err := refs.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != 1 {
		t.Errorf("the file holds %d lines, want 1:\n%s", n, data)
	}
}
