package pcatest

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	orthonormalityTol = 1e-10
	feasibilityTol    = 1e-9
)

// checkState checks that st is feasible and well formed.
func checkState(t suite.Reporter, spec Spec, st *pca.State, d, k int, step int64) {
	t.Helper()
	m := len(st.Sigma)
	switch {
	case st.U == nil:
		if m != 0 {
			t.Fatalf("after step %d: U is nil, but there are %d eigenvalues", step, m)
		}
	default:
		if r, c := st.U.Dims(); r != d || c != m || c == 0 {
			t.Fatalf("after step %d: U is %d x %d, want %d x %d, or nil", step, r, c, d, m)
		}
		if e := pca.Orthonormality(st.U); !(e < orthonormalityTol) {
			t.Fatalf("after step %d: |U^T U - I| = %g", step, e)
		}
	}
	for j := 1; j < m; j++ {
		if st.Sigma[j] > st.Sigma[j-1] {
			t.Fatalf("after step %d: eigenvalues not in decreasing order: %v", step, st.Sigma)
		}
	}
	low, high := st.Bulk, st.Bulk
	if m == d {
		low, high = math.Inf(1), math.Inf(-1)
	}
	for _, sigma := range st.Sigma {
		if math.IsNaN(sigma) {
			t.Fatalf("after step %d: eigenvalue NaN: %v", step, st.Sigma)
		}
		if sigma < st.Bulk {
			t.Fatalf("after step %d: eigenvalue %g below the bulk %g", step, sigma, st.Bulk)
		}
		low, high = min(low, sigma), max(high, sigma)
	}
	if !(low >= 0) || !(high <= 1+feasibilityTol) {
		t.Fatalf("after step %d: eigenvalues in [%g, %g], want [0, 1]", step, low, high)
	}
	trace := float64(d-m)*st.Bulk + floats.Sum(st.Sigma)
	if spec.Relaxed {
		if !(math.Abs(trace-float64(k)) <= feasibilityTol) {
			t.Fatalf("after step %d: trace %v, want %d", step, trace, k)
		}
		return
	}
	if m > k || trace != float64(m) || m < d && st.Bulk != 0 {
		t.Fatalf("after step %d: eigenvalues %v and bulk %g, want a projection of rank at most %d",
			step, st.Sigma, st.Bulk, k)
	}
}

// state describes the result of a learner to package suite.
var state = suite.Result[pca.Learner, pca.State]{
	Method: "StateTo",
	Write:  pca.Learner.StateTo,
	Same: func(a, b *pca.State) bool {
		if !suite.SameBits(a.Sigma, b.Sigma) || !suite.SameBits([]float64{a.Bulk}, []float64{b.Bulk}) || (a.U == nil) != (b.U == nil) {
			return false
		}
		return a.U == nil || suite.SameBits(entries(a.U), entries(b.U))
	},
	Clone: (*pca.State).Clone,
	Overwrite: func(st *pca.State) {
		if st.U != nil {
			st.U.Zero()
		}
		clear(st.Sigma)
	},
}

// entries returns the dimensions of a matrix and its entries.
func entries(u *mat.Dense) []float64 {
	r, c := u.Dims()
	out := []float64{float64(r), float64(c)}
	for i := range r {
		out = append(out, u.RawRowView(i)...)
	}
	return out
}

// moment holds the values that a learner reports about itself.
type moment struct {
	rank int
	cost algorithms.Cost
}

func momentOf(l pca.Learner) any { return moment{l.Rank(), l.Cost()} }

// run takes n steps and returns the state.
func run(t suite.Reporter, l pca.Learner, n int) *pca.State {
	t.Helper()
	if status := suite.Advance(l, n); status.Stop() {
		t.Fatalf("after %d steps: %v: %s", l.Cost().Iterations, status.State, status.Reason)
	}
	return state.Of(l)
}

// procs guards changes of GOMAXPROCS.
var procs sync.Mutex

func checkReproducible(t suite.Reporter, spec Spec) {
	procs.Lock()
	defer procs.Unlock()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	state.Reproducible(t, 3, func(run int) pca.Learner {
		runtime.GOMAXPROCS([]int{1, 1, 4}[run])
		l, _ := fresh(t, spec, NewGaussian(decaying(40), suite.NewRand(5)), 3)
		return l
	}, 200, momentOf)
}

func checkPassive(t suite.Reporter, spec Spec) {
	state.Passive(t, func() (pca.Learner, func() any) {
		l, _ := fresh(t, spec, NewGaussian(decaying(12), suite.NewRand(6)), 4)
		return l, func() any { return nil }
	}, 150, momentOf)
}

func checkDestinations(t suite.Reporter, spec Spec) {
	const d, k = 7, 3
	l, _ := fresh(t, spec, NewGaussian(decaying(d), suite.NewRand(7)), k)
	parent := mat.NewDense(d+2, d+2, nil)
	filled := func(r, c int) *mat.Dense { return mat.NewDense(r, c, slices.Repeat([]float64{math.NaN()}, r*c)) }
	state.Destinations(t, l, []int{0, 1, 2, 30}, func(want *pca.State) map[string]*pca.State {
		return map[string]*pca.State{
			"wide":   {U: filled(d, d+4), Sigma: slices.Repeat([]float64{9}, d+4), Bulk: 9},
			"narrow": {U: filled(1, 1), Sigma: []float64{9}, Bulk: 9},
			"sigma":  {Sigma: slices.Repeat([]float64{9}, d)},
			"view":   {U: parent.Slice(1, 2, 1, 3).(*mat.Dense), Sigma: []float64{9, 9}},
			"cloned": want.Clone(),
		}
	})
	if mat.Max(parent) != 0 || mat.Min(parent) != 0 {
		t.Errorf("StateTo wrote outside the view")
	}
}

func checkZeroSample(t suite.Reporter, spec Spec) {
	if spec.Output {
		return // an output may change although its learner does not
	}
	const d, k = 6, 2
	rows := append(samples(NewGaussian(decaying(d), suite.NewRand(8)), 20), make([]float64, d))
	l, _ := fresh(t, spec, NewList(d, rows...), k)
	before := run(t, l, 20)
	after := run(t, l, 1)
	if e := distance(before, after, d); !(e < 1e-12) {
		t.Errorf("x = 0 changed M by %g", e)
	}
}

// distance returns the largest difference between the entries of two iterates M.
func distance(a, b *pca.State, d int) float64 {
	return suite.Distance(a.Dense(d).RawSymmetric().Data, b.Dense(d).RawSymmetric().Data)
}
