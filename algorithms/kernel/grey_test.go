package kernel

import (
	"math"
	"testing"
)

// TestGreyBytes compares GreyBytes with the memory of all layouts of points whose values are multiples of
// a unit.
func TestGreyBytes(t *testing.T) {
	t.Parallel()
	const n = 2 * block
	levels := make([]float64, 256)
	for i := range levels {
		levels[i] = float64(i) / 255
	}
	for _, d := range []int{1, 5, 15, 16, 31, 33, 77, 784} {
		most, ok := GreyBytes(levels, d)
		if !ok {
			t.Fatalf("d = %d: no bound", d)
		}
		full := &data{d: d}
		for i := range n {
			x := make([]float64, d)
			for f := range x {
				x[f] = float64(1+(i*31+f*7)%255) / 255
			}
			full.dense = append(full.dense, x)
		}
		for name, m := range map[string]*data{
			"a fifth": makeGrey(random(5), n, max(d, 2), 1.0/255), "full": full,
			"few": makeSparse(random(6), n, d, 1, func() float64 { return 3.0 / 255 }),
		} {
			p, err := NewPoints(m, all(n))
			if err != nil {
				t.Fatal(err)
			}
			takes := 0
			switch l := p.layout.(type) {
			case *bitLayout:
				takes = 8 * l.words * n
			case *byteLayout:
				takes = len(l.value) - byteGroup*l.stride
			case *sparseLayout:
				for _, c := range l.column {
					takes += 4*len(c.point) + 8*len(c.value)
				}
			}
			if takes > n*most {
				t.Errorf("%s, d = %d: %T takes %d bytes, more than %d", name, d, p.layout, takes, n*most)
			}
		}
	}
	for name, levels := range map[string][]float64{"zeros": {0, 0}, "negative": {0, -1, 1}, "no unit": {1, math.Pi}, "empty": nil} {
		if bytes, ok := GreyBytes(levels, 10); ok {
			t.Errorf("%s: GreyBytes returned %d, want no bound", name, bytes)
		}
	}
	if _, ok := GreyBytes(levels, byteColumns+1); ok {
		t.Error("GreyBytes returned a bound for more features than the layout \"bytes\" can have")
	}
}
