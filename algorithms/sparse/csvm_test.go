package sparse

import (
	"context"
	"math"
	"strings"
	"testing"

	"stochopt/algorithms"
)

func condense(t testing.TB, cfg CSVMConfig, p *virtualPoints, ref *Reference) *CSVM {
	t.Helper()
	a, err := NewCSVM(context.Background(), cfg, p.problem(), p, ref)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The merger is the best on the segment.
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

func TestExponential(t *testing.T) {
	for z := 0.0; z < 720; z = 1.01*z + 1e-4 {
		if got, want := exponential(z), math.Exp(-z); math.Abs(got-want) > 1e-14*want && want > 1e-300 {
			t.Fatalf("e^-%v is %v, want %v", z, got, want)
		}
	}
	if exponential(0) != 1 || exponential(math.Inf(1)) != 0 || !math.IsNaN(exponential(math.NaN())) {
		t.Error("limits")
	}
}

// Each merger is that of a vector with its nearest of the same class, nearest of
// all if so configured, and is charged exactly; the coefficients are those of the
// merger, or of the projection.
func TestCSVM(t *testing.T) {
	for _, cfg := range []CSVMConfig{
		{Support: 1, Pair: PairNearest},
		{Support: 5, Pair: PairLoss},
		{Support: 2, Pair: PairNearest, Refit: 12},
		{Support: 2, Pair: PairLoss, Refit: 40, Relearn: true},
	} {
		p := virtualCloud(11, 40, 3, 0.2)
		ref := p.trained(t)
		a := condense(t, cfg, p, ref)
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
			a.ExpansionTo(&after)
			if len(after.Coef) != len(before.Coef)-1 || a.Support() != len(after.Coef) {
				t.Fatalf("%+v: from %d vectors to %d", cfg, len(before.Coef), len(after.Coef))
			}
			z := p.vectors(&before)
			gone := missing(z, p.vectors(&after))
			if len(gone) != 2 {
				t.Fatalf("%+v: %d vectors are gone", cfg, len(gone))
			}
			u, v := gone[0], gone[1]
			if len(after.Coef) >= cfg.Refit && !sameSign(before.Coef[u], before.Coef[v]) {
				t.Fatalf("%+v: a vector of each class is gone", cfg)
			}
			if len(before.Coef) > cfg.Refit {
				best, near := 0.0, p.kernel(z[u], z[v])
				for i := range z {
					for j := range i {
						if sameSign(before.Coef[i], before.Coef[j]) {
							best = max(best, p.kernel(z[i], z[j]))
						}
					}
				}
				if cfg.Pair == PairNearest && near != best {
					t.Fatalf("%+v: merged at K = %v, the nearest are at %v", cfg, near, best)
				}
			}
			last := len(after.Coef) - 1
			if len(after.Coef) > cfg.Refit {
				k := p.kernel(z[u], z[v])
				_, coef := mergeAt(math.Abs(before.Coef[u]), math.Abs(before.Coef[v]), -math.Log(k))
				if !closeTo(math.Abs(after.Coef[last]), coef, 1e-5) {
					t.Fatalf("%+v: coefficient %v, want %v", cfg, after.Coef[last], coef)
				}
			} else {
				for k, b := range p.projection(ref, p.vectors(&after), refitRidge) {
					if !closeTo(after.Coef[k], b, 1e-2) {
						t.Fatalf("%+v: coefficient %d of %d is %v, that of the projection %v", cfg, k, last+1, after.Coef[k], b)
					}
				}
			}
			before, after = after, Expansion{}
		}
	}
}

func sameSign(a, b float64) bool { return (a > 0) == (b > 0) }

// missing returns the indices of the vectors that are not among others.
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

// interrupting ends a context after some calls of AddTo.
type interrupting struct {
	*virtualPoints
	left   int
	cancel context.CancelFunc
}

func (i *interrupting) AddTo(z []float64, a float64, j int) {
	if i.left--; i.left < 0 {
		i.cancel()
	}
	i.virtualPoints.AddTo(z, a, j)
}

// TestCSVMHeedsItsContext: in the midst of a step, and what is there stays a
// classifier.
func TestCSVMHeedsItsContext(t *testing.T) {
	p := virtualCloud(4, 60, 2, 0.5)
	ref := p.trained(t)
	for _, calls := range []int{5, 200, 300} {
		ctx, cancel := context.WithCancel(context.Background())
		in := &interrupting{p, calls, cancel}
		a, err := NewCSVM(ctx, CSVMConfig{Support: 2, Pair: PairLoss, Refit: 30, Relearn: true}, p.problem(), in, ref)
		if err != nil {
			t.Fatal(err)
		}
		var after Expansion
		var status algorithms.Status
		for !status.Stop() {
			status = a.Step()
		}
		a.ExpansionTo(&after)
		if status.State != algorithms.Failed || !strings.Contains(status.Reason, "canceled") {
			t.Errorf("after %d calls: %v: %s", calls, status.State, status.Reason)
		}
		if a.Support() != len(after.Coef) || calls > 5 && a.Cost().Iterations == 0 {
			t.Errorf("after %d calls: %d iterations, support %d, %d coefficients", calls, a.Cost().Iterations, a.Support(), len(after.Coef))
		}
		for k, z := range after.Vectors {
			if z == nil && after.Index[k] < 0 {
				t.Errorf("after %d calls: vector %d is gone", calls, k)
			}
		}
		cancel()
	}
}

func TestCSVMErrors(t *testing.T) {
	p := virtualCloud(7, 8, 2, 0.5)
	ref := p.trained(t)
	for want, cfg := range map[string]CSVMConfig{
		"support = 0":     {Pair: PairLoss},
		"support = 9":     {Support: 9, Pair: PairLoss},
		`pair = "other"`:  {Support: 2, Pair: "other"},
		"refit = -1":      {Support: 2, Pair: PairLoss, Refit: -1},
		"but refit is 0;": {Support: 2, Pair: PairLoss, Relearn: true},
	} {
		if _, err := NewCSVM(context.Background(), cfg, p.problem(), p, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", cfg, err, want)
		}
	}
}

func BenchmarkCSVMStep(b *testing.B) {
	p := virtualCloud(1, 600, 10, 0.1)
	ref := p.trained(b)
	cfg := CSVMConfig{Support: 2, Pair: PairLoss, Refit: 300, Relearn: true}
	a := condense(b, cfg, p, ref)
	for b.Loop() {
		if a.Step().Stop() {
			a = condense(b, cfg, p, ref)
		}
	}
}

// With Refit, the classifiers above it are what mergers leave of w, no results.
func TestCSVMSettlesWhenItRefits(t *testing.T) {
	const refit = 12
	p := virtualCloud(4, 60, 2, 0.5)
	a, err := NewCSVM(t.Context(), CSVMConfig{Support: 2, Pair: PairLoss, Refit: refit}, p.problem(), p, p.trained(t))
	if err != nil {
		t.Fatal(err)
	}
	for above := false; ; above = above || a.Support() > refit {
		if status := a.Step(); status.Stop() {
			if !above {
				t.Fatal("the reference has too few support vectors to tell")
			}
			return
		}
		if a.Settled() != (a.Support() <= refit) {
			t.Fatalf("settled %t with %d vectors and refit = %d", a.Settled(), a.Support(), refit)
		}
	}
}
