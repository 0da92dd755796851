package svm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// randomQP fills p with K = A A', where A has the given rank, and random bounds, some of which are
// 0.
func randomQP(rng *rand.Rand, p *denseQP, rank int, scale float64) {
	q := len(p.z)
	a := mat.NewDense(q, rank, nil)
	for i := range q {
		for j := range rank {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	k := mat.NewDense(q, q, p.k.Data)
	k.Mul(a, a.T())
	for i := range q {
		var lo, hi float64
		if rng.IntN(3) > 0 {
			lo = -scale * rng.Float64()
		}
		if rng.IntN(3) > 0 {
			hi = scale * rng.Float64()
		}
		p.b[i], p.lo[i], p.hi[i] = rng.NormFloat64(), lo, hi
	}
}

// enumerate returns the minimum of f. It tries all assignments of variables to bounds and solves for
// the others.
func enumerate(p *denseQP) float64 {
	best := 0.0 // f(0)
	assignments := 1
	for range len(p.z) {
		assignments *= 3
	}
	for code := range assignments {
		z := make([]float64, len(p.z))
		var free []int
		for i, c := 0, code; i < len(p.z); i, c = i+1, c/3 {
			switch c % 3 {
			case 0:
				z[i] = p.lo[i]
			case 1:
				z[i] = p.hi[i]
			default:
				free = append(free, i)
			}
		}
		if !stationary(p, z, free) {
			continue
		}
		feasible := true
		var sum float64
		for i, v := range z {
			feasible = feasible && v >= p.lo[i]-1e-12 && v <= p.hi[i]+1e-12
			sum += v
		}
		if p.balanced && math.Abs(sum) > 1e-10 {
			feasible = false
		}
		if feasible {
			p.z = z
			p.gradient()
			best = min(best, p.value())
		}
	}
	return best
}

// stationary sets the free variables to the stationary point of least norm, given the others.
func stationary(p *denseQP, z []float64, free []int) bool {
	m := len(free)
	if p.balanced {
		m++
	}
	if m == 0 {
		return true
	}
	a, b := mat.NewDense(m, m, nil), mat.NewVecDense(m, nil)
	for r, i := range free {
		b.SetVec(r, -p.b[i]-floats.Dot(p.k.Data[i*len(z):(i+1)*len(z)], z))
		for c, j := range free {
			a.Set(r, c, p.k.Data[i*len(z)+j])
		}
		if p.balanced {
			a.Set(r, m-1, 1)
			a.Set(m-1, r, 1)
		}
	}
	if p.balanced {
		var sum float64
		for _, v := range z {
			sum += v
		}
		b.SetVec(m-1, -sum)
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return false
	}
	rank := svd.Rank(1e-12)
	if rank == 0 {
		return false
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, b, rank)
	for r, i := range free {
		z[i] = x.AtVec(r)
	}
	return true
}

func TestDenseQPMatchesEnumeration(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		q := 1 + rng.IntN(5)
		p := newDenseQP(q, trial%2 == 0)
		// Full rank: the enumeration does not visit all optimal points of a singular
		// program.
		randomQP(rng, p, q, 1)
		got, want := p.solve(), -enumerate(p)
		if math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("trial %d, q = %d, balanced %t: decrease %v, want %v", trial, q, p.balanced, got, want)
		}
	}
}

func TestDenseQPOptimal(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 600 {
		q := []int{1, 2, 3, 5, 10, 20, 60}[trial%7]
		rank := 1 + rng.IntN(q)
		p := newDenseQP(q, trial%2 == 0)
		scale := []float64{1e-6, 1, 1e4}[rng.IntN(3)]
		randomQP(rng, p, rank, scale)
		t.Run(fmt.Sprintf("%d q=%d rank=%d scale=%g balanced=%t", trial, q, rank, scale, p.balanced), func(t *testing.T) {
			gain := p.solve()
			var sum, size, trace float64
			for i, z := range p.z {
				if z < p.lo[i] || z > p.hi[i] {
					t.Errorf("z_%d = %g, want it in [%g, %g]", i, z, p.lo[i], p.hi[i])
				}
				sum += z
				size = max(size, math.Abs(z))
				trace += p.k.Data[i*q+i]
			}
			if p.balanced && math.Abs(sum) > 1e-13*size*float64(q) {
				t.Errorf("sum z = %g", sum)
			}
			p.gradient()
			if v, tol := p.release(), 1e-9*(1+trace*size*1e-3); v > tol {
				t.Errorf("violation %g", v)
			}
			if gain < 0 || math.Abs(gain+p.value()) > 1e-12*max(1, gain) {
				t.Errorf("gain %g, f = %g", gain, p.value())
			}
		})
	}
}

func TestDenseQPWithoutCurvature(t *testing.T) {
	for _, balanced := range []bool{false, true} {
		p := newDenseQP(4, balanced)
		for i, b := range []float64{1, -2, 3, 0} {
			p.b[i], p.lo[i], p.hi[i] = b, -1, 1
		}
		// z = (-1, 1, -1, 1). If p is not balanced, the last component is arbitrary.
		const want = 6
		if got := p.solve(); math.Abs(got-want) > 1e-12 {
			t.Errorf("balanced %t: decrease %v, want %v at z = %v", balanced, got, want, p.z)
		}
	}
}
