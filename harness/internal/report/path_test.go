package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestShortPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ long, short string }{
		{"M1,2", "M1 2"},
		{"M1,2L3,4", "M1 2l2 2"},
		{"M0,0L10,0.02L20,0", "M0 0l20 0"},
		{"M0,0L10,0.2L20,0", "M0 0l10 .2 10-.2"},
		{"M1.26,-0.34L1.5,-10L-0.5,0", "M1.3-.3l.2-9.7-2 10"},
		{"M0,0L10,0L10,10L0,10Z", "M0 0l10 0 0 10-10 0z"},
		{"M0,0L1,1M5,5L6,6", "M0 0l1 1m4 4l1 1"},
		{"M1,1L2,1L2,2ZM5,5L6,6", "M1 1l1 0 0 1zm4 4l1 1"},
		{"M1.26,2A3.14159,3,0,1,1,2.55,2Z", "M1.3,2A3.1,3,0,1,1,2.6,2Z"},
		{"", ""},
		{"M1,--2", "M1,--2"},
		{"M7,7L7,7L7,7", "M7 7l0 0"},
	} {
		if got := shortPath(test.long); got != test.short {
			t.Errorf("%q becomes %q, want %q", test.long, got, test.short)
		}
	}
}

var relative = regexp.MustCompile(`-?(?:\d+(?:\.\d)?|\.\d)`)

// follow returns the points that a shortened path without interruptions visits.
func follow(t *testing.T, d string) [][2]float64 {
	t.Helper()
	var numbers []float64
	for _, s := range relative.FindAllString(d, -1) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, v)
	}
	if len(numbers)%2 != 0 {
		t.Fatalf("%q has %d numbers", d, len(numbers))
	}
	var points [][2]float64
	var x, y float64
	for i := 0; i < len(numbers); i += 2 {
		x, y = x+numbers[i], y+numbers[i+1]
		points = append(points, [2]float64{x, y})
	}
	return points
}

// Whatever the curve, no vertex is farther from what is drawn than rounding and the
// tolerance allow, the ends stay where they are, and the path is shorter.
func TestShortPathIsNear(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(20130719, 1))
	for round := range 50 {
		var d strings.Builder
		var points [][2]float64
		n := 2 + rng.IntN(300)
		y := 100 * rng.Float64()
		for i := range n {
			x := 300 * float64(i) / float64(n)
			y += float64(round) / 20 * rng.NormFloat64()
			points = append(points, [2]float64{x, y})
			fmt.Fprintf(&d, "%c%.5g,%.5g", "ML"[min(i, 1)], x, y)
		}
		short := shortPath(d.String())
		got := follow(t, short)
		for _, p := range points {
			nearest := math.Inf(1)
			for i := 1; i < len(got); i++ {
				a, b := got[i-1], got[i]
				ux, uy, vx, vy := b[0]-a[0], b[1]-a[1], p[0]-a[0], p[1]-a[1]
				s := 0.0
				if l := ux*ux + uy*uy; l > 0 {
					s = math.Min(1, math.Max(0, (ux*vx+uy*vy)/l))
				}
				nearest = math.Min(nearest, math.Hypot(vx-s*ux, vy-s*uy))
			}
			if nearest > 0.06+0.0708+0.006 {
				t.Fatalf("round %d: (%v, %v) is %v away", round, p[0], p[1], nearest)
			}
		}
		for i, end := range [][2]float64{points[0], points[n-1]} {
			at := got[i*(len(got)-1)]
			if math.Abs(at[0]-end[0]) > 0.056 || math.Abs(at[1]-end[1]) > 0.056 {
				t.Errorf("round %d: the end %v is at %v", round, end, at)
			}
		}
		if len(short) > d.Len() {
			t.Errorf("round %d: %d bytes of %d", round, len(short), d.Len())
		}
	}
}
