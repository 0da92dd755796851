package sparse_test

import (
	"slices"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/loss"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// TestSparsifyAdult: on the smallest training set of Adult, 1605 points, w~ with
// far fewer vectors than w has the slant loss that the lemma promises, and the
// aggressive variant has the fewest.
func TestSparsifyAdult(t *testing.T) {
	table := adult(t, "a1a")
	order := make([]int, table.N)
	positive := 0
	for i, y := range table.Labels {
		order[i] = i
		if y > 0 {
			positive++
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(table.Labels[j] - table.Labels[i]) })
	points, err := kernel.NewPoints(table, order)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := kernel.NewCache(kernel.CacheConfig{Kernel: kernel.Gaussian{Gamma: 0.1}, Points: points, Train: table.N, Pool: kernel.NewPool(64 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	rows := cache.Reader()
	defer rows.Close()
	p := svm.Problem{Rows: rows, Positive: positive}
	ref, err := sparsetest.Train(rows, positive, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	dense, hinge := 0, 0.0
	for i, a := range ref.Alpha {
		if a > 0 {
			dense++
		}
		hinge += loss.Hinge(p.Label(i) * ref.Scores[i])
	}
	for _, relearn := range []bool{false, true} {
		var support []int
		for _, m := range ownMethods[:2] {
			l, err := m.make(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5, Relearn: relearn}, p, ref)
			if err != nil {
				t.Fatal(err)
			}
			run(t, l, int(4*ref.NormSq))
			var e sparse.Expansion
			l.ExpansionTo(&e)
			scores := make([]float64, table.N)
			sparse.AddRows(scores, e.Index, e.Coef, rows.Row)
			slant := 0.0
			for i, g := range scores {
				slant += loss.Slant(p.Label(i) * (g + e.Bias))
			}
			if slant > hinge+1e-3 {
				t.Errorf("%s, bias learned: %t: slant loss %g, the hinge loss of w is %g", m.name, relearn, slant, hinge)
			}
			support = append(support, l.Support())
		}
		if support[0] > dense/2 || support[1] > support[0] {
			t.Errorf("bias learned: %t: %d vectors, %d of the aggressive variant, of %d", relearn, support[0], support[1], dense)
		}
	}
}
