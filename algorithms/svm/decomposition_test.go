package svm

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainKeys returns the keys by which decomposition ranks points, in decreasing order. They are the
// gains or, with a bias, the upward and downward slopes.
func plainKeys(d *Decomposition) (keys [2][]float64) {
	qp := d.qp
	for i := range qp.N {
		x := qp.V[i] - qp.Target[i]
		up, down := qp.Hi[i]-qp.Beta[i], qp.Beta[i]-qp.Lo[i]
		switch {
		case !qp.Bias:
			delta := min(max(-x/qp.Diag[i], -down), up)
			if gain := -delta*x - 0.5*delta*delta*qp.Diag[i]; gain > 0 {
				keys[0] = append(keys[0], gain)
			}
			continue
		case up > 0:
			keys[0] = append(keys[0], -x)
		}
		if down > 0 {
			keys[1] = append(keys[1], x)
		}
	}
	for side, list := range keys {
		slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
		keys[side] = list[:min(len(list), d.size)]
	}
	return keys
}

// TestDecompositionChoice compares the working set with a plain selection, up to points with equal
// keys. The problems have ties and responses that are lost to rounding in u_i - y_i.
func TestDecompositionChoice(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 7))
	values := map[string]func() float64{
		"any":  rng.NormFloat64,
		"ties": func() float64 { return float64(rng.IntN(4)-2) / 2 },
		"tiny": func() float64 { return float64(rng.IntN(9)-4) * 0x1p-55 },
		"some": func() float64 { return float64(rng.IntN(3)-1)*0x1p-54 + float64(rng.IntN(2)) },
	}
	same := func(a, b float64) bool { return math.Abs(a-b) <= 1e-14*(1+math.Abs(a)) }
	for name, value := range values {
		for range 300 {
			n := 2 + rng.IntN(80)
			p, _ := newGaussianProblem(rng.Uint64(), n, 1+rng.IntN(n-1), n)
			for _, bias := range []bool{false, true} {
				d, err := NewDecomposition(DecompositionConfig{Lambda: 0.1, Bias: bias, Size: 2 + rng.IntN(12)}, p)
				if err != nil {
					t.Fatal(err)
				}
				qp := d.qp
				for i := range n {
					qp.Beta[i] = (qp.Lo[i] + qp.Hi[i]) * []float64{0, 0, 0.3, 0.7, 1, 1}[rng.IntN(6)]
					qp.V[i] = value()
				}
				qp.Begin()
				d.choose()
				keys := plainKeys(d)
				if !bias {
					if !slices.EqualFunc(d.working, keys[0], func(i int, key float64) bool {
						_, gain := qp.Best(i)
						return same(gain, key)
					}) {
						t.Fatalf("%s, size %d: working set %v, want the gains %v", name, d.size, d.working, keys[0])
					}
					continue
				}
				// Each point of the set must have one of the greatest slopes.
				turn, distinct := d.working, map[int]bool{}
				for _, i := range turn {
					distinct[i] = true
				}
				if len(distinct) != len(turn) || len(turn) > d.size {
					t.Fatalf("%s, size %d: working set %v", name, d.size, turn)
				}
				for _, i := range turn {
					x := qp.V[i] - qp.Target[i]
					among := func(side int, key float64) bool {
						least := keys[side][len(keys[side])-1]
						return key > least || same(key, least)
					}
					grows := qp.Beta[i] < qp.Hi[i] && among(0, -x)
					falls := qp.Beta[i] > qp.Lo[i] && among(1, x)
					if !grows && !falls {
						t.Fatalf("%s, size %d: %d is in the working set %v", name, d.size, i, turn)
					}
				}
				steepest := func(side int, sign float64) bool {
					return len(keys[side]) == 0 || slices.ContainsFunc(turn, func(i int) bool {
						return same(sign*(qp.Target[i]-qp.V[i]), keys[side][0])
					})
				}
				if !steepest(0, 1) || !steepest(1, -1) {
					t.Fatalf("%s, size %d: the steepest moves are not in the working set %v", name, d.size, turn)
				}
			}
		}
	}
}
