package plots

import (
	"reflect"
	"testing"

	"stochopt/internal/record"
)

func TestStrands(t *testing.T) {
	t.Parallel()
	c := record.Curve{
		Cost:     map[string][]int64{"iterations": {0, 1, 5, 9}},
		Spectrum: [][]float64{{1, 0.5}, {1}, {0.9, 0.4, 0.1}, {0.8, 0.3}},
	}
	var got [][2][]float64
	for _, cv := range strands(c, "iterations") {
		got = append(got, [2][]float64{cv.X, cv.Y})
	}
	want := [][2][]float64{
		{{0, 1, 5, 9}, {1, 1, 0.9, 0.8}}, {{0, 1, 5, 9}, {0.5, 0, 0.4, 0.3}}, {{5, 9}, {0.1, 0}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if s := strands(record.Curve{}, "iterations"); len(s) != 0 {
		t.Errorf("strands of nothing: %v", s)
	}
}
