package plan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadTask(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "tasks:1.jsonl")
	lines := []string{
		`{"task": 1, "keys": ["a@10/log:3", "b@10/log:3"]}`,
		`{"task": 2, "keys": ["c@20/log:3+reference1"]}`,
		`{"task": 4, "keys": ["d@20/log:3"]}`,
		`{"task": 4, "keys": []}`,
		`{"task": 5, "keys": ["e"]}`,
		`{"task": 6, "keys": ["e@1", "e@1"]}`,
		`{"task": 7, "keys": [3]}`,
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	task, err := ReadTask(path + ":2")
	if err != nil || task.Number != 2 || !slices.Equal(task.Keys, []string{"c@20/log:3+reference1"}) {
		t.Errorf("task 2 is %+v, %v", task, err)
	}
	for name, want := range map[string]string{
		path:          `want FILE:I, a task file and the number of a line, from 1, such as tasks.jsonl:3`,
		path + ":0":   `want FILE:I`,
		path + ":x":   `want FILE:I`,
		":1":          `want FILE:I`,
		path + ":8":   path + " has 7 lines, and no line 8",
		"none:1":      "cannot read the task file: ",
		dir + ":1":    "cannot read the task file: ",
		path + ":3":   path + ":3: it says that it is task 4; write the task file anew",
		path + ":4":   path + `:4: it lists no "keys"; write`,
		path + ":5":   path + `:5: "e" does not name a run; want its key and extent, as KEY@EXTENT; write`,
		path + ":6":   path + `:6: it lists the run e@1 twice; write`,
		path + ":7":   path + ":7: not a task: json: ",
		path + ":-1":  `want FILE:I`,
		path + ":1.0": `want FILE:I`,
	} {
		if _, err := ReadTask(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
}

// Tasks that are written and read again pick the runs that they were made of; the parts of a
// plan are told apart by what they pick.
func TestPartsOfAPlan(t *testing.T) {
	t.Parallel()
	p := build(t, strings.Replace(base, "repeats: 2", "repeats: 5", 1), data(t, "h", 100, 6))
	if len(p.Items) < 4 {
		t.Fatalf("%d items", len(p.Items))
	}
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	var text []byte
	for i, items := range [][]*Item{p.Items[:2], p.Items[2:]} {
		line, err := json.Marshal(NewTask(i+1, items))
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for i, want := range [][]*Item{p.Items[:2], p.Items[2:]} {
		task, err := ReadTask(path + ":" + string(rune('1'+i)))
		if err != nil {
			t.Fatal(err)
		}
		part := Part{Task: task}
		if got := part.Of(p); !slices.Equal(got, want) || !part.Shared() {
			t.Errorf("task %d picks %d runs", i+1, len(got))
		}
		if err := task.Check(p); err != nil {
			t.Error(err)
		}
		names[part.Name(p)] = true
	}
	for shard := range 2 {
		names[Part{Shard: shard, Shards: 2}.Name(p)] = true
	}
	if len(names) != 4 {
		t.Errorf("the names of four parts are %v", names)
	}
	if whole := (Part{}); whole.Shared() || whole.Name(p) != "" || len(whole.Of(p)) != len(p.Items) {
		t.Error("the whole is a part")
	}

	other := NewTask(1, p.Items[:1])
	other.Keys[0] = p.Items[0].ID.Key + "@1/log:1"
	if err := other.Check(p); err == nil || !strings.Contains(err.Error(), "with another budget or other points, as "+p.Items[0].ID.Text()) {
		t.Errorf("another budget: %v", err)
	}
	other.Keys[0] = "0123@1/log:1"
	if err := other.Check(p); err == nil || !strings.Contains(err.Error(), "has no run 0123@1/log:1; give the spec") {
		t.Errorf("another plan: %v", err)
	}
}
