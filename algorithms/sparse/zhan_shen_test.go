package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/mat"
)

// derivatives computes g(x), its gradient and its Hessian by their definitions.
func (p *gaussianPoints) derivatives(e *Expansion, x []float64) (g float64, gradient *mat.VecDense, hessian *mat.SymDense) {
	d := len(x)
	g, gradient, hessian = e.Bias, mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
	for k, i := range e.Index {
		to := mat.NewVecDense(d, nil)
		to.SubVec(mat.NewVecDense(d, p.x[i]), mat.NewVecDense(d, x))
		w := e.Coef[k] * math.Exp(-p.gamma*mat.Dot(to, to))
		g += w
		gradient.AddScaledVec(gradient, 2*p.gamma*w, to)
		hessian.SymRankOne(hessian, 4*p.gamma*p.gamma*w, to)
		for f := range d {
			hessian.SetSym(f, f, hessian.At(f, f)-2*p.gamma*w)
		}
	}
	return g, gradient, hessian
}

// TestCurvatureOfSpheres uses the level surfaces of one Gaussian, which are spheres.
func TestCurvatureOfSpheres(t *testing.T) {
	for _, d := range []int{1, 2, 5} {
		p := gaussianCloud(31, 8, d, 0.4)
		for _, radius := range []float64{0.3, -2} { // the sign is that of the coefficient
			var e Expansion
			e.Add(3, math.Copysign(1, radius))
			e.Bias = -e.Coef[0] * math.Exp(-p.gamma*radius*radius)
			s := surface{in: p, Expansion: e}
			for i := range p.x {
				want := 1 / math.Abs(radius)
				switch {
				case i == 3:
					want = -1 // the gradient is 0 at the centre
				case d == 1:
					want = 0
				}
				if kappa := s.curvature(i); math.Abs(kappa-want) > 1e-6 {
					t.Fatalf("d = %d, point %d: curvature %v, want %v", d, i, kappa, want)
				}
			}
		}
	}
}

// TestCurvature checks that the projection is on the surface and on the line along the gradient. It
// compares the curvature with the greatest singular value of PHP/|G|.
func TestCurvature(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	projected, near := 0, 0
	for trial := range 60 {
		d := 2 + trial%4
		p := gaussianCloud(uint64(trial), 20, d, 0.2+rng.Float64())
		var e Expansion
		for i := range p.x {
			e.Add(i, p.problem().Label(i)*rng.Float64())
		}
		e.Bias = 0.2 * rng.NormFloat64()
		s := surface{in: p, Expansion: e}
		start := p.x[trial%20]
		kappa := s.curvature(trial % 20)
		if kappa < 0 {
			continue
		}
		projected++
		x := slices.Clone(start)
		s.project(x)
		before, at, _ := p.derivatives(&e, start)
		g, here, hessian := p.derivatives(&e, x)
		if math.Abs(g) > 1e-7*math.Abs(before) {
			t.Fatalf("trial %d: g = %v at the projection", trial, g)
		}
		step := mat.NewVecDense(d, nil)
		step.SubVec(mat.NewVecDense(d, x), mat.NewVecDense(d, start))
		if c := math.Abs(mat.Dot(step, at)) / (mat.Norm(step, 2) * mat.Norm(at, 2)); c < 1-1e-6 {
			t.Fatalf("trial %d: the cosine between projection and gradient is %v, want 1", trial, c)
		}
		length := mat.Norm(here, 2)
		projector := mat.NewSymDense(d, nil)
		for f := range d {
			projector.SetSym(f, f, 1)
		}
		projector.SymRankOne(projector, -1/(length*length), here)
		var php mat.Dense
		php.Product(projector, hessian, projector)
		var svd mat.SVD
		if !svd.Factorize(&php, mat.SVDNone) {
			t.Fatal("no singular values")
		}
		// Power iteration gives a lower bound.
		want := svd.Values(nil)[0] / length
		if kappa > want*(1+1e-6) || kappa < 0.6*want {
			t.Errorf("trial %d, d = %d: curvature %v, want %v", trial, d, kappa, want)
		}
		if kappa > 0.98*want {
			near++
		}
	}
	if projected < 30 || near < projected*9/10 {
		t.Errorf("%d projections, of which %d are accurate to 2 %%", projected, near)
	}
}

func zhanShenConfig(bias bool) ZhanShenConfig {
	return ZhanShenConfig{C: 2, Bias: bias, Exclude: 0.3, Epsilon: 0.1, Tolerance: 1e-8}
}

// TestZhanShenWithoutExclusion checks that the method equals OsunaGirosi without exclusion, and that
// it excludes nothing if w = 0.
func TestZhanShenWithoutExclusion(t *testing.T) {
	p := gaussianCloud(35, 50, 2, 0.5)
	for _, bias := range []bool{false, true} {
		ref := svmOn(t, p.problem(), 2, bias)
		cfg := zhanShenConfig(bias)
		cfg.Exclude = 0
		z := suite.Must(NewZhanShen(cfg, p.problem(), p, ref))
		o, err := NewOsunaGirosi(OsunaGirosiConfig{Epsilon: 0.1, C: 2, Bias: bias, Tolerance: 1e-8}, p.problem(), ref)
		if err != nil {
			t.Fatal(err)
		}
		want := scoresOf(p, run(t, o))
		for j, g := range scoresOf(p, run(t, z)) {
			if math.Abs(g-want[j]) > 1e-5 {
				t.Fatalf("bias %t: score %d is %v, want %v", bias, j, g, want[j])
			}
		}
	}
	nothing := &Reference{Alpha: make([]float64, 50), Scores: make([]float64, 50)}
	z := suite.Must(NewZhanShen(zhanShenConfig(false), p.problem(), p, nothing))
	if run(t, z); z.Excluded() != 0 {
		t.Errorf("%d excluded", z.Excluded())
	}
}

// TestZhanShenTrainsOnTheOthers checks that the support vectors of the greatest curvature are
// excluded, and that the SVM and the regression use only the other points.
func TestZhanShenTrainsOnTheOthers(t *testing.T) {
	for _, bias := range []bool{false, true} {
		p := gaussianCloud(35, 50, 2, 0.5)
		ref := svmOn(t, p.problem(), 2, bias)
		z := suite.Must(NewZhanShen(zhanShenConfig(bias), p.problem(), p, ref))
		vectors := len(z.surface.Index)
		suite.Advance(z, vectors)
		if want := int(0.3 * float64(vectors)); z.Excluded() != want || want == 0 {
			t.Fatalf("bias %t: %d of %d excluded, want %d", bias, z.Excluded(), vectors, want)
		}
		low, high := math.Inf(1), 0.0
		for k, i := range z.surface.Index {
			if z.excluded(i) {
				low = min(low, z.curvature[k])
			} else {
				high = max(high, z.curvature[k])
			}
		}
		if low < high {
			t.Errorf("bias %t: curvature %v is excluded, %v is not", bias, low, high)
		}
		for z.qp != z.regression {
			z.Step()
		}
		// The SVM of the remaining points, on a separate matrix.
		var left []int
		rows, positive := &memoryRows{}, 0
		for i := range p.x {
			if !z.excluded(i) {
				left = append(left, i)
				if p.problem().Label(i) > 0 {
					positive++
				}
			}
		}
		for _, i := range left {
			rows.K, rows.D = append(rows.K, suite.Pick(p.Row(i), left)), append(rows.D, 1)
		}
		again := svmOn(t, svm.Problem{Rows: rows, Positive: positive}, 2, bias)
		for k, i := range left {
			if want := again.Scores[k]; math.Abs(z.qp.Shift[i]-want) > 1e-4 {
				t.Fatalf("bias %t: the score of point %d is %v, want %v", bias, i, z.qp.Shift[i], want)
			}
		}
		e := run(t, z)
		for _, i := range e.Index {
			if z.excluded(i) {
				t.Errorf("bias %t: point %d was excluded and is an expansion vector", bias, i)
			}
		}
		scores := scoresOf(p, e)
		for k, i := range left {
			if off := scores[i] - again.Scores[k]; math.Abs(z.qp.Beta[i]) < 2 && math.Abs(off) > 0.1+1e-4 {
				t.Errorf("bias %t: point %d is off by %v, more than epsilon", bias, i, off)
			}
		}
	}
}
