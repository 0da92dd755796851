package run

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPointsAreIncreasingAndEndWithTheBudget(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3000 {
		budget := 1 + rng.Int64N(1<<rng.IntN(40))
		n := 1 + rng.IntN(300)
		for _, spacing := range []string{"log", "linear"} {
			p := Points(budget, n, spacing)
			if len(p) == 0 || len(p) > n || p[len(p)-1] != budget || p[0] < 1 {
				t.Fatalf("Points(%d, %d, %s) = %v", budget, n, spacing, p)
			}
			if n > 1 && p[0] != 1 {
				t.Fatalf("Points(%d, %d, %s) starts at %d", budget, n, spacing, p[0])
			}
			for i := range p[1:] {
				if p[i] >= p[i+1] {
					t.Fatalf("Points(%d, %d, %s) does not increase at %d: %v", budget, n, spacing, i, p)
				}
			}
			if spacing == "linear" && int64(len(p)) != min(int64(n), budget) {
				t.Fatalf("Points(%d, %d, linear) has %d points", budget, n, len(p))
			}
		}
	}
}

// Points must not change, because they are part of the records.
func TestPointsArePinned(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		budget  int64
		n       int
		spacing string
		want    []int64
	}{
		{10000, 5, "log", []int64{1, 10, 100, 1000, 10000}},
		{100, 8, "log", []int64{1, 2, 4, 7, 14, 27, 52, 100}},
		{10, 4, "linear", []int64{1, 4, 7, 10}},
		{3, 200, "log", []int64{1, 2, 3}},
		{1, 200, "log", []int64{1}},
		{2, 2, "linear", []int64{1, 2}},
		{50, 1, "log", []int64{50}},
	} {
		if got := Points(test.budget, test.n, test.spacing); !slices.Equal(got, test.want) {
			t.Errorf("Points(%d, %d, %s) = %v, want %v", test.budget, test.n, test.spacing, got, test.want)
		}
	}
}
