package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// outliers returns two clouds of n points in total, some of them with wrong labels.
func outliers(n int) (*memoryRows, svm.Problem) {
	x := cloud(rand.New(rand.NewPCG(21, 22)), n, 2)
	for i := range x {
		if i%8 == 0 && i < n/2 {
			x[i][0] -= 4
		} else if i%8 == 0 {
			x[i][0] += 5
		}
	}
	m := gaussianRows(x, 0.3, 0.05)
	return m, svm.Problem{Rows: m, Positive: n / 2}
}

// rampObjective evaluates J from scratch.
func rampObjective(m *memoryRows, p svm.Problem, e *Expansion, c, s float64) float64 {
	g := scoresOf(m, e)
	var j float64
	for k, i := range e.Index {
		j += 0.5 * e.Coef[k] * (g[i] - e.Bias)
	}
	for i, v := range g {
		z := p.Label(i) * v
		j += c * (max(0, 1-z) - max(0, s-z))
	}
	return j
}

// TestRampFindsALocalMinimum checks that J decreases in each round, that each round solves the
// convex problem with the bounds of the previous margins, and that the rounds end when the
// bounds repeat.
func TestRampFindsALocalMinimum(t *testing.T) {
	t.Parallel()
	m, p := outliers(32)
	for _, bias := range []bool{false, true} {
		for _, s := range []float64{-1e6, -0.3, 0, 0.4} {
			t.Run(fmt.Sprintf("bias=%t s=%g", bias, s), func(t *testing.T) {
				r := suite.Must(NewRamp(RampConfig{C: 2, S: s, Bias: bias, Tolerance: 1e-9}, p))
				n := len(m.K)
				target, lo, hi := make([]float64, n), make([]float64, n), make([]float64, n)
				box := func(scores []float64) {
					for i := range n {
						y := p.Label(i)
						mu := 0.0
						if scores != nil && y*scores[i] < s {
							mu = 2
						}
						target[i] = y
						lo[i], hi[i] = min(-y*mu, y*(2-mu)), max(-y*mu, y*(2-mu))
					}
				}
				box(nil)
				last, rounds, stopped := math.Inf(1), 0, false
				var e Expansion
				for step := 0; !stopped; step++ {
					if step > 100000 {
						t.Fatal("no convergence in 100000 steps")
					}
					status := r.Step()
					stopped = status.Stop()
					if !r.Final() {
						continue
					}
					r.ExpansionTo(&e)
					if len(e.Coef) != r.Support() {
						t.Fatalf("%d vectors, want %d", r.Support(), len(e.Coef))
					}
					j := rampObjective(m, p, &e, 2, s)
					if math.Abs(j-r.Objective()) > 1e-9*j {
						t.Fatalf("J = %v, want %v", r.Objective(), j)
					}
					if stopped {
						break
					}
					rounds++
					if j > last {
						t.Fatalf("round %d: J increased from %v to %v", rounds, last, j)
					}
					last = j
					checkOptimal(t, m, r.qp)
					if !slices.Equal(r.qp.Shift, target) || !slices.Equal(r.qp.Lo, lo) || !slices.Equal(r.qp.Hi, hi) {
						t.Fatalf("round %d: the bounds do not match the margins of the previous round", rounds)
					}
					box(scoresOf(m, &e))
				}
				if (rounds == 1) != (s == -1e6) || r.Rounds() != rounds {
					t.Errorf("Rounds() = %d, want %d; it must be 1 if and only if no margin is below s",
						r.Rounds(), rounds)
				}
				for i, g := range scoresOf(m, &e) {
					if below := p.Label(i)*g < s; below != r.saturated[i] {
						t.Errorf("point %d: margin %v, s = %g, saturated %t", i, p.Label(i)*g, s, r.saturated[i])
					}
				}
			})
		}
	}
}
