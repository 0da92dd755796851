package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// reference returns the classifier with the given signed coefficients.
func (p *gaussianPoints) reference(coef []float64, bias float64) *Reference {
	r := &Reference{Bias: bias}
	for i, c := range coef {
		y := p.problem().Label(i)
		r.Alpha = append(r.Alpha, y*c)
		s := 0.0
		for j, d := range coef {
			s += d * p.kernel(p.x[i], p.x[j])
		}
		r.Scores = append(r.Scores, s+bias)
		r.NormSq += c * s
	}
	return r
}

// vectors returns the expansion vectors of e.
func (p *gaussianPoints) vectors(e *Expansion) [][]float64 {
	var out [][]float64
	for k, i := range e.Index {
		if i >= 0 {
			out = append(out, p.x[i])
		} else {
			out = append(out, e.Vectors[k])
		}
	}
	return out
}

// distanceSq returns |w - sum_k beta_k Phi(z_k)|^2 by brute force.
func (p *gaussianPoints) distanceSq(ref *Reference, e *Expansion) float64 {
	z, sum := p.vectors(e), ref.NormSq
	for k, b := range e.Coef {
		for i, a := range ref.Alpha {
			sum -= 2 * b * a * p.problem().Label(i) * p.kernel(z[k], p.x[i])
		}
		for l, c := range e.Coef {
			sum += b * c * p.kernel(z[k], z[l])
		}
	}
	return sum
}

// projection returns the solution of (K_zz + ridge I) beta = K_zx alpha.
func (p *gaussianPoints) projection(ref *Reference, z [][]float64, ridge float64) []float64 {
	m := len(z)
	k, h := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for a := range z {
		for b := range a + 1 {
			k.SetSym(a, b, p.kernel(z[a], z[b]))
		}
		k.SetSym(a, a, 1+ridge)
		s := 0.0
		for i, alpha := range ref.Alpha {
			s += alpha * p.problem().Label(i) * p.kernel(z[a], p.x[i])
		}
		h.SetVec(a, s)
	}
	var beta mat.VecDense
	if err := beta.SolveVec(k, h); err != nil {
		return nil
	}
	return beta.RawVector().Data
}

func closeTo(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// randomPreimage returns a search for Psi with coefficients of both signs.
func randomPreimage(p *gaussianPoints, seed uint64, vectors int) *preimage {
	rng := rand.New(rand.NewPCG(seed, 2))
	a := make([]float64, len(p.x))
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	s := newPreimage(p, a, p.RowTo, p.CombineTo)
	for range vectors {
		z := make([]float64, p.Dim())
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		s.vectors, s.b = append(s.vectors, z), append(s.b, rng.NormFloat64())
	}
	return s
}

// value is <Psi, Phi(z)> in double precision.
func (s *preimage) value(p *gaussianPoints, z []float64) float64 {
	sum := 0.0
	add := func(a float64, x []float64) {
		gap := 0.0
		for k, v := range x {
			gap += (v - z[k]) * (v - z[k])
		}
		sum += a * math.Exp(-p.gamma*gap)
	}
	for i, a := range s.a {
		add(a, p.x[i])
	}
	for j, b := range s.b {
		add(b, s.vectors[j])
	}
	return sum
}

// TestPreimageIsStationary checks that search finds a stationary point that is no worse than the
// start, and charges every kernel evaluation.
func TestPreimageIsStationary(t *testing.T) {
	for seed := range uint64(8) {
		p := gaussianCloud(seed, 30, 3, 0.4)
		s := randomPreimage(p, seed, 4)
		s.tolerance, s.maxEvals = 1e-12, 3000
		for start := range 6 {
			z := slices.Clone(p.x[start])
			if !s.search(z) {
				t.Fatalf("seed %d, start %d: failed", seed, start)
			}
			if !slices.Equal(z, p.x[start]) {
				t.Fatal("the start has changed")
			}
			g, before := s.value(p, s.best.z), s.value(p, z)
			if !closeTo(s.best.g, g, 1e-5) || g*g < before*before*(1-1e-5) {
				t.Fatalf("seed %d, start %d: <Psi, Phi(z)> = %v, reported as %v; at the start %v",
					seed, start, g, s.best.g, before)
			}
			for k := range s.best.z {
				const h = 1e-4
				up, down := slices.Clone(s.best.z), slices.Clone(s.best.z)
				up[k], down[k] = up[k]+h, down[k]-h
				if slope := (s.value(p, up) - s.value(p, down)) / (2 * h); math.Abs(slope) > 2e-3*(1+math.Abs(g)) {
					t.Fatalf("seed %d, start %d: slope %v along feature %d, where the value is %v",
						seed, start, slope, k, g)
				}
			}
		}
		if s.evals != p.evals {
			t.Fatalf("%d kernel evaluations charged, %d made", s.evals, p.evals)
		}
	}
}
