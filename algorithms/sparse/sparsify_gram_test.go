package sparse

import "testing"

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

// TestGramCache: rows are right whether there is room for them or not, two of them
// at a time, as vectors are admitted.
func TestGramCache(t *testing.T) {
	for _, room := range []int{0, 3, 7, 1000} {
		g, rows := gramCache{room: room}, &numbered{}
		var support []int32
		for _, i := range []int32{7, 2, 9, 0, 5} {
			support = append(support, i)
			for p := range support {
				for q := range support {
					k, l := g.row(p, support, rows), g.row(q, support, rows)
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
		before := rows.calls
		for p := range support {
			g.row(p, support, rows)
		}
		if kept := rows.calls == before; kept != (room == 1000) {
			t.Errorf("room %d: %d calls for rows that were asked for before", room, rows.calls-before)
		}
	}
}
