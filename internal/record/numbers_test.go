package record

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Numbers are those of the runs in the order given, wherever their curves are read from.
func TestNumbersOfManyRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 600
	record(t, dir, Options{}, testRuns(n)...)
	e := readDir(t, dir)
	last := func(r *Run) (float64, error) {
		column := r.Measured().Cost["sum_kt2"]
		return float64(column[len(column)-1]), nil
	}
	for _, stride := range []int{1, 7} { // dense, and not
		var runs []*Run
		for i := 0; i < n; i += stride {
			runs = append(runs, &e.Runs[i])
		}
		own := testRun(n)
		runs = append(runs, &own)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		numbers, err := Numbers(runs, "last", last)
		must(t, err)
		for i, r := range runs {
			if want, _ := last(r); numbers[i] != want {
				t.Errorf("stride %d: the number of %s is %v, want %v", stride, r.Name(), numbers[i], want)
			}
		}
	}

	spoil(t, dir, "UPDATE curve SET data = replace(data, '16', '17') WHERE run = 300")
	again := readDir(t, dir)
	var runs []*Run
	for i := range again.Runs {
		runs = append(runs, &again.Runs[i])
	}
	points := func(r *Run) (float64, error) { return float64(r.Measured().Len()), nil }
	numbers, err := Numbers(runs, "points", points)
	must(t, err)
	empty := slices.Index(numbers, 0)
	var damage *DamageError
	if err := again.Err(); !errors.As(err, &damage) || !strings.HasPrefix(err.Error(), "cannot read "+runs[empty].Name()) || !strings.Contains(err.Error(), "row 300 of table curve") {
		t.Errorf("with a damaged curve the error is %v", err)
	}
}
