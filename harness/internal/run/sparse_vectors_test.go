package run

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/datasets"
	"stochopt/internal/record"
)

// expanded is a classifier whose expansion vectors are stored as coordinates.
type expanded struct {
	z     [][]float64
	coef  []float64
	bias  float64
	gamma float64
}

// score returns g(x).
func (e expanded) score(x []float64) float64 {
	g := e.bias
	for k, z := range e.z {
		var square float64
		for f := range z {
			square += (z[f] - x[f]) * (z[f] - x[f])
		}
		g += e.coef[k] * math.Exp(-e.gamma*square)
	}
	return g
}

// mistakes returns the positions in rows that e misclassifies.
func (e expanded) mistakes(table *datasets.Table, rows []int) (wrong record.IndexSet) {
	for j, row := range rows {
		if table.Labels[row]*e.score(table.Row(row, nil)) <= 0 {
			wrong = append(wrong, int32(j))
		}
	}
	return wrong
}

// norm returns |w|.
func (e expanded) norm() float64 {
	var square float64
	for k, z := range e.z {
		square += e.coef[k] * (e.score(z) - e.bias)
	}
	return math.Sqrt(square)
}

// stored returns the classifier in a record whose vector names have the given prefix.
func stored(t *testing.T, r *record.Run, prefix string, table *datasets.Table) expanded {
	t.Helper()
	v := r.Measured().Vectors
	e := expanded{coef: v[prefix+"coefficients"], gamma: sparseSweepGamma}
	made := v["constructed"]
	for _, row := range v[prefix+"points"] {
		if row >= 0 {
			e.z = append(e.z, table.Row(int(row), nil))
			continue
		}
		e.z, made = append(e.z, made[:table.D]), made[table.D:]
	}
	if len(e.z) != len(e.coef) || prefix == "" && len(made) > 0 {
		t.Fatalf("%s: %d coefficients of %d vectors, %d coordinates left", r.Name(), len(e.coef), len(e.z), len(made))
	}
	return e
}

// sparseSweepGamma is the kernel's parameter in sparseSweep, where sigma^2 = 0.5.
const sparseSweepGamma = 1

// expand returns a classifier of sparseSweep that was trained on the given rows of a table, reordered
// with the positive rows first.
func expand(e *sparse.Expansion, table *datasets.Table, train []int) expanded {
	order := slices.Clone(train)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(table.Labels[b], table.Labels[a]) })
	out := expanded{coef: e.Coef, bias: e.Bias, gamma: sparseSweepGamma}
	for k, i := range e.Index {
		if i < 0 {
			out.z = append(out.z, e.Vectors[k])
		} else {
			out.z = append(out.z, table.Row(order[i], nil))
		}
	}
	return out
}

// With record.vectors the record contains the final classifier and the reference that it approximates.
// Nothing else in the record changes.
func TestVectorsOfSparseRuns(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(sparseSweep, "points: 9", "points: 9, vectors: true", 1))
	f, _ := perform(t, p, Options{Workers: 2}, constructors{})
	without := resultsOf(t, sparseSweep).runs
	constructed, references := 0, 0
	for k, r := range f.runs(t, p) {
		it := p.Items[k]
		train, _, test, err := it.Problem.SVMRows(7, it.Repeat)
		if err != nil {
			t.Fatal(err)
		}
		table, c := it.Problem.Data.Table, r.Measured()
		final := stored(t, &r, "", table)
		last := r.Points() - 1
		final.bias = c.Metrics["state"]["bias"][last]
		constructed += len(c.Vectors["constructed"])
		if float64(len(final.coef)) != c.Metrics["state"]["support"][last] {
			t.Errorf("%s: %d coefficients", r.Name(), len(final.coef))
		}
		if got := final.mistakes(table, test); !slices.Equal(got, c.Mistakes[last]) {
			t.Errorf("%s: mistakes at %v, on record %v", r.Name(), got, c.Mistakes[last])
		}
		if norm := c.Metrics["state"]["norm"][last]; math.Abs(final.norm()-norm) > 1e-5*(1+norm) {
			t.Errorf("%s: |w| = %v, on record %v", r.Name(), final.norm(), norm)
		}
		if approximates := it.Algorithm.Needs(it.Params).Reference; approximates != (c.Vectors["reference_points"] != nil) {
			t.Errorf("%s approximates a reference: %t; the record has %v", r.Name(), approximates, c.Vectors)
		} else if approximates {
			references++
			reference := stored(t, &r, "reference_", table)
			reference.bias = r.Facts["reference_bias"]
			checkReference(t, &r, reference, table, train, test)
		}
		if r.Key != without[k].Key || r.Extent != without[k].Extent+"+vectors" {
			t.Errorf("%s: key %s and extent %s, without vectors %s and %s", r.Name(), r.Key, r.Extent, without[k].Key, without[k].Extent)
		}
		c.Vectors = nil
		if want := without[k].Measured(); !reflect.DeepEqual(c, want) || !maps.Equal(r.Facts, without[k].Facts) || r.Reason != without[k].Reason {
			t.Errorf("%s: without its vectors the record is\n%v\nwant\n%v", r.Name(), c, want)
		}
	}
	if constructed == 0 || references == 0 {
		t.Errorf("%d coordinates of constructed vectors, %d references", constructed, references)
	}
}

// checkReference compares a reference classifier with the facts of a record.
func checkReference(t *testing.T, r *record.Run, e expanded, table *datasets.Table, train, test []int) {
	t.Helper()
	for fact, rows := range map[string][]int{"reference_train_error": train, "reference_error": test} {
		if wrong := e.mistakes(table, rows); r.Facts[fact] != float64(len(wrong))/float64(len(rows)) {
			t.Errorf("%s: %s is %v, with %d mistakes on %d", r.Name(), fact, r.Facts[fact], len(wrong), len(rows))
		}
	}
	positive := 0
	for _, row := range test {
		if table.Labels[row] > 0 {
			positive++
		}
	}
	if want := float64(min(positive, len(test)-positive)) / float64(len(test)); r.Facts["constant_error"] != want {
		t.Errorf("%s: constant_error is %v, want %v", r.Name(), r.Facts["constant_error"], want)
	}
	if r.Facts["reference_support"] != float64(len(e.coef)) {
		t.Errorf("%s: %d coefficients; %v", r.Name(), len(e.coef), r.Facts)
	}
	if norm := r.Facts["reference_norm"]; math.Abs(e.norm()-norm) > 1e-5*(1+norm) {
		t.Errorf("%s: |w| = %v, on record %v", r.Name(), e.norm(), norm)
	}
	if r.Facts["reference_gap"] > 1e-6 || r.Facts["reference_kernel_evals"] != 2*r.Facts["reference_iterations"]*float64(len(train)) {
		t.Errorf("%s: %v", r.Name(), r.Facts)
	}
}
