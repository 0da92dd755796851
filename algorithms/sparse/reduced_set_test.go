package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
)

func reducedSet(t testing.TB, cfg ReducedSetConfig, p *gaussianPoints, ref *Reference) *ReducedSet {
	t.Helper()
	r := suite.Must(NewReducedSet(cfg, p.problem(), p, ref))
	return r
}

// TestReducedSet checks the reported distance from w, which must not increase, the coefficients
// of the projection, and that every kernel evaluation is charged.
func TestReducedSet(t *testing.T) {
	for _, cfg := range []ReducedSetConfig{{Support: 12}, {Support: 12, Relearn: true}} {
		p := gaussianCloud(5, 40, 3, 0.3)
		ref := p.trained(t)
		r := reducedSet(t, cfg, p, ref)
		last := ref.NormSq
		var e Expansion
		for m := 1; m <= cfg.Support; m++ {
			p.evals = 0
			before := r.Cost().KernelEvals
			if status := r.Step(); status.Stop() {
				t.Fatalf("%+v: step %d: %v", cfg, m, status)
			}
			if charged := r.Cost().KernelEvals - before; charged != p.evals {
				t.Fatalf("%+v: step %d is charged %d kernel evaluations for %d", cfg, m, charged, p.evals)
			}
			r.ExpansionTo(&e)
			if r.Support() != m || len(e.Coef) != m {
				t.Fatalf("%+v: %d vectors after %d steps", cfg, len(e.Coef), m)
			}
			got, want := r.ResidualSq(), p.distanceSq(ref, &e)
			if math.Abs(got-want) > 1e-4*ref.NormSq || got > last {
				t.Fatalf("%+v: with %d vectors ResidualSq() = %v, want %v, at most %v",
					cfg, m, got, want, last)
			}
			last = got
			beta := p.projection(ref, p.vectors(&e), 0)
			for k, b := range e.Coef {
				if !closeTo(b, beta[k], 1e-2) {
					t.Fatalf("%+v: coefficient %d of %d is %v, want %v",
						cfg, k, m, b, beta[k])
				}
			}
		}
		if status := r.Step(); status.State != algorithms.Converged || r.Support() != cfg.Support {
			t.Fatalf("%+v: %v at the target", cfg, status)
		}
		if last > 0.5*ref.NormSq {
			t.Errorf("%+v: %d vectors leave %v of |w|^2 = %v", cfg, cfg.Support, last, ref.NormSq)
		}
	}
}

// TestReducedSetRecovers checks that three steps recover a combination of three distant points.
func TestReducedSetRecovers(t *testing.T) {
	p := gaussianCloud(6, 10, 3, 0.5)
	for i := range p.x {
		p.x[i][1] += 10 * float64(i)
	}
	coef := make([]float64, 10)
	coef[1], coef[4], coef[8] = 3, -2, -1
	ref := p.reference(coef, 0)
	r := reducedSet(t, ReducedSetConfig{Support: 10}, p, ref)
	suite.Advance(r, 3)
	if d := r.ResidualSq(); d > 1e-5*ref.NormSq {
		t.Errorf("three vectors leave %v of %v", d, ref.NormSq)
	}
}

func TestAgreeingBias(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	differences := func(s, d []float64, b float64) int {
		count := 0
		for i := range s {
			if !((s[i]+b)*d[i] > 0) {
				count++
			}
		}
		return count
	}
	for range 400 {
		n := 1 + rng.IntN(12)
		s, d := make([]float64, n), make([]float64, n)
		for i := range s {
			s[i], d[i] = float64(rng.IntN(9)-4)/2, float64(rng.IntN(3)-1)
		}
		near := 3 * rng.NormFloat64()
		b := agreeingBias(s, d, near)
		least := n
		for k := -30; k <= 30; k++ {
			least = min(least, differences(s, d, float64(k)/4+0.01))
		}
		if got := differences(s, d, b); got != least {
			t.Fatalf("scores %v, decisions %v: %v gives %d differences, want %d", s, d, b, got, least)
		}
		if differences(s, d, near) == least && b != near {
			t.Fatalf("scores %v, decisions %v: bias %v, want %v, which is also optimal", s, d, b, near)
		}
	}
}
