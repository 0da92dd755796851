package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stochopt/results/record"
)

func TestStateChangesWithTheRecords(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	a, b := madeUp{name: "a", runs: 3}.make(t, root), madeUp{name: "b", runs: -1}.make(t, root)
	c := NewCollector([]string{root}, options())
	state := func() string {
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first, err := c.Collect()
	if err != nil || first.State != state() {
		t.Fatalf("state %s, then %s (%v)", first.State, state(), err)
	}
	write(t, "unrelated", a, "figures", "fig.txt")
	write(t, "unrelated", a, "curves.csv")
	if state() != first.State {
		t.Error("the state changes with what the page is not made from")
	}
	// Only what has changed is read anew: b is damaged behind the collector's back.
	info, err := os.Stat(filepath.Join(b, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, strings.Repeat("x", int(info.Size())), b, "manifest.json")
	if err := os.Chtimes(filepath.Join(b, "manifest.json"), time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	store, err := record.Open(a, record.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := store.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Append(run(3), record.Timing{StepSeconds: 1}); err != nil {
		t.Fatal(err)
	}
	if state() == first.State {
		t.Error("the state is the same with one more record")
	}
	second, err := c.Collect()
	if err != nil || second.State == first.State || second.Experiments[0].Runs != 4 || len(second.Broken) != 0 {
		t.Errorf("state %s, %d runs, broken %v (%v)", second.State, second.Experiments[0].Runs, second.Broken, err)
	}
	store.Close()
	if err := os.Chtimes(filepath.Join(b, "manifest.json"), time.Time{}, info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if third, err := c.Collect(); err != nil || len(third.Broken) != 1 {
		t.Errorf("broken %v (%v)", third.Broken, err)
	}
	if _, err := NewCollector([]string{filepath.Join(root, "nowhere")}, options()).State(); err == nil {
		t.Error("a folder that is not there has a state")
	}
}
