package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/floats"
)

// TestForgetronAgainstNaive compares the Forgetron with a naive learner that finds phi by
// bisection. With a budget of n both are the Perceptron.
func TestForgetronAgainstNaive(t *testing.T) {
	const n = 60
	for _, c := range []struct {
		budget  int
		stretch float64
	}{{1, 1}, {7, 1}, {25, 1}, {n, 1}, {7, 8}, {7, 0.125}} {
		p, g := newCloudProblem(1, n, c.stretch)
		a := suite.Must(NewForgetron(BudgetConfig{Budget: c.budget}, p, newDrawnOrder(2, n)))
		kappa := 0.0
		for _, k := range g.D {
			kappa = max(kappa, k)
		}
		b := &naiveBudget{p: p, g: g}
		damage, shrunk := 0.0, 0
		mistakes := learnBoth(t, a, b, newDrawnOrder(2, n), 500, c.budget, func(m int) {
			r := b.stored[0]
			psi := func(phi float64) float64 {
				l, mu := phi*r.coef, phi*b.margin(r.i)/kappa
				return l*l*g.D[r.i]/kappa + 2*l - 2*l*mu
			}
			room := 15.0/32*float64(m) - damage
			phi := 1.0
			if psi(1) > room {
				lo, hi := 0.0, 1.0 // the condition holds at lo and fails at hi
				for range 100 {
					if mid := (lo + hi) / 2; psi(mid) <= room {
						lo = mid
					} else {
						hi = mid
					}
				}
				phi = lo
				shrunk++
				for k := range 101 {
					if f := phi + (1-phi)*float64(k)/100; k > 0 && psi(f) <= room {
						t.Fatalf("phi = %g is not the greatest: %g satisfies the condition", phi, f)
					}
				}
			}
			damage += psi(phi)
			for k := range b.stored {
				b.stored[k].coef *= phi
			}
			b.stored = b.stored[1:]
		})
		if int64(mistakes) != a.mistakes || math.Abs(damage-a.damage) > 1e-8 {
			t.Errorf("budget %d: M = %d, Q = %g, want %d, %g",
				c.budget, a.mistakes, a.damage, mistakes, damage)
		}
		if damage > 15.0/32*float64(mistakes)+1e-9 {
			t.Errorf("budget %d: Q = %g for %d mistakes", c.budget, damage, mistakes)
		}
		if c.budget < n && mistakes < 2*c.budget || c.budget < 20 && shrunk < 10 {
			t.Errorf("budget %d: only %d mistakes and %d shrinkages; the test is too weak",
				c.budget, mistakes, shrunk)
		}
	}
}

// TestForgetronProgress checks the bound that Psi stands for. The progress |w - u|^2 of the
// mistake on x_r, minus the loss of progress when x_r is removed, is at least 1 - 2 l_r - Psi
// for the hinge loss l_r of any u.
func TestForgetronProgress(t *testing.T) {
	const n, budget = 60, 7
	p, g := newCloudProblem(8, n, 1)
	b := &naiveBudget{p: p, g: g}
	rng := rand.New(rand.NewPCG(4, 4))
	us := make([][]float64, 40)
	for k := range us {
		us[k] = make([]float64, len(g.phi[0]))
		for j := range us[k] {
			us[k][j] = math.Ldexp(rng.NormFloat64(), k%6-2)
		}
	}
	distance := func(w, u []float64) float64 {
		d := floats.Distance(w, u, 2)
		return d * d
	}
	var gains [][]float64 // of the mistakes, for each u
	least, forgotten, q, mistakes := math.Inf(1), 0, 0.0, 0.0
	order := newDrawnOrder(4, n)
	for range 3000 {
		i := order.Next()
		if b.margin(i) > 0 {
			continue
		}
		mistakes++
		before := b.w()
		b.stored = append(b.stored, mistake{i, 1})
		after := b.w()
		gain := make([]float64, len(us))
		for k, u := range us {
			gain[k] = distance(before, u) - distance(after, u)
		}
		gains = append(gains, gain)
		if len(b.stored) <= budget {
			continue
		}
		r := b.stored[0]
		phi, psi := selfTuned(r.coef, b.margin(r.i), g.D[r.i], 15.0/32*mistakes-q)
		q += psi
		for k := range b.stored {
			b.stored[k].coef *= phi
		}
		shrunk := b.w()
		b.stored = b.stored[1:]
		after = b.w()
		for k, u := range us {
			l := max(0, 1-p.Label(r.i)*suite.Linear(u, g.phi[r.i]))
			slack := gains[0][k] + distance(shrunk, u) - distance(after, u) - (1 - 2*l - psi)
			if slack < -1e-9 {
				t.Fatalf("progress is %g less than 1 - 2 l - Psi", -slack)
			}
			least = min(least, slack)
		}
		gains = gains[1:]
		forgotten++
	}
	if forgotten < 300 || least > 0.2 {
		t.Errorf("%d removals with a slack of at least %g; the test is too weak", forgotten, least)
	}
}
