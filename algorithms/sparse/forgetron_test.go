package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestForgetronAgainstNaive compares with a learner that searches phi by halving
// the interval. With a budget of n it is the Perceptron.
func TestForgetronAgainstNaive(t *testing.T) {
	const n = 60
	for _, c := range []struct {
		budget  int
		stretch float64
	}{{1, 1}, {7, 1}, {25, 1}, {n, 1}, {7, 8}, {7, 0.125}} {
		p, g := newCloudProblem(1, n, c.stretch)
		a, err := NewForgetron(ForgetronConfig{Budget: c.budget}, p, newDrawnOrder(2, n))
		if err != nil {
			t.Fatal(err)
		}
		kappa := 0.0
		for _, k := range g.D {
			kappa = max(kappa, k)
		}
		b := &naiveBudget{p: p, g: g}
		damage, shrunk := 0.0, 0
		mistakes := learnBoth(t, a, b, newDrawnOrder(2, n), 500, c.budget, func(m int) {
			r := b.rounds[0]
			psi := func(phi float64) float64 {
				l, mu := phi*r.coef, phi*b.margin(r.i)/kappa
				return l*l*g.D[r.i]/kappa + 2*l - 2*l*mu
			}
			room := 15.0/32*float64(m) - damage
			phi := 1.0
			if psi(1) > room {
				lo, hi := 0.0, 1.0 // the condition holds up to a point and from there on not
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
						t.Fatalf("phi = %g holds, and so does %g", phi, f)
					}
				}
			}
			damage += psi(phi)
			for k := range b.rounds {
				b.rounds[k].coef *= phi
			}
			b.rounds = b.rounds[1:]
		})
		if int64(mistakes) != a.mistakes || math.Abs(damage-a.damage) > 1e-8 {
			t.Errorf("budget %d: M = %d, Q = %g, want %d, %g", c.budget, a.mistakes, a.damage, mistakes, damage)
		}
		if damage > 15.0/32*float64(mistakes)+1e-9 {
			t.Errorf("budget %d: Q = %g for %d mistakes", c.budget, damage, mistakes)
		}
		if c.budget < n && mistakes < 2*c.budget || c.budget < 20 && shrunk < 10 {
			t.Errorf("budget %d: %d mistakes, shrunk %d times: not much of a test", c.budget, mistakes, shrunk)
		}
	}
}

func TestSelfTuned(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	ones, less := 0, 0
	for range 20000 {
		sigma, k := rng.Float64(), rng.Float64()
		mu, c := 6*rng.NormFloat64(), 15.0/32+rng.ExpFloat64()
		if rng.IntN(50) == 0 {
			mu = sigma * k / 2 // linear
		}
		phi, psi := selfTuned(sigma, mu, k, c)
		at := func(f float64) float64 {
			return float64(f*sigma)*float64(f*sigma)*k + 2*f*sigma - 2*f*sigma*f*mu
		}
		if !(phi > 0 && phi <= 1) || at(phi) > c+1e-9 || math.Abs(psi-at(phi)) > 1e-9 {
			t.Fatalf("sigma %g, mu %g, k %g, c %g: phi %g, psi %g, %g", sigma, mu, k, c, phi, psi, at(phi))
		}
		if phi == 1 {
			ones++
			continue
		}
		less++
		for j := 1; j <= 50; j++ {
			if f := phi + (1-phi)*float64(j)/50; at(f) <= c {
				t.Fatalf("sigma %g, mu %g, k %g, c %g: phi %g, but %g holds", sigma, mu, k, c, phi, f)
			}
		}
	}
	if ones < 1000 || less < 1000 {
		t.Errorf("%d times 1, %d times less", ones, less)
	}
}
