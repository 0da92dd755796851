package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// several holds the arguments of AddRows.
type several struct {
	dst    [GroupSize][]float64
	coef   []float64
	rows   [][]float32
	intact func() bool
}

func newSeveral(rnd *rand.Rand, rows, n, kind int) *several {
	s := &several{intact: func() bool { return true }}
	for m := range s.dst {
		var intact func() bool
		s.dst[m], intact = guarded(n, rnd.IntN(8), 42.0)
		before := s.intact
		s.intact = func() bool { return before() && intact() }
		for j := range s.dst[m] {
			s.dst[m][j] = value(rnd, kind)
		}
	}
	for range rows {
		k, _ := guarded[float32](n, rnd.IntN(16), 42)
		for j := range k {
			k[j] = float32(value(rnd, kind))
		}
		s.rows = append(s.rows, k)
		for range GroupSize {
			s.coef = append(s.coef, value(rnd, kind))
		}
	}
	return s
}

func TestAddRowsEqualsRowByRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 31, 32, 47, 100, 1003} {
		for _, rows := range []int{0, 1, 2, 3, 8} {
			for kind := range kinds {
				s := newSeveral(rnd, rows, n, kind)
				var start, want [GroupSize][]float64
				for m, u := range s.dst {
					start[m] = append([]float64(nil), u...)
					want[m] = append([]float64(nil), u...)
					for p, k := range s.rows {
						AddScaled(want[m], s.coef[GroupSize*p+m], k)
					}
				}
				paths(func(path string) {
					for m, u := range s.dst {
						copy(u, start[m])
					}
					AddRows(&s.dst, s.coef, s.rows)
					for m, u := range s.dst {
						if got := (outcome{u: u}); !got.same(outcome{u: want[m]}) {
							t.Fatalf("%s, n = %d, %d rows, kind %d, vector %d:\n got %v\nwant %v",
								path, n, rows, kind, m, u, want[m])
						}
					}
					if !s.intact() {
						t.Fatalf("%s, n = %d, %d rows: wrote outside its slices", path, n, rows)
					}
				})
			}
		}
	}
}

// BenchmarkAddRows counts the bytes of the rows.
func BenchmarkAddRows(b *testing.B) {
	const n, rows = 8192, 8
	s := newSeveral(rand.New(rand.NewPCG(25, 26)), rows, n, 0)
	for i := range s.coef {
		s.coef[i] *= 1e-9
	}
	paths(func(path string) {
		b.Run(fmt.Sprintf("%s/together", path), func(b *testing.B) {
			b.SetBytes(4 * n * rows)
			for b.Loop() {
				AddRows(&s.dst, s.coef, s.rows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*rows*GroupSize), "ns/product")
		})
		b.Run(fmt.Sprintf("%s/by-pairs", path), func(b *testing.B) {
			b.SetBytes(4 * n * rows)
			for b.Loop() {
				for m, u := range s.dst {
					for p := 0; p < rows; p += 2 {
						AddScaledPair(u, s.coef[GroupSize*p+m], s.rows[p], s.coef[GroupSize*p+GroupSize+m], s.rows[p+1])
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*rows*GroupSize), "ns/product")
		})
	})
}
