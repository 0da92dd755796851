package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stochopt/internal/disk"
)

// Written is a line of a file of a results folder, as it is there.
type Written[T any] struct {
	// File is the name of the file in the folder, Line counts from 1.
	File  string
	Line  int
	Value T
}

// Inventory is what is written in a results folder, line by line: a run as often as it is
// there, with the labels that it was written with. ReadDir brings the lines together, and
// tells of those that are damaged, which are left out here. Of what a run measured there
// are only the iterations.
type Inventory struct {
	Runs, Archive []Written[Run]
	Timings       []Written[Timing]
	Plan          []Written[ID]
}

// ReadInventory reads the lines of a results folder, the journals excepted, without
// locking or changing it. It fails if a file cannot be read and, with a *SchemaError, if
// it holds records of another schema.
func ReadInventory(dir string) (*Inventory, error) {
	runs := RunsFile
	if _, err := os.Stat(filepath.Join(dir, runs)); errors.Is(err, fs.ErrNotExist) {
		runs = PackedFile
	}
	v := &Inventory{}
	err := disk.Inside(dir)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if v.Archive, err = written(filepath.Join(dir, ArchiveFile), decodeHead); err != nil {
		return nil, err
	}
	if v.Runs, err = written(filepath.Join(dir, runs), decodeHead); err != nil {
		return nil, err
	}
	if v.Timings, err = written(timingsOf(dir), decodeTiming); err != nil {
		return nil, err
	}
	v.Plan, err = written(filepath.Join(dir, PlanFile), decodeID)
	return v, err
}

// decodeHead decodes a run without what it measured.
func decodeHead(object []byte) (Run, error) {
	r, err := decodeRun(object)
	r.Facts, r.Curve = nil, Curve{Cost: map[string][]int64{CostIterations: r.Curve.Cost[CostIterations]}}
	return r, err
}

// written reads the sound lines of one file; a file that is not there has none.
func written[T any](path string, decode Decoder[T]) ([]Written[T], error) {
	values, _, err := ReadWritten(path, false, decode)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return values, err
}
