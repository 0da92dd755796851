package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plantest"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

// spread returns a wide table of n sparse rows whose entries are in six features, far apart, and the
// narrow table of these six features.
func spread(t *testing.T, n int) (wide, narrow *datasets.Table) {
	t.Helper()
	const apart = 1000
	rng := newRNG(6)
	var far, near strings.Builder
	for range n {
		far.WriteString("1")
		near.WriteString("1")
		for j := range 6 {
			v := rng.NormFloat64() / float64(1+j)
			fmt.Fprintf(&far, " %d:%v", 1+apart*j, v)
			fmt.Fprintf(&near, " %d:%v", 1+j, v)
		}
		far.WriteString("\n")
		near.WriteString("\n")
	}
	for text, table := range map[*strings.Builder]**datasets.Table{&far: &wide, &near: &narrow} {
		*table = libsvmTable(t, text.String(), 0)
	}
	if wide.D <= objective.WideDim || narrow.D != 6 {
		t.Fatalf("%d and %d features", wide.D, narrow.D)
	}
	return wide, narrow
}

// Wide data give the same measurements as the same data without the empty features.
func TestWideDataAreMeasuredByTheirRows(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, n := range []int{40, 200} {
		wide, narrow := spread(t, n)
		text := strings.Replace(splitSpec, ", split: {train: 0.5, validation: 0.2, test: 0.3}", "", 1)
		p := plantest.Build(t, text, map[string]*datasets.Data{"t": {Name: "made up", Hash: "sha256:made-up", Table: wide}})
		f, sum := perform(t, p, Options{Workers: 2}, constructors{})
		if sum.Finished != len(p.Items) {
			t.Fatalf("%+v", sum)
		}
		var moment mat.SymDense
		datasets.SecondMoment(&moment, narrow, allRows(narrow.N))
		var eig mat.EigenSym
		if !eig.Factorize(&moment, false) {
			t.Fatal("no eigenvalues")
		}
		values := eig.Values(nil)
		for _, r := range f.runs(t, p) {
			want := values[5]
			if k, _ := record.Number(r.Params["k"]); k == 2 {
				want += values[4]
			}
			population := r.Measured().Metrics[record.SplitPopulation]
			for i, v := range population[record.MetricObjective] {
				if gap := population[record.MetricSuboptimality][i]; gap < -1e-9 || math.Abs(v+gap-want) > 2e-9*values[5] {
					t.Errorf("%d rows, %s: objective %v and suboptimality %v, want a sum of %v", n, r.Name(), v, gap, want)
				}
			}
		}
	}
}

// libsvmTable writes text to a LIBSVM file and reads it as a table.
func libsvmTable(t testing.TB, text string, features int) *datasets.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Open(t.Context(), datasets.Ref{Path: path, Format: "libsvm", Features: features}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Table
}
