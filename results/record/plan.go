package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/internal/disk"
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
	if s.tidy && slices.Equal(plan, s.plan) {
		return nil
	}
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
		line = Seal(line)
		lines = append(lines, line)
		text = append(append(text, line...), '\n')
	}
	old, err := disk.ReadFile(filepath.Join(s.dir, PlanFile), len(text))
	if err != nil || !bytes.Equal(old, text) {
		_, err = replace(s, PlanFile, lines, func(line []byte) ([]byte, error) { return line, nil })
	}
	if err == nil {
		s.plan = slices.Clone(plan)
	}
	return err
}

// readPlan reads PlanFile. It is whole or it is nothing: with a line missing or
// broken, the records that it named would vanish from view.
func (c *contents) readPlan(dir string) error {
	path := filepath.Join(dir, PlanFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	plan, err := c.loadPlan(path)
	if err != nil {
		return err
	}
	if read := c.files[len(c.files)-1]; len(read.Damaged) == 0 {
		c.plan, c.hasPlan = plan, true
	}
	return nil
}

func decodeID(object []byte) (id ID, err error) {
	if err := DecodeLine(object, &id); err != nil {
		return id, err
	}
	return id, id.validate()
}

func (id ID) validate() error {
	return validateTexts([]field{
		{"key", id.Key, true}, {"extent", id.Extent, true},
		{"dataset", id.Dataset, false}, {"group", id.Group, false}, {"series", id.Series, false},
	})
}
