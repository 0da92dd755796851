package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRBPAgainstNaive: with a budget of n it is the Perceptron.
func TestRBPAgainstNaive(t *testing.T) {
	const n = 60
	for _, budget := range []int{1, 7, n} {
		p, g := newCloudProblem(1, n, 1)
		a, err := NewRBP(RBPConfig{Budget: budget}, p, newDrawnOrder(2, n), rand.New(rand.NewPCG(5, 5)))
		if err != nil {
			t.Fatal(err)
		}
		again := rand.New(rand.NewPCG(5, 5))
		b := &naiveBudget{p: p, g: g}
		mistakes := learnBoth(t, a, b, newDrawnOrder(2, n), 500, budget, func(int) {
			k := again.IntN(budget)
			b.rounds[k] = b.rounds[budget] // the new one takes its place
			b.rounds = b.rounds[:budget]
		})
		if a.Mistakes() != int64(mistakes) {
			t.Errorf("budget %d: %d mistakes, want %d", budget, a.Mistakes(), mistakes)
		}
		if budget < n && mistakes < 2*budget {
			t.Errorf("budget %d: %d mistakes are not much of a test", budget, mistakes)
		}
	}
}

// TestRBPForgetsUniformly: each mistake remembered is forgotten equally often for
// the next one, which itself stays: in expectation w shrinks by 1 - 1/B.
func TestRBPForgetsUniformly(t *testing.T) {
	const n, budget, repeats = 40, 5, 5000
	p, _ := newCloudProblem(7, n, 1)
	gone := make([]int, n)
	var remembered []int
	for seed := range uint64(repeats) {
		a, err := NewRBP(RBPConfig{Budget: budget}, p, newDrawnOrder(12, n), rand.New(rand.NewPCG(seed, 8)))
		if err != nil {
			t.Fatal(err)
		}
		var before, after Expansion
		for step := 0; ; step++ {
			if step == 200 {
				t.Fatal("nothing is forgotten")
			}
			a.ExpansionTo(&before)
			full := a.full()
			a.Step()
			a.ExpansionTo(&after)
			if full && !slices.Equal(before.Index, after.Index) {
				break
			}
		}
		if remembered == nil {
			remembered = slices.Clone(before.Index)
		}
		if !slices.Equal(remembered, before.Index) || len(remembered) != budget || len(after.Index) != budget {
			t.Fatalf("points %v, then %v", before.Index, after.Index)
		}
		for _, i := range before.Index {
			if !slices.Contains(after.Index, i) {
				gone[i]++
			}
		}
	}
	for _, i := range remembered {
		if want := repeats / budget; math.Abs(float64(gone[i]-want)) > 5*math.Sqrt(float64(want)) {
			t.Errorf("point %d was forgotten %d times, want about %d", i, gone[i], want)
		}
	}
}
