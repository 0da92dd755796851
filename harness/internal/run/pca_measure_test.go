package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms/pca"
	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

const measuredSpec = `version: 1
name: measured
task: pca
seed: %d
repeats: 2
budget: {iterations: 40}
record: {points: 40, spacing: linear, spectrum: true}
datasets:
  - {id: rows, path: rows.csv, format: csv, split: {train: %g, validation: 0.2, test: %g}, problem: {k: [1, 2]}}
algorithms:
  - {id: msg, step: {c: 1}}
  - {id: incremental}
  - {id: warmuth-kuzmin, with: {start: uniform}, step: {c: 1}}
`

func rowsOf(t *testing.T) map[string]*datasets.Data {
	t.Helper()
	const n, d = 60, 5
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n*d)
	for i := range values {
		values[i] = rng.NormFloat64() / float64(1+i%d)
	}
	table := datasets.NewDense(n, d, values, nil)
	return map[string]*datasets.Data{"rows": {Name: "rows", Hash: "sha256:rows", Table: table}}
}

// plainMoment computes the second moment of rows by its definition.
func plainMoment(table *datasets.Table, rows []int) *mat.SymDense {
	m := mat.NewSymDense(table.D, nil)
	for _, i := range rows {
		x := table.Row(i, nil)
		for a := range x {
			for b := a; b < len(x); b++ {
				m.SetSym(a, b, m.At(a, b)+x[a]*x[b]/float64(len(rows)))
			}
		}
	}
	return m
}

// Each number of a record equals an independent computation from the streams, the rows and the
// algorithm.
func TestPCARecordsMatchDefinitions(t *testing.T) {
	t.Parallel()
	data := rowsOf(t)
	table := data["rows"].Table
	p := plantest.Build(t, fmt.Sprintf(measuredSpec, 7, 0.5, 0.3), data)
	f, _ := perform(t, p, Options{Workers: 2}, constructors{})
	runs := f.runs(t, p)
	if len(runs) != len(p.Items) {
		t.Fatalf("%d records, want %d", len(runs), len(p.Items))
	}
	for i, it := range p.Items {
		const split = "train=0.5,validation=0.2,test=0.3"
		stream := func(role string) *rand.Rand { return seed.Stream(7, "sha256:rows", split, it.Repeat, role) }
		train, validation, test, err := datasets.Split(table.N, datasets.Fractions{Train: 0.5, Validation: 0.2, Test: 0.3}, stream(seed.RoleSplit))
		if err != nil {
			t.Fatal(err)
		}
		l, err := registry.NewPCA(it.Algorithm, registry.Env{
			Source: newRowSource(table, train, newOrder("pass", len(train), stream(seed.RoleOrder))), Horizon: 40, Rand: stream,
		}, it.Params)
		if err != nil {
			t.Fatal(err)
		}
		checkRecord(t, runs[i], l, it.Params.Int("k"), map[string]*mat.SymDense{
			"validation": plainMoment(table, validation), "test": plainMoment(table, test),
		})
	}
}

func checkRecord(t *testing.T, r record.Run, l pca.Learner, k int, moments map[string]*mat.SymDense) {
	t.Helper()
	d, _ := l.Dims()
	var state pca.State
	var sumKT, sumKT2 int64
	for i := range 40 {
		l.Step()
		l.StateTo(&state)
		rank := int64(0)
		for _, v := range state.Sigma {
			if v > 0 {
				rank++
			}
		}
		if state.Bulk > 0 {
			rank += int64(d - len(state.Sigma))
		}
		sumKT, sumKT2 = sumKT+rank, sumKT2+rank*rank
		c := r.Measured()
		if got := c.Metrics["state"]["rank"][i]; got != float64(rank) || c.Cost["sum_kt"][i] != sumKT || c.Cost["sum_kt2"][i] != sumKT2 {
			t.Fatalf("%s, iteration %d: rank %v, sums %d and %d; want %d, %d and %d", r.Name(), i+1, got, c.Cost["sum_kt"][i], c.Cost["sum_kt2"][i], rank, sumKT, sumKT2)
		}
		if !slices.Equal(c.Spectrum[i], state.Sigma) {
			t.Fatalf("%s, iteration %d: spectrum %v, want %v", r.Name(), i+1, c.Spectrum[i], state.Sigma)
		}
		u := state.TopK(k)
		for name, moment := range moments {
			var prod, captured mat.Dense
			prod.Mul(moment, u)
			captured.Mul(u.T(), &prod)
			want := mat.Trace(&captured)
			_, m := u.Dims()
			// Missing directions count as random ones.
			want += float64(k-m) / float64(d-m) * (mat.Trace(moment) - want)
			var svd mat.SVD
			svd.Factorize(moment, mat.SVDNone)
			var optimum float64
			for _, v := range svd.Values(nil)[:k] {
				optimum += v
			}
			if got := c.Metrics[name]["objective"][i]; math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s, iteration %d: objective %v on %s, want %v", r.Name(), i+1, got, name, want)
			}
			if got := c.Metrics[name]["suboptimality"][i]; math.Abs(got-(optimum-want)) > 1e-12 {
				t.Fatalf("%s, iteration %d: suboptimality %v on %s, want %v", r.Name(), i+1, got, name, optimum-want)
			}
		}
	}
}

// Stored optima of another root seed or of other split fractions do not affect the records.
func TestStoredOptimaAreNotMixedUp(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	data := rowsOf(t)
	plans := map[string]*plan.Plan{}
	for name, text := range map[string]string{
		"first":       fmt.Sprintf(measuredSpec, 7, 0.5, 0.3),
		"other seed":  fmt.Sprintf(measuredSpec, 8, 0.5, 0.3),
		"other split": fmt.Sprintf(measuredSpec, 7, 0.4, 0.4),
	} {
		plans[name] = plantest.Build(t, text, data)
	}
	run := func(f *folder, p *plan.Plan) string {
		t.Helper()
		f.perform(t, p, Options{Workers: 2}, constructors{})
		return strings.Join(f.records(t, p), "\n")
	}
	used := open(t, t.TempDir())
	run(used, plans["first"])
	for _, name := range []string{"other seed", "other split"} {
		if run(used, plans[name]) != run(open(t, t.TempDir()), plans[name]) {
			t.Errorf("%s: the records depend on the previous contents of the folder", name)
		}
	}
}
