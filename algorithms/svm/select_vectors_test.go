package svm

import (
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms/kernel"
)

func TestSelectVectors(t *testing.T) {
	x := rffPoints{[]float64{1, 0, 2, 3, 0, 0, 0, 4}, 2}
	rows := []int{3, 0, 0}
	for _, v := range []kernel.Vectors{x, rffSparse{x}} {
		s, err := SelectVectors(v, rows)
		if err != nil {
			t.Fatal(err)
		}
		if n, d := s.Dims(); n != 3 || d != 2 || s.Sparse() != v.Sparse() {
			t.Errorf("%d x %d, sparse %v", n, d, s.Sparse())
		}
		for i, from := range rows {
			got := make([]float64, 2)
			eachNonZero(s, i, func(j int, v float64) { got[j] = v })
			if !slices.Equal(got, x.Row(from)) {
				t.Errorf("row %d is %v, want row %d, %v", i, got, from, x.Row(from))
			}
		}
	}
	for _, rows := range [][]int{{0, 4}, {0, -1}} {
		if _, err := SelectVectors(x, rows); err == nil || !strings.Contains(err.Error(), "position 1") {
			t.Errorf("rows %v: error %v", rows, err)
		}
	}
}
