package objective

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stochopt/internal/lease"
)

func openRefs(t *testing.T, path string, shared bool) *References {
	t.Helper()
	r, err := OpenReferences(path, shared, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func get(t *testing.T, r *References, hash string, maxK int, m SecondMoment) *Reference {
	t.Helper()
	ref, err := r.Get(Solved{Dataset: "d", DatasetHash: hash, Split: "population", Repeat: -1}, maxK, m)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Whatever the order, the number of processes and the kills, the file ends up
// the same, and nothing that a process solved is lost.
func TestReferencesOfSeveralProcesses(t *testing.T) {
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	hashes := []string{"h1", "h2", "h3", "h4"}
	whole := filepath.Join(t.TempDir(), "references.jsonl")
	r := openRefs(t, whole, false)
	for _, h := range hashes {
		get(t, r, h, 4, m)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	want := content(t, whole)
	if n := strings.Count(want, "\n"); n != 4 {
		t.Fatalf("%d lines, want 4:\n%s", n, want)
	}

	path := filepath.Join(t.TempDir(), "references.jsonl")
	a, b := openRefs(t, path, true), openRefs(t, path, true)
	get(t, a, "h3", 4, m)
	get(t, b, "h1", 2, m)
	get(t, b, "h3", 2, m) // which a has solved, for more k
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	get(t, b, "h2", 4, m)
	get(t, b, "h1", 4, m)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	// A third process is killed in the middle of a line.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n" + `{"dataset":"d","dataset_hash":"h4","spl`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	last := openRefs(t, path, false)
	for _, h := range hashes[:3] {
		// No moment to solve: it must be stored.
		get(t, last, h, 4, nil)
	}
	get(t, last, "h4", 4, m)
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
}

// A file that needs no tidying is left alone; one that does is tidied even if
// nothing is added.
func TestClosingTidiesOnlyWhereNeeded(t *testing.T) {
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	path := filepath.Join(t.TempDir(), "references.jsonl")
	if err := openRefs(t, path, false).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file was made for no reference: %v", err)
	}
	r := openRefs(t, path, false)
	get(t, r, "h", 3, m)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := openRefs(t, path, false).Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("a tidy file was replaced: %v", err)
	}
	want := content(t, path)
	if err := os.WriteFile(path, []byte("\n"+want+"\n\n"+want+"{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := openRefs(t, path, true).Close(); err != nil || content(t, path) == want {
		t.Errorf("a shared file was tidied: %v", err)
	}
	if err := openRefs(t, path, false).Close(); err != nil || content(t, path) != want {
		t.Errorf("the file is\n%s\nwant\n%s (%v)", content(t, path), want, err)
	}
}

func TestReferencesAreSafeForConcurrentUse(t *testing.T) {
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	path := filepath.Join(t.TempDir(), "references.jsonl")
	r := openRefs(t, path, false)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			ref, err := r.Get(Solved{DatasetHash: fmt.Sprint("h", i%5), Split: "s"}, 1+i%4, m)
			if err != nil {
				t.Error(err)
				return
			}
			if _, ok := ref.Value(1 + i%4); !ok {
				t.Errorf("the reference does not know the rank-%d optimum", 1+i%4)
			}
		})
	}
	wg.Wait()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count([]byte(content(t, path)), []byte("\n")); n != 5 {
		t.Errorf("%d references are stored, want 5", n)
	}
}

func TestReferencesThatCannotBeReadOrWritten(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenReferences(dir, false, nil); err == nil || !strings.HasPrefix(err.Error(), "objective: reading the stored optima: results: cannot read "+dir) {
		t.Errorf("error is %v", err)
	}
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	r := openRefs(t, filepath.Join(dir, "none", "references.jsonl"), false)
	if _, err := r.Get(Solved{DatasetHash: "h"}, 1, m); err == nil || !strings.HasPrefix(err.Error(), "objective: storing an optimum: open "+dir) {
		t.Errorf("error is %v", err)
	}
}

// Processes that share the file append in turn: there are file systems where what two append
// at the same time is lost.
func TestReferencesAreAppendedInTurn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "references.jsonl")
	m := NewMoment(randomMoment(rand.New(rand.NewPCG(1, 1)), 6, 30))
	turn, err := lease.Acquire(dir, "references", lease.Me("another"))
	if err != nil {
		t.Fatal(err)
	}
	r := openRefs(t, path, true)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := r.Get(Solved{Dataset: "d", DatasetHash: "h", Split: "population", Repeat: -1}, 4, m); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-done:
		t.Error("it did not wait for its turn")
	case <-time.After(50 * time.Millisecond):
	}
	if err := turn.Release(); err != nil {
		t.Fatal(err)
	}
	<-done
	if n := strings.Count(content(t, path), "\n"); n != 2 {
		t.Errorf("%d lines, want one with an empty one before it:\n%s", n, content(t, path))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.lease")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
