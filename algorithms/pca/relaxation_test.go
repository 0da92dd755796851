package pca_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
)

func newRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(42, stream)) }

// recorder keeps the last sample of a source.
type recorder struct {
	pca.Source
	last []float64
}

func (r *recorder) Next() ([]float64, bool) {
	x, ok := r.Source.Next()
	r.last = slices.Clone(x)
	return x, ok
}

// mixture draws Gaussian samples of a decaying spectrum, and among them zeros,
// axes, and repetitions of the sample before.
type mixture struct {
	d    int
	rng  *rand.Rand
	last []float64
}

func (m *mixture) Dim() int { return m.d }

func (m *mixture) Next() ([]float64, bool) {
	x := make([]float64, m.d)
	switch m.rng.IntN(8) {
	case 0:
	case 1:
		x[m.rng.IntN(m.d)] = 1
	case 2:
		copy(x, m.last)
	default:
		for i := range x {
			x[i] = m.rng.NormFloat64() / float64(1+i)
		}
	}
	m.last = x
	return x, true
}

// denseRelaxation is a relaxed iterate as a full matrix, with eigenvalues that
// are projected by a function that knows nothing of multiplicities.
type denseRelaxation struct {
	m       *mat.SymDense
	project func(decreasing []float64) []float64
}

func (r *denseRelaxation) step(eta float64, x []float64) {
	d := len(x)
	r.m.SymRankOne(r.m, eta, mat.NewVecDense(d, x))
	var eig mat.EigenSym
	if !eig.Factorize(r.m, true) {
		panic("dense eigendecomposition failed")
	}
	values := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	slices.Reverse(values)
	values = r.project(values)
	r.m.Zero()
	for i, s := range values {
		r.m.SymRankOne(r.m, s, v.ColView(d-1-i))
	}
}

// boxed returns sigma shifted and clipped to [0, 1] with the sum k, by bisection.
func boxed(sigma []float64, k int) []float64 {
	out := make([]float64, len(sigma))
	lo, hi := -slices.Max(sigma), 1-slices.Min(sigma)
	for range 200 {
		shift, sum := (lo+hi)/2, 0.0
		for i, s := range sigma {
			out[i] = max(0, min(1, s+shift))
			sum += out[i]
		}
		if sum < float64(k) {
			lo = shift
		} else {
			hi = shift
		}
	}
	return out
}

// bestSubset projects each set of bound of the eigenvalues that are not 0, the
// others becoming 0, and returns the result closest to sigma.
func bestSubset(sigma []float64, k, bound int) []float64 {
	var support []int
	for i, s := range sigma {
		if math.Abs(s) > 1e-11 {
			support = append(support, i)
		}
	}
	if len(support) <= bound {
		return boxed(sigma, k)
	}
	if len(support) != bound+1 {
		panic(fmt.Sprint("rank above K+1: ", sigma))
	}
	var best []float64
	bestDist := math.Inf(1)
	for _, drop := range support {
		var kept []float64
		for _, i := range support {
			if i != drop {
				kept = append(kept, sigma[i])
			}
		}
		kept = boxed(kept, k)
		out, dist := make([]float64, len(sigma)), 0.0
		for _, i := range support {
			if i != drop {
				out[i], kept = kept[0], kept[1:]
			}
		}
		for i, s := range sigma {
			dist += (s - out[i]) * (s - out[i])
		}
		if dist < bestDist-1e-13 {
			best, bestDist = out, dist
		}
	}
	return best
}

// checkIterate compares the state of l with the dense M, and checks the
// invariants of the relaxation.
func checkIterate(t *testing.T, l pca.Learner, want *mat.SymDense, tol float64) {
	t.Helper()
	d, k := l.Dims()
	var st pca.State
	l.StateTo(&st)
	got := mat.NewSymDense(d, nil)
	st.DenseTo(got)
	var diff mat.Dense
	diff.Sub(got, want)
	step := l.Cost().Iterations
	if e := mat.Norm(&diff, math.Inf(1)); !(e < tol) {
		t.Fatalf("step %d: M is off by %g (sigma %v, bulk %g)", step, e, st.Sigma, st.Bulk)
	}
	if e := math.Abs(st.Trace(d) - float64(k)); !(e < 1e-12) {
		t.Fatalf("step %d: trace off by %g", step, e)
	}
	if e := pca.Orthonormality(st.U); !(e < 1e-12) {
		t.Fatalf("step %d: U^T U off by %g", step, e)
	}
	for i, s := range st.Sigma {
		if s < st.Bulk || s > 1 || i > 0 && s > st.Sigma[i-1] {
			t.Fatalf("step %d: sigma %v, bulk %g", step, st.Sigma, st.Bulk)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(want, false) {
		t.Fatal("eigenvalues of M failed")
	}
	sure, possible := 0, 0
	for _, s := range eig.Values(nil) {
		if s > 1e-9 {
			sure++
		}
		if s > -1e-9 {
			possible++
		}
	}
	if n := l.Rank(); n < sure || n > possible {
		t.Fatalf("step %d: rank %d, but %d eigenvalues of M are above 1e-9", step, n, sure)
	}
}

var testDims = []struct{ d, k int }{{2, 1}, {3, 1}, {3, 2}, {8, 1}, {8, 3}, {8, 7}, {20, 4}}

func TestMSGAgainstDense(t *testing.T) {
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform, pca.StartRandomSubspace} {
			for _, c := range []float64{0.02, 0.3, 5} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(1)}}
					step := algorithms.InverseSqrt{C: c}
					l, err := pca.NewMSG(pca.MSGConfig{K: dims.k, Step: step, Start: start}, src, newRand(2))
					if err != nil {
						t.Fatal(err)
					}
					followDense(t, l, src, step, 200, func(sigma []float64) []float64 { return boxed(sigma, dims.k) })
				})
			}
		}
	}
}

func TestCappedMSGAgainstDense(t *testing.T) {
	for _, dims := range testDims {
		for _, extra := range []int{0, 1, 2} {
			bound := min(dims.k+extra, dims.d)
			for _, c := range []float64{0.02, 0.3, 5} {
				t.Run(fmt.Sprintf("d=%d k=%d cap=%d c=%g", dims.d, dims.k, bound, c), func(t *testing.T) {
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(3)}}
					step := algorithms.InverseSqrt{C: c}
					l, err := pca.NewCappedMSG(pca.CappedMSGConfig{K: dims.k, Cap: bound, Step: step}, src, newRand(4))
					if err != nil {
						t.Fatal(err)
					}
					followDense(t, l, src, step, 200, func(sigma []float64) []float64 {
						if bound == dims.d {
							return boxed(sigma, dims.k)
						}
						return bestSubset(sigma, dims.k, bound)
					})
					if l.Rank() > bound || l.Cap() != bound {
						t.Errorf("rank %d, cap %d, want at most %d", l.Rank(), l.Cap(), bound)
					}
				})
			}
		}
	}
}

// followDense steps l and a dense matrix from the same start, and compares them
// after each step.
func followDense(t *testing.T, l pca.Learner, src *recorder, step algorithms.Schedule, n int64, project func([]float64) []float64) {
	t.Helper()
	d, _ := l.Dims()
	var st pca.State
	l.StateTo(&st)
	dense := &denseRelaxation{m: mat.NewSymDense(d, nil), project: project}
	st.DenseTo(dense.m)
	var sum int64
	for i := int64(1); i <= n; i++ {
		rank := l.Rank()
		if status := l.Step(); status.Stop() {
			t.Fatalf("step %d: %+v", i, status)
		}
		dense.step(step.At(i), src.last)
		checkIterate(t, l, dense.m, 1e-10)
		if mat.Norm(mat.NewVecDense(d, src.last), 2) == 0 && l.Rank() != rank {
			t.Fatalf("step %d: x = 0 changed the rank from %d to %d", i, rank, l.Rank())
		}
		sum += int64(l.Rank()) * int64(l.Rank())
	}
	if want := (algorithms.Cost{Iterations: n, SumKT2: sum}); l.Cost() != want {
		t.Errorf("cost %+v, want %+v", l.Cost(), want)
	}
}

func TestCappedMSGWithoutCapIsMSG(t *testing.T) {
	const d, k = 12, 3
	for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform, pca.StartRandomSubspace} {
		step := algorithms.InverseSqrt{C: 0.4}
		plain, err := pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: start}, &mixture{d: d, rng: newRand(5)}, newRand(6))
		if err != nil {
			t.Fatal(err)
		}
		capped, err := pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: d, Step: step, Start: start}, &mixture{d: d, rng: newRand(5)}, newRand(6))
		if err != nil {
			t.Fatal(err)
		}
		var a, b pca.State
		for i := range 500 {
			plain.Step()
			capped.Step()
			plain.StateTo(&a)
			capped.StateTo(&b)
			if !slices.Equal(a.Sigma, b.Sigma) || a.Bulk != b.Bulk || a.U != nil && !mat.Equal(a.U, b.U) || plain.Cost() != capped.Cost() {
				t.Fatalf("start %s, step %d: capped MSG with the cap d differs from MSG", start, i)
			}
		}
	}
}

func TestIncrementalAgainstDense(t *testing.T) {
	for _, dims := range testDims {
		src := &recorder{Source: &mixture{d: dims.d, rng: newRand(7)}}
		l, err := pca.NewIncremental(pca.IncrementalConfig{K: dims.k}, src)
		if err != nil {
			t.Fatal(err)
		}
		var st pca.State
		c := mat.NewSymDense(dims.d, nil)
		for i := range 300 {
			if status := l.Step(); status.Stop() {
				t.Fatalf("step %d: %+v", i, status)
			}
			c.SymRankOne(c, 1, mat.NewVecDense(dims.d, src.last))
			var eig mat.EigenSym
			if !eig.Factorize(c, true) {
				t.Fatal("dense eigendecomposition failed")
			}
			var v mat.Dense
			eig.VectorsTo(&v)
			values := eig.Values(nil)
			c.Zero()
			m := mat.NewSymDense(dims.d, nil)
			rank := 0
			for j := dims.d - 1; j >= dims.d-dims.k; j-- {
				if values[j] > 1e-11*values[dims.d-1] {
					c.SymRankOne(c, values[j], v.ColView(j))
					m.SymRankOne(m, 1, v.ColView(j))
					rank++
				}
			}
			if l.Rank() != rank {
				t.Fatalf("d=%d k=%d step %d: rank %d, want %d", dims.d, dims.k, i, l.Rank(), rank)
			}
			l.StateTo(&st)
			got := mat.NewSymDense(dims.d, nil)
			st.DenseTo(got)
			var diff mat.Dense
			diff.Sub(got, m)
			if e := mat.Norm(&diff, math.Inf(1)); !(e < 1e-7) {
				t.Fatalf("d=%d k=%d step %d: the projection is off by %g", dims.d, dims.k, i, e)
			}
		}
	}
}

// denseLog is ln((d-k) W) as a full matrix, which unlike W itself has digits of
// eigenvalues near 0.
type denseLog struct{ a, m *mat.SymDense }

func (l *denseLog) step(k int, eta float64, x []float64) {
	d := len(x)
	l.a.SymRankOne(l.a, -eta, mat.NewVecDense(d, x))
	var eig mat.EigenSym
	if !eig.Factorize(l.a, true) {
		panic("dense eigendecomposition failed")
	}
	logs := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	if _, err := pca.ProjectEntropy(logs, logs, slices.Repeat([]int{1}, d), d-k); err != nil {
		panic(err)
	}
	l.a.Zero()
	l.m.Zero()
	for i, s := range logs {
		l.a.SymRankOne(l.a, s, v.ColView(i))
		l.m.SymRankOne(l.m, -math.Expm1(s), v.ColView(i))
	}
}

func TestWarmuthKuzminAgainstDense(t *testing.T) {
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform} {
			for _, c := range []float64{0.1, 1, 10} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					step := algorithms.InverseSqrt{C: c}
					src := &recorder{Source: &mixture{d: dims.d, rng: newRand(8)}}
					l, err := pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: dims.k, Step: step, Start: start}, src, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					var st pca.State
					l.StateTo(&st)
					m := mat.NewSymDense(dims.d, nil)
					st.DenseTo(m)
					dense := denseLog{spectral(m, func(s float64) float64 { return math.Log(min(1, 1-s)) }), m}
					for i := int64(1); i <= 300; i++ {
						if status := l.Step(); status.Stop() {
							t.Fatalf("step %d: %+v", i, status)
						}
						dense.step(dims.k, step.At(i), src.last)
						checkIterate(t, l, dense.m, 1e-10)
					}
				})
			}
		}
	}
}

func TestWarmuthKuzminAgainstNaive(t *testing.T) {
	for _, dims := range testDims {
		for _, start := range []pca.Start{pca.StartRandomLowRank, pca.StartUniform} {
			for _, c := range []float64{0.1, 0.5} {
				t.Run(fmt.Sprintf("d=%d k=%d %s c=%g", dims.d, dims.k, start, c), func(t *testing.T) {
					cfg := pca.WarmuthKuzminConfig{K: dims.k, Step: algorithms.InverseSqrt{C: c}, Start: start}
					fast, err := pca.NewWarmuthKuzmin(cfg, &mixture{d: dims.d, rng: newRand(8)}, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					naive, err := pca.NewWarmuthKuzminNaive(cfg, &mixture{d: dims.d, rng: newRand(8)}, newRand(9))
					if err != nil {
						t.Fatal(err)
					}
					if fast.Rank() != naive.Rank() {
						t.Fatalf("start: rank %d, naive %d", fast.Rank(), naive.Rank())
					}
					var st pca.State
					for i := range 300 {
						a, b := fast.Step(), naive.Step()
						if a.Stop() || b.Stop() {
							t.Fatalf("step %d: %+v, naive %+v", i, a, b)
						}
						naive.StateTo(&st)
						want := mat.NewSymDense(dims.d, nil)
						st.DenseTo(want)
						checkIterate(t, fast, want, 1e-10)
						// W loses the digits of its small eigenvalues.
						if 1-st.Sigma[0] < 1e-4 {
							if i < 20 {
								t.Fatalf("only %d steps could be compared", i)
							}
							return
						}
					}
				})
			}
		}
	}
}

// TestWarmuthKuzminStep checks single steps against the definition, with the
// scaling by bisection.
func TestWarmuthKuzminStep(t *testing.T) {
	const d, k, eta = 9, 3, 0.7
	src := &recorder{Source: &mixture{d: d, rng: newRand(10)}}
	l, err := pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: algorithms.Constant{C: eta}}, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	var st pca.State
	for range 40 {
		l.StateTo(&st)
		m := mat.NewSymDense(d, nil)
		st.DenseTo(m)
		l.Step()
		// ln((d-k) W) - eta x x^T, then exp, scale and cap.
		logW := spectral(m, func(s float64) float64 { return math.Log(1 - s) })
		logW.SymRankOne(logW, -eta, mat.NewVecDense(d, src.last))
		var eig mat.EigenSym
		if !eig.Factorize(logW, false) {
			t.Fatal("eigendecomposition failed")
		}
		logs := eig.Values(nil)
		lo, hi := -50.0, 50.0
		for range 200 {
			logZ, sum := (lo+hi)/2, 0.0
			for _, v := range logs {
				sum += min(1, math.Exp(v-logZ))
			}
			if sum > d-k {
				lo = logZ
			} else {
				hi = logZ
			}
		}
		want := spectral(logW, func(v float64) float64 { return 1 - min(1, math.Exp(v-lo)) })
		checkIterate(t, l, want, 1e-10)
	}
}

// spectral applies f to the eigenvalues of a.
func spectral(a *mat.SymDense, f func(float64) float64) *mat.SymDense {
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		panic("dense eigendecomposition failed")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	for i, s := range eig.Values(nil) {
		out.SymRankOne(out, f(s), v.ColView(i))
	}
	return out
}

// counterexample draws [sqrt 3, 0] with probability 1/3 and [0, sqrt 2] with
// probability 2/3.
type counterexample struct{ rng *rand.Rand }

func (c counterexample) Dim() int { return 2 }

func (c counterexample) Next() ([]float64, bool) {
	if c.rng.IntN(3) == 0 {
		return []float64{math.Sqrt(3), 0}, true
	}
	return []float64{0, math.Sqrt2}, true
}

// TestIncrementalCounterexample simulates the distribution of Cotter 2013,
// section 4.5, on which the incremental algorithm with k = 1 converges to [1, 0]
// with probability 5/9, although [0, 1] is the maximal direction.
func TestIncrementalCounterexample(t *testing.T) {
	runs := 20000
	if testing.Short() {
		runs = 2000
	}
	rng := newRand(11)
	wrong := 0
	for range runs {
		l, err := pca.NewIncremental(pca.IncrementalConfig{K: 1}, counterexample{rng})
		if err != nil {
			t.Fatal(err)
		}
		var st pca.State
		for range 30 {
			l.Step()
		}
		l.StateTo(&st)
		a, b := math.Abs(st.U.At(0, 0)), math.Abs(st.U.At(1, 0))
		switch {
		case a == 1 && b == 0:
			wrong++
		case a != 0 || b != 1:
			t.Fatalf("ended at [%g, %g]", a, b)
		}
	}
	// The 95% interval of the binomial distribution with the probability 5/9.
	const p = 5.0 / 9
	mean, half := p*float64(runs), 1.96*math.Sqrt(p*(1-p)*float64(runs))
	t.Logf("[1, 0] in %d of %d runs, %.4f; 5/9 = %.4f +- %.4f", wrong, runs, float64(wrong)/float64(runs), p, half/float64(runs))
	if math.Abs(float64(wrong)-mean) > half {
		t.Errorf("[1, 0] in %d of %d runs, outside %.0f +- %.0f", wrong, runs, mean, half)
	}
	// MSG and capped MSG with K > k are not misled.
	for name, l := range map[string]func() (pca.Learner, error){
		"msg": func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: 1, Step: algorithms.InverseSqrt{C: 0.5}, Start: pca.StartUniform}, counterexample{newRand(12)}, nil)
		},
		"warmuth-kuzmin": func() (pca.Learner, error) {
			return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: 1, Step: algorithms.InverseSqrt{C: 0.5}}, counterexample{newRand(12)}, nil)
		},
	} {
		l, err := l()
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			l.Step()
		}
		var st pca.State
		l.StateTo(&st)
		if math.Abs(st.U.At(1, 0)) < 0.99 {
			t.Errorf("%s ended at %v, want [0, 1]", name, mat.Formatted(st.U))
		}
	}
}

func TestIncrementalTiesKeepTheOlder(t *testing.T) {
	src := pcatest.NewList(3, []float64{2, 0, 0}, []float64{0, 2, 0}, []float64{0, 0, 2})
	l, err := pca.NewIncremental(pca.IncrementalConfig{K: 2}, src)
	if err != nil {
		t.Fatal(err)
	}
	var st pca.State
	for i, rank := range []int{1, 2, 2} {
		l.Step()
		if l.Rank() != rank {
			t.Fatalf("step %d: rank %d, want %d", i+1, l.Rank(), rank)
		}
	}
	l.StateTo(&st)
	if mat.Norm(st.U.RowView(2).T(), math.Inf(1)) != 0 {
		t.Errorf("the newest of three equal directions replaced an older one: %v", mat.Formatted(st.U))
	}
}

func TestRaiseWhenStuck(t *testing.T) {
	const d, k = 6, 1
	axes := make([][]float64, d)
	for i := range axes {
		axes[i] = make([]float64, d)
		axes[i][i] = 1
	}
	newCapped := func(window int64, src pca.Source) *pca.CappedMSG {
		l, err := pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: 1, Step: algorithms.Constant{C: 0.25}, RaiseWhenStuck: window}, src, newRand(13))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	// At the cap k the mass of the top k directions is k and cannot improve.
	var rows [][]float64
	for i := range 60 {
		rows = append(rows, axes[i%d])
	}
	const window = 7
	l := newCapped(window, pcatest.NewList(d, rows...))
	l.Step() // sets the mass to improve on
	for i := range int64(window) {
		if l.Cap() != 1 {
			t.Fatalf("cap %d after %d stuck iterations, want 1", l.Cap(), i)
		}
		l.Step()
	}
	if l.Cap() != 2 {
		t.Fatalf("cap %d after %d stuck iterations, want 2", l.Cap(), window)
	}
	for !l.Step().Stop() {
		if l.Cap() > d || l.Rank() > l.Cap() {
			t.Fatalf("rank %d, cap %d", l.Rank(), l.Cap())
		}
	}
	// Without the option nothing happens; zeros do not count.
	l = newCapped(0, pcatest.NewList(d, rows...))
	for !l.Step().Stop() {
	}
	if l.Cap() != 1 {
		t.Errorf("cap %d without RaiseWhenStuck", l.Cap())
	}
	zeros := make([][]float64, 50)
	for i := range zeros {
		zeros[i] = make([]float64, d)
	}
	l = newCapped(window, pcatest.NewList(d, zeros...))
	for !l.Step().Stop() {
	}
	if l.Cap() != 1 {
		t.Errorf("cap %d after samples that change nothing", l.Cap())
	}
}

// startThen yields one sample and then those of a source.
type startThen struct {
	pca.Source
	first []float64
}

func (s *startThen) Next() ([]float64, bool) {
	if x := s.first; x != nil {
		s.first = nil
		return x, true
	}
	return s.Source.Next()
}

// TestRaiseWhenStuckEscapes shows what raising the cap is for: on orthogonal
// samples a cap of k is never left, a raised one is.
func TestRaiseWhenStuckEscapes(t *testing.T) {
	p := []float64{0.1, 0.1, 0.2, 0.6}
	d := len(p)
	for _, test := range []struct {
		window int64
		solved bool
	}{{0, false}, {50, true}} {
		src := &startThen{pcatest.NewOrthogonal(p, newRand(14)), []float64{1e100, 0, 0, 0}}
		l, err := pca.NewCappedMSG(pca.CappedMSGConfig{
			K: 1, Cap: 1, Step: algorithms.Constant{C: 0.05}, RaiseWhenStuck: test.window,
		}, src, newRand(15))
		if err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			l.Step()
		}
		var st pca.State
		l.StateTo(&st)
		second := mat.NewSymDense(d, nil)
		for i, v := range p {
			second.SetSym(i, i, v)
		}
		if got := pcatest.Suboptimality(&st, second, 1); (got < 0.01) != test.solved {
			t.Errorf("window %d: suboptimality %g (cap %d), solved should be %v", test.window, got, l.Cap(), test.solved)
		}
	}
}

func TestRelaxationStarts(t *testing.T) {
	const d, k = 10, 3
	step := algorithms.Constant{C: 0.1}
	src := func() pca.Source { return &mixture{d: d, rng: newRand(16)} }
	for _, test := range []struct {
		name  string
		new   func() (pca.Learner, error)
		rank  int
		sigma []float64
		bulk  float64
	}{
		{"incremental", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: k}, src())
		}, 0, nil, 0},
		{"msg, default", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: k, Step: step}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
		{"msg, uniform", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: pca.StartUniform}, src(), nil)
		}, 10, nil, 0.3},
		{"msg, random subspace", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: k, Step: step, Start: pca.StartRandomSubspace}, src(), newRand(1))
		}, 3, []float64{1, 1, 1}, 0},
		{"msg, k+1 = d", func() (pca.Learner, error) {
			return pca.NewMSG(pca.MSGConfig{K: 9, Step: step}, src(), newRand(1))
		}, 10, nil, 0.9},
		{"capped-msg, default", func() (pca.Learner, error) {
			return pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: 4, Step: step}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
		{"capped-msg, cap k", func() (pca.Learner, error) {
			return pca.NewCappedMSG(pca.CappedMSGConfig{K: k, Cap: 3, Step: step}, src(), newRand(1))
		}, 3, []float64{1, 1, 1}, 0},
		{"warmuth-kuzmin, default", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step}, src(), nil)
		}, 10, nil, 0.3},
		{"warmuth-kuzmin, random low rank", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzmin(pca.WarmuthKuzminConfig{K: k, Step: step, Start: pca.StartRandomLowRank}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
		{"warmuth-kuzmin-naive, random low rank", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: k, Step: step, Start: pca.StartRandomLowRank}, src(), newRand(1))
		}, 4, slices.Repeat([]float64{0.75}, 4), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := test.new()
			if err != nil {
				t.Fatal(err)
			}
			var st pca.State
			l.StateTo(&st)
			if l.Rank() != test.rank || len(st.Sigma) != len(test.sigma) || math.Abs(st.Bulk-test.bulk) > 1e-15 {
				t.Fatalf("rank %d, sigma %v, bulk %g; want %d, %v, %g", l.Rank(), st.Sigma, st.Bulk, test.rank, test.sigma, test.bulk)
			}
			for i, s := range st.Sigma {
				if math.Abs(s-test.sigma[i]) > 1e-15 {
					t.Errorf("sigma %v, want %v", st.Sigma, test.sigma)
				}
			}
			if e := pca.Orthonormality(st.U); e > 1e-14 {
				t.Errorf("U^T U off by %g", e)
			}
		})
	}
}

func TestRelaxationRefusals(t *testing.T) {
	const d = 5
	src := func() pca.Source { return &mixture{d: d, rng: newRand(17)} }
	step := algorithms.Constant{C: 0.1}
	var nilSource pca.Source
	msg := func(cfg pca.MSGConfig, src pca.Source, rng *rand.Rand) func() (pca.Learner, error) {
		return func() (pca.Learner, error) { return pca.NewMSG(cfg, src, rng) }
	}
	capped := func(cfg pca.CappedMSGConfig) func() (pca.Learner, error) {
		return func() (pca.Learner, error) { return pca.NewCappedMSG(cfg, src(), newRand(1)) }
	}
	wk := func(cfg pca.WarmuthKuzminConfig, rng *rand.Rand) func() (pca.Learner, error) {
		return func() (pca.Learner, error) { return pca.NewWarmuthKuzmin(cfg, src(), rng) }
	}
	for _, test := range []struct {
		name string
		new  func() (pca.Learner, error)
		want string
	}{
		{"incremental k = 0", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{}, src())
		}, "0 < k < d"},
		{"incremental k = d", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: d}, src())
		}, "0 < k < d"},
		{"incremental without source", func() (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: 1}, nil)
		}, "source is nil"},
		{"msg k = 0", msg(pca.MSGConfig{Step: step}, src(), newRand(1)), "0 < k < d"},
		{"msg k > d", msg(pca.MSGConfig{K: d + 1, Step: step}, src(), newRand(1)), "0 < k < d"},
		{"msg without source", msg(pca.MSGConfig{K: 2, Step: step}, nilSource, newRand(1)), "source is nil"},
		{"msg without schedule", msg(pca.MSGConfig{K: 2}, src(), newRand(1)), "schedule is nil"},
		{"msg, negative step", msg(pca.MSGConfig{K: 2, Step: algorithms.Constant{C: -1}}, src(), newRand(1)), "not negative"},
		{"msg, unknown start", msg(pca.MSGConfig{K: 2, Step: step, Start: "zero"}, src(), newRand(1)), `unknown start "zero": use "random-low-rank", "uniform" or "random-subspace"`},
		{"msg without generator", msg(pca.MSGConfig{K: 2, Step: step}, src(), nil), `generator is nil: pass one, or start at "uniform"`},
		{"capped-msg k = 0", capped(pca.CappedMSGConfig{Cap: 1, Step: step}), "0 < k < d"},
		{"capped-msg cap < k", capped(pca.CappedMSGConfig{K: 3, Cap: 2, Step: step}), "rank cap of 2 for k = 3"},
		{"capped-msg without cap", capped(pca.CappedMSGConfig{K: 3, Step: step}), "k+1 = 4 is the usual choice"},
		{"capped-msg cap > d", capped(pca.CappedMSGConfig{K: 3, Cap: d + 1, Step: step}), "at most d"},
		{"capped-msg without schedule", capped(pca.CappedMSGConfig{K: 3, Cap: 4}), "schedule is nil"},
		{"capped-msg, unknown start", capped(pca.CappedMSGConfig{K: 3, Cap: 4, Step: step, Start: "I"}), "unknown start"},
		{"capped-msg, start above cap", capped(pca.CappedMSGConfig{K: 2, Cap: 2, Step: step, Start: pca.StartRandomLowRank}), `rank 3, which exceeds the cap of 2: raise the cap, or start at "random-subspace"`},
		{"capped-msg, uniform below d", capped(pca.CappedMSGConfig{K: 2, Cap: 3, Step: step, Start: pca.StartUniform}), "rank 5, which exceeds the cap of 3"},
		{"capped-msg, negative window", capped(pca.CappedMSGConfig{K: 2, Cap: 3, Step: step, RaiseWhenStuck: -1}), "cannot be raised after -1"},
		{"warmuth-kuzmin k = d", wk(pca.WarmuthKuzminConfig{K: d, Step: step}, newRand(1)), "0 < k < d"},
		{"warmuth-kuzmin without schedule", wk(pca.WarmuthKuzminConfig{K: 2}, newRand(1)), "schedule is nil"},
		{"warmuth-kuzmin, random subspace", wk(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: pca.StartRandomSubspace}, newRand(1)), `use "random-low-rank" or "uniform"`},
		{"warmuth-kuzmin, unknown start", wk(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: "I/d"}, newRand(1)), "unknown start"},
		{"warmuth-kuzmin without generator", wk(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: pca.StartRandomLowRank}, nil), "generator is nil"},
		{"warmuth-kuzmin-naive, unknown start", func() (pca.Learner, error) {
			return pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: 2, Step: step, Start: "I/d"}, src(), nil)
		}, "unknown start"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.new()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// badStep is a schedule that goes wrong at the third step.
type badStep struct{ bad float64 }

func (b badStep) At(t int64) float64 {
	if t == 3 {
		return b.bad
	}
	return 0.1
}

func (b badStep) String() string { return "bad" }

func TestBadStepSizes(t *testing.T) {
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		msg, err := pca.NewMSG(pca.MSGConfig{K: 2, Step: badStep{bad}}, &mixture{d: 5, rng: newRand(18)}, newRand(1))
		if err != nil {
			t.Fatal(err)
		}
		naive, err := pca.NewWarmuthKuzminNaive(pca.WarmuthKuzminConfig{K: 2, Step: badStep{bad}}, &mixture{d: 5, rng: newRand(18)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []pca.Learner{msg, naive} {
			l.Step()
			l.Step()
			status := l.Step()
			if status.State != algorithms.Failed || !strings.Contains(status.Reason, "iteration 3") {
				t.Errorf("step size %g: %+v, want a failure in iteration 3", bad, status)
			}
			if l.Cost().Iterations != 2 {
				t.Errorf("step size %g: %d iterations counted, want 2", bad, l.Cost().Iterations)
			}
		}
	}
}

func TestTheorySteps(t *testing.T) {
	msg, err := pca.MSGTheoryStep(4, 10000)
	if err != nil || msg.At(1) != 0.04 {
		t.Errorf("MSGTheoryStep(4, 10000) = %v, %v, want 0.04", msg, err)
	}
	wk, err := pca.WarmuthKuzminTheoryStep(20, 4, 10000)
	if err != nil || wk.At(7) != 0.01 {
		t.Errorf("WarmuthKuzminTheoryStep(20, 4, 10000) = %v, %v, want 0.01", wk, err)
	}
	for _, bad := range [][2]int64{{0, 10}, {-1, 10}, {1, 0}, {1, -5}} {
		if _, err := pca.MSGTheoryStep(int(bad[0]), bad[1]); err == nil {
			t.Errorf("MSGTheoryStep(%d, %d): no error", bad[0], bad[1])
		}
		if _, err := pca.WarmuthKuzminTheoryStep(20, int(bad[0]), bad[1]); err == nil {
			t.Errorf("WarmuthKuzminTheoryStep(20, %d, %d): no error", bad[0], bad[1])
		}
	}
	if _, err := pca.WarmuthKuzminTheoryStep(4, 4, 10); err == nil {
		t.Error("WarmuthKuzminTheoryStep with k = d: no error")
	}
}
