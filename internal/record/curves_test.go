package record

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// ReadCurves reads curves in memory and in the database, in dense and sparse ranges of rows.
func TestReadCurves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const n = 100
	record(t, dir, Options{}, testRuns(n)...)
	e := readDir(t, dir)
	for _, stride := range []int{1, 7} { // dense and sparse
		var runs []*Run
		for i := 0; i < n; i += stride {
			runs = append(runs, &e.Runs[i])
		}
		own := testRun(n)
		runs = append(runs, &own)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		curves := make([]Curve, len(runs))
		ReadCurves(runs, func(i int, c Curve) { curves[i] = c })
		for i, r := range runs {
			if !reflect.DeepEqual(curves[i], r.Measured()) || curves[i].Len() == 0 {
				t.Errorf("stride %d: the curve of %s is %v", stride, r.Name(), curves[i])
			}
		}
	}

	spoil(t, dir, "UPDATE curve SET data = replace(data, '16', '17') WHERE run = 50")
	again := readDir(t, dir)
	var runs []*Run
	for i := range again.Runs {
		runs = append(runs, &again.Runs[i])
	}
	points := make([]int, len(runs))
	ReadCurves(runs, func(i int, c Curve) { points[i] = c.Len() })
	empty := slices.Index(points, 0)
	err := again.Err()
	if damage := wantType[*DamageError](t, err); empty < 0 || damage.Path != filepath.Join(dir, DatabaseFile) {
		t.Errorf("with a damaged curve the error is %v", err)
	}
	wantNamed(t, err, runs[empty].Name())
}
