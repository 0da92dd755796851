package datasets

import (
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// plainMoment is the definition.
func plainMoment(t *Table, rows []int) *mat.SymDense {
	out := mat.NewSymDense(t.D, nil)
	x := make([]float64, t.D)
	for _, i := range rows {
		t.RowTo(x, i)
		out.SymRankOne(out, 1/float64(len(rows)), mat.NewVecDense(t.D, x))
	}
	return out
}

func allRows(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestSecondMoment(t *testing.T) {
	t.Parallel()
	rng := newRNG(8)
	var got mat.SymDense // its old content must not show
	for _, shape := range [][2]int{{1, 1}, {3, 2}, {255, 5}, {256, 4}, {257, 33}, {600, 67}, {40, 130}} {
		n, d := shape[0], shape[1]
		data := make([]float64, n*d)
		for i := range data {
			if rng.IntN(3) > 0 {
				data[i] = rng.NormFloat64()
			}
		}
		dense := NewDense(n, d, data, nil)
		some := append(rng.Perm(n)[:(n+1)/2], 0) // a row may come twice
		for _, tab := range []*Table{dense, sparsed(t, dense)} {
			for _, rows := range [][]int{allRows(n), some} {
				SecondMoment(&got, tab, rows)
				if want := plainMoment(tab, rows); !mat.EqualApprox(&got, want, 1e-12) {
					t.Errorf("%d x %d, sparse %v, %d rows: wrong", n, d, tab.Sparse(), len(rows))
				}
			}
		}
	}
}

// TestSecondMomentDeterministic: the same bits with any number of CPUs.
func TestSecondMomentDeterministic(t *testing.T) {
	t.Parallel()
	tab := randomTable(t, 700, 150)
	var want mat.SymDense
	SecondMoment(&want, tab, allRows(tab.N))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(procs)
		var got mat.SymDense
		SecondMoment(&got, tab, allRows(tab.N))
		if !mat.Equal(&got, &want) {
			t.Errorf("other bits with GOMAXPROCS %d", procs)
		}
	}
}
