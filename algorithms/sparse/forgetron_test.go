package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/svm"
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

// TestForgetronMistakes: at most 2 |u|^2 + 4 L mistakes for |u| up to
// sqrt((B+1)/log(B+1))/4.
func TestForgetronMistakes(t *testing.T) {
	for _, budget := range []int{83, 200} {
		const n = 300
		rng := rand.New(rand.NewPCG(9, uint64(budget)))
		phi := make([][]float64, n)
		for i := range phi {
			phi[i] = []float64{dyadic(0.9 + 0.05*rng.Float64()), dyadic(0.2 * rng.NormFloat64()), dyadic(0.1 * rng.NormFloat64())}
			if i >= n/2 {
				phi[i][0] = -phi[i][0]
			}
			if rng.IntN(3) == 0 { // a label is wrong
				phi[i][0] = -phi[i][0]
			}
			if featureDot(phi[i], phi[i]) > 1 {
				phi[i] = []float64{phi[i][0], 0, 0}
			}
		}
		g := newFeatureRows(phi)
		p := svm.Problem{Rows: g, Positive: n / 2}
		a, err := NewForgetron(ForgetronConfig{Budget: budget}, p, newDrawnOrder(5, n))
		if err != nil {
			t.Fatal(err)
		}
		limit := math.Sqrt(float64(budget+1)/math.Log(float64(budget+1))) / 4
		const steps = 3000
		for range steps {
			if s := a.Step(); s.Stop() {
				t.Fatal(s)
			}
			if a.Support() > budget {
				t.Fatalf("support %d", a.Support())
			}
			if m := 15.0 / 32 * float64(a.mistakes); a.damage > m+1e-9 {
				t.Fatalf("Q = %g > %g", a.damage, m)
			}
		}
		least := math.Inf(1)
		for k := range 11 {
			norm := limit * float64(k) / 10
			u := []float64{norm, 0, 0}
			order := newDrawnOrder(5, n)
			loss := 0.0
			for range steps {
				i := order.Next()
				loss += max(0, 1-p.Label(i)*featureDot(u, phi[i]))
			}
			least = min(least, 2*norm*norm+4*loss)
		}
		// The bound for any K: |K| is below 1 here, and scaled to 1 by the method,
		// which makes |u| larger by less than the 10 % that the grid leaves.
		if m := float64(a.mistakes); m > least {
			t.Errorf("budget %d: %g mistakes, at most %g possible", budget, m, least)
		}
		if a.mistakes < int64(2*budget) || least > 10*float64(a.mistakes) {
			t.Errorf("budget %d: %d mistakes, bound %g: not much of a test", budget, a.mistakes, least)
		}
	}
}
