package sparse

import (
	"testing"

	"stochopt/algorithms/internal/rows"
)

// numbered is a kernel matrix whose element (i, j) is 100 i + j.
type numbered struct {
	row   [10]float32
	calls int
}

func (*numbered) Train() int      { return 10 }
func (*numbered) Len() int        { return 10 }
func (*numbered) Diag() []float64 { return nil }

func (r *numbered) Row(i int) []float32 {
	r.calls++
	for j := range r.row {
		r.row[j] = float32(100*i + j)
	}
	return r.row[:]
}

// TestGramRows: rows are right whether there is room for them or not, two of them
// at a time, as vectors are admitted.
func TestGramRows(t *testing.T) {
	for _, room := range []int{0, 3, 7, 1000} {
		source := &numbered{}
		s := SparsifyAggressive{Sparsify: Sparsify{rows: rows.New(source)}, room: room}
		for _, i := range []int{7, 2, 9, 0, 5} {
			s.support, s.gram = append(s.support, i), append(s.gram, nil)
			support := s.support
			for p := range support {
				for q := range support {
					k, l := s.gramRow(p), s.gramRow(q)
					for m, j := range support {
						if want := float32(100*support[p] + j); k[m] != want {
							t.Fatalf("room %d: K(%d, %d) = %g, want %g", room, support[p], j, k[m], want)
						}
						if want := float32(100*support[q] + j); l[m] != want {
							t.Fatalf("room %d: K(%d, %d) = %g, want %g", room, support[q], j, l[m], want)
						}
					}
				}
			}
		}
		before := source.calls
		for p := range s.support {
			s.gramRow(p)
		}
		if kept := source.calls == before; kept != (room == 1000) {
			t.Errorf("room %d: %d calls for rows that were asked for before", room, source.calls-before)
		}
	}
}
