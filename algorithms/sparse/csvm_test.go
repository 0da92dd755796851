package sparse

import (
	"context"
	"math"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
)

// newTestCSVM returns a CSVM that refits once it has at most the given number of vectors.
func newTestCSVM(t testing.TB, cfg CSVMConfig, refit int, p *gaussianPoints, ref *Reference) *CSVM {
	t.Helper()
	a := suite.Must(NewCSVM(context.Background(), cfg, p.problem(), p, ref))
	a.refit = refit
	return a
}

// TestMergeAt checks mergeAt against a fine grid.
func TestMergeAt(t *testing.T) {
	for _, gap := range []float64{0, 1e-9, 0.01, 0.5, 1.9, 2.5, 9, 800} {
		for _, w := range [][2]float64{{1, 1}, {3, 1}, {1, 3}, {10, 1e-3}, {1e-3, 10}, {1, 1.0001}} {
			a, b := w[0], w[1]
			h := func(k float64) float64 {
				return a*math.Exp(-gap*(1-k)*(1-k)) + b*math.Exp(-gap*k*k)
			}
			most := 0.0
			for k := 0; k <= 10000; k++ {
				most = max(most, h(float64(k)/10000))
			}
			k, coef := mergeAt(a, b, gap)
			if !(k >= 0 && k <= 1) || !closeTo(coef, h(k), 1e-12) || coef < most*(1-1e-7) {
				t.Errorf("gap %v, coefficients %v and %v: k = %v with %v, want %v", gap, a, b, k, coef, most)
			}
		}
	}
}

// TestCSVM checks the pair, the coefficients and the charge of each merger by brute force.
func TestCSVM(t *testing.T) {
	for _, test := range []struct {
		CSVMConfig
		refit int
	}{
		{CSVMConfig{Support: 1}, 0},
		{CSVMConfig{Support: 5}, 0},
		{CSVMConfig{Support: 2}, 12},
		{CSVMConfig{Support: 2, Relearn: true}, 40},
	} {
		cfg, refit := test.CSVMConfig, test.refit
		p := gaussianCloud(11, 40, 3, 0.2)
		ref := p.trained(t)
		a := newTestCSVM(t, cfg, refit, p, ref)
		var before, after Expansion
		a.ExpansionTo(&before)
		if d := p.distanceSq(ref, &before); math.Abs(d) > 1e-5*ref.NormSq {
			t.Fatalf("%+v: it starts %v from w", cfg, d)
		}
		for {
			p.evals = 0
			charged := a.Cost().KernelEvals
			status := a.Step()
			if got := a.Cost().KernelEvals - charged; got != p.evals {
				t.Fatalf("%+v: %d kernel evaluations charged, %d made", cfg, got, p.evals)
			}
			if status.Stop() {
				if status.State != algorithms.Converged || a.Support() != max(cfg.Support, 2) {
					t.Fatalf("%+v: %v with %d vectors", cfg, status, a.Support())
				}
				break
			}
			if refit > 0 && a.Final() != (a.Support() <= refit) {
				t.Fatalf("%+v: final %t with %d vectors and refit = %d",
					cfg, a.Final(), a.Support(), refit)
			}
			a.ExpansionTo(&after)
			if len(after.Coef) != len(before.Coef)-1 || a.Support() != len(after.Coef) {
				t.Fatalf("%+v: from %d vectors to %d", cfg, len(before.Coef), len(after.Coef))
			}
			z := p.vectors(&before)
			removed := missing(z, p.vectors(&after))
			if len(removed) != 2 {
				t.Fatalf("%+v: %d vectors were removed, want 2", cfg, len(removed))
			}
			u, v := removed[0], removed[1]
			if len(after.Coef) >= refit && !sameSign(before.Coef[u], before.Coef[v]) {
				t.Fatalf("%+v: merged vectors of different classes", cfg)
			}
			if len(before.Coef) > refit {
				best, near := math.Inf(1), p.kernel(z[u], z[v])
				for i := range z {
					for j := range i {
						if sameSign(before.Coef[i], before.Coef[j]) {
							best = min(best, mergerLoss(before.Coef[i], before.Coef[j], p.kernel(z[i], z[j])))
						}
					}
				}
				if loss := mergerLoss(before.Coef[u], before.Coef[v], near); loss > 1.001*best+1e-9 {
					t.Errorf("%+v: a merger with loss %v; the least is %v", cfg, loss, best)
				}
			}
			last := len(after.Coef) - 1
			if len(after.Coef) > refit {
				k := p.kernel(z[u], z[v])
				_, coef := mergeAt(math.Abs(before.Coef[u]), math.Abs(before.Coef[v]), -math.Log(k))
				if !closeTo(math.Abs(after.Coef[last]), coef, 1e-5) {
					t.Fatalf("%+v: coefficient %v, want %v", cfg, after.Coef[last], coef)
				}
			} else {
				for k, b := range p.projection(ref, p.vectors(&after), refitRidge) {
					if !closeTo(after.Coef[k], b, 1e-2) {
						t.Fatalf("%+v: coefficient %d of %d is %v, want %v",
							cfg, k, last+1, after.Coef[k], b)
					}
				}
			}
			before, after = after, Expansion{}
		}
	}
}

// mergerLoss returns |a Phi(x) + b Phi(x') - beta Phi(z)|^2.
func mergerLoss(a, b, kernel float64) float64 {
	_, beta := mergeAt(math.Abs(a), math.Abs(b), -math.Log(kernel))
	return a*a + b*b + 2*a*b*kernel - beta*beta
}

func sameSign(a, b float64) bool { return (a > 0) == (b > 0) }

// missing returns the indices of the vectors of z that are not in others.
func missing(z, others [][]float64) []int {
	var out []int
	for i, x := range z {
		found := false
		for _, o := range others {
			found = found || &x[0] == &o[0]
		}
		if !found {
			out = append(out, i)
		}
	}
	return out
}

// interrupting cancels a context after left packed rows.
type interrupting struct {
	*gaussianPoints
	left   int
	cancel context.CancelFunc
}

func (i *interrupting) Pack(points []int) (rowTo func([]float32, []float64), combineTo func(z, w []float64)) {
	packed, combineTo := i.gaussianPoints.Pack(points)
	return func(dst []float32, z []float64) {
		if i.left--; i.left < 0 {
			i.cancel()
		}
		packed(dst, z)
	}, combineTo
}

// TestCSVMContext checks that cancelling the context ends a step and leaves a valid
// classifier.
func TestCSVMContext(t *testing.T) {
	p := gaussianCloud(4, 60, 2, 0.5)
	ref := p.trained(t)
	for _, calls := range []int{5, 200} {
		ctx, cancel := context.WithCancel(context.Background())
		in := &interrupting{p, calls, cancel}
		a := suite.Must(NewCSVM(ctx, CSVMConfig{Support: 2, Relearn: true}, p.problem(), in, ref))
		a.refit = 30
		var after Expansion
		var status algorithms.Status
		for !status.Stop() {
			status = a.Step()
		}
		a.ExpansionTo(&after)
		if status.State != algorithms.Failed {
			t.Errorf("after %d calls: %v: %s", calls, status.State, status.Reason)
		}
		if a.Support() != len(after.Coef) || calls > 5 && a.Cost().Iterations == 0 {
			t.Errorf("after %d calls: %d iterations, support %d, %d coefficients",
				calls, a.Cost().Iterations, a.Support(), len(after.Coef))
		}
		for k, z := range after.Vectors {
			if z == nil && after.Index[k] < 0 {
				t.Errorf("after %d calls: vector %d is missing", calls, k)
			}
		}
		cancel()
	}
}
