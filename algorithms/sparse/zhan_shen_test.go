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

// memoryInputs are points in memory.
type memoryInputs struct {
	Inputs
	x     [][]float64
	gamma float64
}

func newMemoryInputs(x [][]float64, gamma float64) *memoryInputs {
	return &memoryInputs{suite.Points{X: x}.Inputs(gamma), x, gamma}
}

// value returns g(x).
func (m *memoryInputs) value(e *Expansion, x []float64) float64 {
	g := e.Bias
	for k, i := range e.Index {
		var d float64
		for f, v := range m.x[i] {
			d += (v - x[f]) * (v - x[f])
		}
		g += e.Coef[k] * math.Exp(-m.gamma*d)
	}
	return g
}

// TestCurvatureOfSpheres: the level surfaces of one Gaussian are spheres.
func TestCurvatureOfSpheres(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for d := 1; d <= 6; d++ {
		in := newMemoryInputs(cloud(rng, 8, d), 0.4)
		for _, radius := range []float64{0.3, 1, 2} {
			for _, sign := range []float64{1, -1} {
				var e Expansion
				e.Add(3, sign)
				e.Bias = -sign * math.Exp(-in.gamma*radius*radius)
				s := surface{in: in, Expansion: e}
				for i := range in.x {
					kappa := s.curvature(i)
					if i == 3 {
						if kappa != -1 {
							t.Fatalf("d = %d: a projection of the centre, where there is no gradient", d)
						}
						continue
					}
					want := 1 / radius
					if d == 1 {
						want = 0
					}
					if math.Abs(kappa-want) > 1e-6 {
						t.Fatalf("d = %d, point %d: curvature %v, want %v", d, i, kappa, want)
					}
				}
			}
		}
	}
}

// TestCurvatureMatchesFiniteDifferences: gradient and Hessian of g by finite
// differences, at a point that is on the surface and on the line along the gradient;
// the eigenvalues by a dense method.
func TestCurvatureMatchesFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	var projected, close int
	for trial := range 40 {
		d := 2 + trial%4
		in := newMemoryInputs(cloud(rng, 20, d), 0.2+rng.Float64())
		var e Expansion
		for i := range in.x {
			y := 1.0
			if i >= 10 {
				y = -1
			}
			e.Add(i, y*rng.Float64())
		}
		e.Bias = 0.2 * rng.NormFloat64()
		s := surface{in: in, Expansion: e}
		start := in.x[trial%20]
		kappa := s.curvature(trial % 20)
		if kappa < 0 {
			continue
		}
		projected++
		x := slices.Clone(start)
		s.project(x)
		if g := in.value(&e, x); math.Abs(g) > 1e-7*math.Abs(in.value(&e, start)) {
			t.Fatalf("trial %d: g = %v at the projection", trial, g)
		}
		at, here := gradientOf(in, &e, start), gradientOf(in, &e, x)
		step := mat.NewVecDense(d, nil)
		step.SubVec(mat.NewVecDense(d, x), mat.NewVecDense(d, start))
		if c := math.Abs(mat.Dot(step, at)) / (mat.Norm(step, 2) * mat.Norm(at, 2)); c < 1-1e-6 {
			t.Fatalf("trial %d: the projection is at cosine %v to the gradient", trial, c)
		}
		const h = 1e-5
		hessian := mat.NewDense(d, d, nil)
		for f := range d {
			y := slices.Clone(x)
			y[f] += h
			up := gradientOf(in, &e, y)
			y[f] -= 2 * h
			down := gradientOf(in, &e, y)
			for k := range d {
				hessian.Set(f, k, (up.AtVec(k)-down.AtVec(k))/(2*h))
			}
		}
		length := mat.Norm(here, 2)
		projector := mat.NewDense(d, d, nil)
		for f := range d {
			for k := range d {
				v := -here.AtVec(f) * here.AtVec(k) / (length * length)
				if f == k {
					v++
				}
				projector.Set(f, k, v)
			}
		}
		var php mat.Dense
		php.Product(projector, hessian, projector)
		sym := mat.NewSymDense(d, nil)
		for f := range d {
			for k := range f + 1 {
				sym.SetSym(f, k, (php.At(f, k)+php.At(k, f))/2)
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(sym, false) {
			t.Fatal("no eigenvalues")
		}
		var want float64
		for _, v := range eigen.Values(nil) {
			want = max(want, math.Abs(v)/length)
		}
		// Power iteration comes from below; differences of differences are off by some 1e-6.
		if kappa > want*(1+1e-4)+1e-5 || kappa < 0.6*want {
			t.Errorf("trial %d, d = %d: curvature %v, want %v", trial, d, kappa, want)
		}
		if kappa > 0.98*want {
			close++
		}
	}
	if projected < 30 || close < projected*9/10 {
		t.Errorf("%d projections, %d of which to within 2 %%", projected, close)
	}
}

func gradientOf(in *memoryInputs, e *Expansion, x []float64) *mat.VecDense {
	const h = 1e-5
	v := mat.NewVecDense(len(x), nil)
	for f := range x {
		y := slices.Clone(x)
		y[f] += h
		up := in.value(e, y)
		y[f] -= 2 * h
		v.SetVec(f, (up-in.value(e, y))/(2*h))
	}
	return v
}

// zhanShen returns a problem with its input space and the SVM on it.
func zhanShenProblem(t *testing.T, bias bool) (*memoryRows, svm.Problem, *memoryInputs, *Reference) {
	t.Helper()
	const n = 50
	x := cloud(rand.New(rand.NewPCG(35, 36)), n, 2)
	m := gaussianRows(x, 0.5, 0)
	p := svm.Problem{Rows: m, Positive: n / 2}
	return m, p, newMemoryInputs(x, 0.5), svmOn(t, p, bias)
}

func svmOn(t *testing.T, p svm.Problem, bias bool) *Reference {
	t.Helper()
	s, err := svm.NewSMO(svm.SMOConfig{Lambda: 1 / (2 * float64(p.Rows.Train())), Bias: bias, Tolerance: 1e-10}, p)
	if err != nil {
		t.Fatal(err)
	}
	for !s.Step().Stop() {
	}
	var sol svm.Solution
	s.SolutionTo(&sol)
	return &Reference{Alpha: sol.Alpha, Scores: sol.Scores, Bias: sol.Bias, NormSq: sol.NormSq}
}

func zhanShenConfig(edit func(c *ZhanShenConfig)) ZhanShenConfig {
	c := ZhanShenConfig{C: 2, Exclude: 0.3, Epsilon: 0.1, Tolerance: 1e-8}
	if edit != nil {
		edit(&c)
	}
	return c
}

// TestZhanShenWithoutExclusionIsOsunaGirosi.
func TestZhanShenWithoutExclusionIsOsunaGirosi(t *testing.T) {
	t.Parallel()
	for _, bias := range []bool{false, true} {
		m, p, in, ref := zhanShenProblem(t, bias)
		z, err := NewZhanShen(zhanShenConfig(func(c *ZhanShenConfig) { c.Bias, c.Exclude = bias, 0 }), p, in, ref)
		if err != nil {
			t.Fatal(err)
		}
		o, err := NewOsunaGirosi(ogConfig(func(c *OsunaGirosiConfig) { c.Bias = bias }), p, ref)
		if err != nil {
			t.Fatal(err)
		}
		want := scoresOf(m, run(t, o))
		for j, g := range scoresOf(m, run(t, z)) {
			if math.Abs(g-want[j]) > 1e-5 {
				t.Fatalf("bias %t: score %d is %v, want %v", bias, j, g, want[j])
			}
		}
	}
}

// TestZhanShenTrainsOnTheOthers: the most curved support vectors are excluded, the
// SVM is that of the other points, and so is the regression.
func TestZhanShenTrainsOnTheOthers(t *testing.T) {
	for _, bias := range []bool{false, true} {
		m, p, in, ref := zhanShenProblem(t, bias)
		z, err := NewZhanShen(zhanShenConfig(func(c *ZhanShenConfig) { c.Bias = bias }), p, in, ref)
		if err != nil {
			t.Fatal(err)
		}
		vectors := len(z.surface.Index)
		for range vectors {
			z.Step()
		}
		want := int(0.3 * float64(vectors))
		if z.Excluded() != want || want == 0 {
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
		// The SVM of the points that are left, on its own matrix.
		var left []int
		sub := svm.Problem{}
		for i := range m.K {
			if !z.excluded(i) {
				left = append(left, i)
				if i < p.Positive {
					sub.Positive++
				}
			}
		}
		rows := &memoryRows{}
		for _, i := range left {
			row := make([]float32, len(left))
			for k, j := range left {
				row[k] = m.K[i][j]
			}
			rows.K, rows.D = append(rows.K, row), append(rows.D, m.D[i])
		}
		sub.Rows = rows
		again := svmOn(t, sub, bias)
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
		for k, g := range scoresOf(m, e) {
			if j := slices.Index(left, k); j >= 0 && math.Abs(z.qp.Beta[k]) < 2 && math.Abs(g-again.Scores[j]) > 0.1+1e-4 {
				t.Errorf("bias %t: point %d is off by %v, more than epsilon", bias, k, g-again.Scores[j])
			}
		}
	}
}

// TestZhanShenWithoutVectors: where w = 0 there is nothing to exclude.
func TestZhanShenWithoutVectors(t *testing.T) {
	_, p, in, _ := zhanShenProblem(t, false)
	n := p.Rows.Train()
	ref := &Reference{Alpha: make([]float64, n), Scores: make([]float64, n)}
	z, err := NewZhanShen(zhanShenConfig(nil), p, in, ref)
	if err != nil {
		t.Fatal(err)
	}
	if run(t, z); z.Excluded() != 0 || !z.Settled() {
		t.Errorf("%d excluded, settled %t", z.Excluded(), z.Settled())
	}
}
