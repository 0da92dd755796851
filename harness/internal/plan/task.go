package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"stochopt/internal/disk"
	"stochopt/results/record"
	"stochopt/results/words"
)

// Task is what one process of a cluster is to do: a line of a task file, in JSON.
type Task struct {
	// Number is that of its line, from 1.
	Number int `json:"task"`
	// Keys lists its runs as record.ID.Text writes them.
	Keys []string `json:"keys"`

	keys map[string]bool
}

// ReadTask reads a task named as FILE:I, line I of FILE, counted from 1. The error says what
// is wrong with which line.
func ReadTask(name string) (*Task, error) {
	at := strings.LastIndexByte(name, ':')
	number, err := strconv.Atoi(name[at+1:])
	if at <= 0 || err != nil || number < 1 {
		return nil, fmt.Errorf("%q: want FILE:I, a task file and the number of a line, from 1, such as tasks.jsonl:3", name)
	}
	line, err := lineOf(name[:at], number)
	if err != nil {
		return nil, err
	}
	var t Task
	err = json.Unmarshal(line, &t)
	switch {
	case err != nil:
		err = fmt.Errorf("not a task: %w", err)
	case t.Number != number:
		err = fmt.Errorf("it says that it is task %d", t.Number)
	case len(t.Keys) == 0:
		err = errors.New(`it lists no "keys"`)
	}
	t.keys = make(map[string]bool, len(t.Keys))
	for _, key := range t.Keys {
		if _, keyErr := record.ParseID(key); err == nil && keyErr != nil {
			err = keyErr
		}
		if err == nil && t.keys[key] {
			err = fmt.Errorf("it lists the run %s twice", key)
		}
		t.keys[key] = true
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; write the task file anew", name, err)
	}
	return &t, nil
}

// lineOf reads one line of a file.
func lineOf(path string, number int) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the task file: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("cannot read the task file: %w", err)
		case len(line) == 0:
			return nil, fmt.Errorf("%s has %s, and no line %d", path, words.Count(n-1, "line"), number)
		case n == number:
			return bytes.TrimSpace(line), nil
		}
	}
}

func (t *Task) has(it *Item) bool { return t.keys[it.ID.Text()] }

// Name names the task as a part of its plan.
func (t *Task) Name() string { return fmt.Sprintf("task%d-%s", t.Number, nameOf(t.Keys)) }

// Check reports runs of the task that a plan does not have.
func (t *Task) Check(p *Plan) error {
	planned := make(map[string]string, len(p.Items))
	for _, it := range p.Items {
		planned[it.ID.Key] = it.ID.Text()
	}
	for _, text := range t.Keys {
		id, err := record.ParseID(text)
		if err != nil {
			return err
		}
		switch is, ok := planned[id.Key]; {
		case !ok:
			return fmt.Errorf("task %d: %s has no run %s; give the spec, --profile and --set that the task file was made with", t.Number, p.Spec.Name, text)
		case is != text:
			return fmt.Errorf("task %d: the run %s is in the plan of %s with another budget or other points, as %s; give the --profile and --set that the task file was made with", t.Number, text, p.Spec.Name, is)
		}
	}
	return nil
}

// NewTask lists runs as a task.
func NewTask(number int, items []*Item) *Task {
	t := &Task{Number: number, keys: make(map[string]bool, len(items))}
	for _, it := range items {
		key := it.ID.Text()
		t.Keys = append(t.Keys, key)
		t.keys[key] = true
	}
	return t
}
