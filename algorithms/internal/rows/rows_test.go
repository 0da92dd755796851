package rows

import (
	"math"
	"testing"

	"stochopt/algorithms"
)

// source returns the same row for every point.
type source []float32

func (s source) Train() int        { return 2 }
func (s source) Len() int          { return 3 }
func (s source) Row(int) []float32 { return s }

func TestChecked(t *testing.T) {
	nan := float32(math.NaN())
	for _, test := range []struct {
		row  source
		good bool
		ends algorithms.State // final state of the run if the row is invalid
	}{
		{source{1, 2, 3}, true, 0},
		{source{1, 2}, false, algorithms.Failed},
		{source{1, 2, nan}, false, algorithms.Diverged},
	} {
		r := New(test.row)
		for range 2 { // a bad row is refused again
			row, err := r.Checked(1)
			if (err == nil) != test.good || test.good && len(row) != 3 || !test.good && State(err) != test.ends {
				t.Errorf("%v: error %v", test.row, err)
			}
		}
	}
}
