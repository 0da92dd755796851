package sparse

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

func newTestRSVM(t *testing.T, cfg RSVMConfig, p svm.Problem, stream uint64) *RSVM {
	t.Helper()
	a := suite.Must(NewRSVM(context.Background(), cfg, p, basisRand(stream)))
	return a
}

// converge steps a until it converges, and checks that the objective does not increase.
func converge(t *testing.T, a *RSVM) {
	t.Helper()
	before := math.Inf(1)
	for range 300 {
		status := a.Step()
		if now := a.Objective(); !(now <= before*(1+1e-12)) {
			t.Fatalf("objective %v after %v", now, before)
		} else {
			before = now
		}
		if status.Stop() {
			if status.State != algorithms.Converged || !a.Final() {
				t.Fatalf("%v, final %v", status, a.Final())
			}
			return
		}
		if a.Final() {
			t.Fatal("final before convergence")
		}
	}
	t.Fatal("not converged after 300 steps")
}

// TestRSVM checks that the gradient of the convex objective vanishes, and that conjugate gradients
// find the same solution.
func TestRSVM(t *testing.T) {
	const n, positive = 80, 30
	for _, bias := range []bool{false, true} {
		for _, c := range []float64{0.05, 20} {
			t.Run(fmt.Sprintf("bias=%v,C=%g", bias, c), func(t *testing.T) {
				p, rows, k := basisProblem(31, n, positive)
				cfg := RSVMConfig{C: c, Bias: bias, Ratio: 0.15}
				a := newTestRSVM(t, cfg, p, 32)
				a.tolerance = 1e-14
				converge(t, a)
				if want := int64(12 * n); rows.Calls != 12 || a.Cost().KernelEvals != want || a.Cost().InnerProducts != want {
					t.Fatalf("%d rows, cost %+v", rows.Calls, a.Cost())
				}
				var e Expansion
				a.ExpansionTo(&e)
				if len(e.Coef) != 12 || a.Support() != 12 || !bias && e.Bias != 0 {
					t.Fatalf("support %d, %+v", a.Support(), e)
				}
				f := func(u []float64, b float64) float64 { return naiveObjective(k, positive, c, -1, a.basis, u, b) }
				if want := f(e.Coef, e.Bias); math.Abs(a.Objective()-want) > 1e-9*want {
					t.Errorf("objective %v, want %v", a.Objective(), want)
				}
				if g := steepest(f, e.Coef, e.Bias, bias); g > 1e-5 {
					t.Errorf("gradient %v", g)
				}

				iterative := newTestRSVM(t, cfg, p, 32)
				iterative.directRows, iterative.tolerance = 0, 1e-14
				converge(t, iterative)
				for k, v := range iterative.theta {
					if math.Abs(v-a.theta[k]) > 1e-5*(1+math.Abs(v)) {
						t.Errorf("coefficient %d: %v by conjugate gradients, %v", k, v, a.theta[k])
					}
				}
			})
		}
	}
}

// TestRSVMSubset checks that R has the requested size, no repeated points, and a uniform
// distribution.
func TestRSVMSubset(t *testing.T) {
	const n = 30
	p, _, _ := basisProblem(33, n, 10)
	for _, c := range []struct {
		ratio float64
		want  int
	}{{1.0 / (1 << 16), 1}, {0.05, 2}, {0.3, 9}, {1, 30}} {
		a := newTestRSVM(t, RSVMConfig{C: 1, Ratio: c.ratio}, p, 34)
		sorted := slices.Clone(a.basis)
		slices.Sort(sorted)
		if len(a.basis) != c.want || len(slices.Compact(sorted)) != c.want || RSVMPoints(n, c.ratio) != c.want {
			t.Errorf("ratio %v: %v, want %d points", c.ratio, a.basis, c.want)
		}
	}
	const runs = 1000
	counts := make([]int, n)
	for r := range runs {
		for _, j := range newTestRSVM(t, RSVMConfig{C: 1, Ratio: 0.2}, p, uint64(1000+r)).basis {
			counts[j]++
		}
	}
	for j, c := range counts {
		if want := 0.2 * runs; math.Abs(float64(c)-want) > 5*math.Sqrt(want) {
			t.Errorf("point %d was drawn %d times, want about %v", j, c, want)
		}
	}
}
