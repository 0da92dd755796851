package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SetPlan makes plan the current one: what ReadDir takes the experiment to be.
// It writes PlanFile, atomically, and touches no record; Compact does the same
// and more. An entry that occurs twice counts once.
//
// Processes that share the folder may all set the plan that they share: they
// write the same bytes, and a file that has them already is left alone.
func (s *Store) SetPlan(plan []ID) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return fmt.Errorf("results: folder %s is closed", s.dir)
	}
	return s.writePlan(plan)
}

func (s *Store) writePlan(plan []ID) error {
	var lines [][]byte
	var text []byte
	seen := make(map[ID]bool, len(plan))
	for i, id := range plan {
		if seen[id] {
			continue
		}
		seen[id] = true
		if err := id.validate(); err != nil {
			return fmt.Errorf("results: entry %d of the plan: %w", i, err)
		}
		line, err := encodeLine(id)
		if err != nil {
			return fmt.Errorf("results: entry %d of the plan: %w", i, err)
		}
		lines = append(lines, line)
		text = append(append(text, line...), '\n')
	}
	old, err := os.ReadFile(filepath.Join(s.dir, PlanFile))
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	return replace(s, PlanFile, lines, func(line []byte) ([]byte, error) { return line, nil })
}

// readPlan reads PlanFile. It is whole or it is nothing: with a line missing or
// broken, the records that it named would vanish from view.
func (c *contents) readPlan(dir string) error {
	path := filepath.Join(dir, PlanFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("results: cannot read %s: %w", path, err)
	}
	plan := []ID{}
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		data = rest
		var id ID
		err := decodeStrict(line, &id)
		if err == nil {
			err = id.validate()
		}
		if err == nil && !whole {
			err = errors.New("the line is cut short")
		}
		if err != nil {
			c.warnings = append(c.warnings, fmt.Sprintf("%s:%d: plan ignored, all records count as of the experiment: %v", path, n, err))
			return nil
		}
		plan = append(plan, id)
	}
	c.plan, c.hasPlan = plan, true
	return nil
}

func (id ID) validate() error {
	return validateTexts([]field{
		{"key", id.Key, true}, {"extent", id.Extent, true},
		{"dataset", id.Dataset, false}, {"group", id.Group, false}, {"series", id.Series, false},
	})
}
