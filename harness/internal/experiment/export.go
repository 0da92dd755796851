package experiment

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// WritePoints writes runs as tidy CSV, one row for each recorded point, with the columns
//
//	experiment, dataset, group, stand_in, series, algorithm, one column for each parameter,
//	repetition, seed, status, point, one column for each counter, one column SPLIT.METRIC for
//	each metric on each split, seconds, cpu_seconds
//
// What a run does not have is empty. Points count from 0. If a curve cannot be read, it writes
// nothing.
func WritePoints(w io.Writer, e *record.Experiment) error {
	params, counters, metrics := columnsOf(e.Runs)
	if err := e.Err(); err != nil {
		return err
	}
	head := slices.Concat([]string{"experiment", "dataset", "group", "stand_in", "series", "algorithm"}, params,
		[]string{"repetition", "seed", "status", "point"}, counters, metrics, []string{"seconds", "cpu_seconds"})
	out := csv.NewWriter(w)
	out.Write(head) // a csv.Writer keeps its first error
	for i := range e.Runs {
		r := &e.Runs[i]
		c, t := r.Measured(), measuredTimes(r)
		fixed := []string{e.Name, r.Dataset, r.Group, strconv.FormatBool(r.StandIn), r.Series, r.Algorithm}
		for _, name := range params {
			fixed = append(fixed, record.FormatValue(r.Params[name]))
		}
		fixed = append(fixed, strconv.Itoa(r.Repeat), strconv.FormatUint(r.Seed, 10), r.Status)
		values := map[string][]float64{"seconds": t.Seconds, "cpu_seconds": t.CPUSeconds}
		for split, columns := range c.Metrics {
			for name, column := range columns {
				values[split+"."+name] = column
			}
		}
		for point := range c.Len() {
			row := append(slices.Clip(fixed), strconv.Itoa(point))
			for _, name := range counters {
				row = append(row, at(c.Cost[name], point, func(v int64) string { return strconv.FormatInt(v, 10) }))
			}
			for _, name := range slices.Concat(metrics, []string{"seconds", "cpu_seconds"}) {
				row = append(row, at(values[name], point, record.FormatFloat))
			}
			out.Write(row)
		}
	}
	out.Flush()
	return cmp.Or(e.Err(), out.Error())
}

func measuredTimes(r *record.Run) record.Timing {
	t, _ := r.Timing()
	return t
}

// at returns the text of a value of a column, "" beyond its end.
func at[T any](column []T, point int, format func(T) string) string {
	if point >= len(column) {
		return ""
	}
	return format(column[point])
}

// columnsOf returns the names of all parameters, counters and metrics of runs, sorted.
func columnsOf(runs []record.Run) (params, counters, metrics []string) {
	names := [3]map[string]bool{{}, {}, {}}
	for i := range runs {
		c := runs[i].Measured()
		for name := range runs[i].Params {
			names[0][name] = true
		}
		for name := range c.Cost {
			names[1][name] = true
		}
		for split, columns := range c.Metrics {
			for name := range columns {
				names[2][split+"."+name] = true
			}
		}
	}
	sorted := func(i int) []string { return slices.Sorted(maps.Keys(names[i])) }
	return sorted(0), sorted(1), sorted(2)
}

// Import writes the records of a folder that has them as text into the database of a folder, with
// its spec and manifest if there are none. Records that are there already stay.
func (f *Folder) Import(dir string) error {
	e, err := f.Records()
	if err != nil {
		return err
	}
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return err
	}
	return errors.Join(f.importInto(store, dir, e), store.Close())
}

func (f *Folder) importInto(store *record.Store, dir string, e *record.Experiment) error {
	// The manifest comes last: with it the folder counts as a results folder.
	for _, name := range []string{SpecFile, ManifestFile} {
		text, err := disk.ReadFile(filepath.Join(f.Dir, name), MostText)
		if err != nil {
			return fmt.Errorf("cannot import %s: %w", f.Dir, err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			continue
		}
		if err := disk.Write(dir, name, text); err != nil {
			return err
		}
	}
	if err := CopyDescription(store, dir); err != nil {
		return err
	}
	plan := make([]record.ID, len(e.Runs))
	for i := range e.Runs {
		r := &e.Runs[i]
		plan[i] = r.ID()
		times := measuredTimes(r)
		if err := e.Err(); err != nil {
			return err
		}
		if err := store.Add(*r, times); err != nil {
			return err
		}
	}
	if store.Plan() != nil {
		return nil
	}
	return store.SetPlan(plan)
}
