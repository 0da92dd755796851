package pcatest

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
)

const (
	orthonormalityTol = 1e-10
	feasibilityTol    = 1e-9
)

// checkState checks that st is an iterate that is feasible and well-formed.
func checkState(t *testing.T, spec Spec, st *pca.State, d, k int, step int64) {
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
	trace := st.Trace(d)
	if spec.Relaxed {
		if !(math.Abs(trace-float64(k)) <= feasibilityTol) {
			t.Fatalf("after step %d: trace %v, want %d", step, trace, k)
		}
		return
	}
	if m > k || trace != float64(m) || m < d && st.Bulk != 0 {
		t.Fatalf("after step %d: eigenvalues %v and bulk %g, want a projection of rank at most %d", step, st.Sigma, st.Bulk, k)
	}
}

// checkStatus checks that the learner, if it is a Checker, says of itself what its
// last step said.
func checkStatus(t *testing.T, l pca.Learner, want algorithms.Status) {
	t.Helper()
	if c, ok := l.(pca.Checker); ok && c.Status() != want {
		t.Fatalf("after step %d: Status() = %+v, but Step returned %+v", l.Cost().Iterations, c.Status(), want)
	}
}

// sameBits reports whether two states are equal to the last bit.
func sameBits(a, b *pca.State) bool {
	equal := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	if !slices.EqualFunc(a.Sigma, b.Sigma, equal) || !equal(a.Bulk, b.Bulk) {
		return false
	}
	if (a.U == nil) != (b.U == nil) {
		return false
	}
	if a.U == nil {
		return true
	}
	ar, ac := a.U.Dims()
	br, bc := b.U.Dims()
	if ar != br || ac != bc {
		return false
	}
	for i := range ar {
		if !slices.EqualFunc(a.U.RawRowView(i), b.U.RawRowView(i), equal) {
			return false
		}
	}
	return true
}

// run makes n steps, calls visit after each, and returns the final state.
func run(t *testing.T, l pca.Learner, n int, visit func()) *pca.State {
	t.Helper()
	for i := range n {
		if status := l.Step(); status.Stop() {
			t.Fatalf("step %d: %v: %s", i+1, status.State, status.Reason)
		}
		if visit != nil {
			visit()
		}
	}
	st := new(pca.State)
	l.StateTo(st)
	return st
}

func testReproducible(t *testing.T, spec Spec) {
	const d, k, n = 40, 3, 200
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want *pca.State
	var cost algorithms.Cost
	for _, procs := range []int{1, 1, 4} {
		runtime.GOMAXPROCS(procs)
		l, _ := fresh(t, spec, NewGaussian(decaying(d), newRand(5)), k)
		got := run(t, l, n, nil)
		if want == nil {
			want, cost = got, l.Cost()
			continue
		}
		if !sameBits(got, want) || l.Cost() != cost {
			t.Errorf("another run, GOMAXPROCS = %d: not the same bits", procs)
		}
	}
}

func testPassive(t *testing.T, spec Spec) {
	const d, k, n = 12, 4, 150
	learner := func() pca.Learner {
		l, _ := fresh(t, spec, NewGaussian(decaying(d), newRand(6)), k)
		return l
	}
	want := run(t, learner(), n, nil)
	l := learner()
	var st pca.State
	got := run(t, l, n, func() {
		l.StateTo(&st)
		l.Rank()
		// What is done to the copy must not matter.
		if st.U != nil {
			st.U.Zero()
		}
		clear(st.Sigma)
	})
	if !sameBits(got, want) {
		t.Error("a run is not the same when StateTo is called at every step")
	}
}

func testDestinations(t *testing.T, spec Spec) {
	const d, k = 7, 3
	l, _ := fresh(t, spec, NewGaussian(decaying(d), newRand(7)), k)
	parent := mat.NewDense(d+2, d+2, nil)
	for _, n := range []int{0, 1, 2, 30} {
		want := run(t, l, n, nil)
		filled := func(r, c int) *mat.Dense {
			u := mat.NewDense(r, c, nil)
			u.Apply(func(i, j int, v float64) float64 { return math.NaN() }, u)
			return u
		}
		for name, dst := range map[string]*pca.State{
			"wide":    {U: filled(d, d+4), Sigma: slices.Repeat([]float64{9}, d+4), Bulk: 9},
			"narrow":  {U: filled(1, 1), Sigma: []float64{9}, Bulk: 9},
			"other d": {U: filled(2*d, k), Sigma: slices.Repeat([]float64{9}, k), Bulk: 9},
			"empty U": {U: new(mat.Dense)},
			"sigma":   {Sigma: slices.Repeat([]float64{9}, d)},
			"view":    {U: parent.Slice(1, 2, 1, 3).(*mat.Dense), Sigma: []float64{9, 9}},
			"cloned":  want.Clone(),
		} {
			l.StateTo(dst)
			if !sameBits(dst, want) {
				t.Errorf("StateTo into %q is not the same as into a new State", name)
			}
		}
	}
	if mat.Max(parent) != 0 || mat.Min(parent) != 0 {
		t.Error("StateTo into a view wrote outside of it")
	}
	kept := run(t, l, 1, nil)
	copied := kept.Clone()
	run(t, l, 5, nil)
	if !sameBits(kept, copied) {
		t.Error("a later step changed a state that StateTo had written")
	}
}

func testZeroSample(t *testing.T, spec Spec) {
	if spec.Output {
		t.Skip("an output moves without its learner moving")
	}
	const d, k = 6, 2
	src := NewGaussian(decaying(d), newRand(8))
	var rows [][]float64
	for range 20 {
		x, _ := src.Next()
		rows = append(rows, slices.Clone(x))
	}
	rows = append(rows, make([]float64, d))
	l, _ := fresh(t, spec, NewList(d, rows...), k)
	before := run(t, l, 20, nil)
	after := run(t, l, 1, nil)
	if e := distance(before, after, d); !(e < 1e-12) {
		t.Errorf("x = 0 moved M by %g", e)
	}
}

// distance returns the largest difference of two iterates M in an entry.
func distance(a, b *pca.State, d int) float64 {
	ma, mb := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	a.DenseTo(ma)
	b.DenseTo(mb)
	var worst float64
	for i := range d {
		for j := range i + 1 {
			e := math.Abs(ma.At(i, j) - mb.At(i, j))
			if math.IsNaN(e) {
				return e
			}
			worst = max(worst, e)
		}
	}
	return worst
}
