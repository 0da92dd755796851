package datasets

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestStandInIsMarked(t *testing.T) {
	long(t)
	t.Parallel()
	lines := 0
	opt := Options{CacheDir: t.TempDir(), Offline: true, AllowStandIn: true, Log: func(string) { lines++ }}
	for _, c := range []struct {
		ref   Ref
		title string
	}{
		{Ref{Source: "adult"}, "Adult (a9a, train) stand-in"},
		{Ref{Source: "adult", With: map[string]any{"variant": "a1a", "part": "test"}}, "Adult (a1a, test) stand-in"},
		{Ref{Source: "reuters", With: map[string]any{"part": "test"}}, "Reuters money-fx (test) stand-in"},
	} {
		lines = 0
		a := open(t, c.ref, opt)
		if !a.StandIn || a.Title != c.title || a.StandInReason != "the real data could not be had" || a.Origin != "stand-in" || a.Name != c.ref.Source {
			t.Errorf("%+v", a)
		}
		if lines != 1 {
			t.Errorf("%d lines are logged, want one", lines)
		}
		n, d, err := c.ref.Shape()
		if err != nil || a.Table.N != n || a.Table.D != d {
			t.Errorf("%d x %d, want %d x %d", a.Table.N, a.Table.D, n, d)
		}
		b := open(t, c.ref, fake)
		if b.StandInReason != "a stand-in was asked for" || b.Hash != a.Hash {
			t.Errorf("forced: %+v", b)
		}
		if err := equalTables(a.Table, b.Table); err != nil {
			t.Errorf("not the same twice: %v", err)
		}
	}
}

// spectrum returns the eigenvalues of the second moment as shares of the
// trace, decreasing.
func spectrum(t *testing.T, tab *Table) []float64 {
	t.Helper()
	var m mat.SymDense
	SecondMoment(&m, tab, allRows(tab.N))
	var e mat.EigenSym
	if !e.Factorize(&m, false) {
		t.Fatal("no eigenvalues")
	}
	v := e.Values(nil)
	sort.Sort(sort.Reverse(sort.Float64Slice(v)))
	tr := mat.Trace(&m)
	for i := range v {
		v[i] /= tr
	}
	return v
}

func classCounts(tab *Table) []int {
	classes := slices.Compact(slices.Sorted(slices.Values(tab.Labels)))
	counts := make([]int, len(classes))
	for _, y := range tab.Labels {
		c, _ := slices.BinarySearch(classes, y)
		counts[c]++
	}
	return counts
}

// alike holds how far, relatively, a stand-in may differ from the real data in each number of a profile.
var alike = map[string]float64{
	"share of non-zeros": 0.05, "mean": 0.15, "first eigenvalue": 0.2, "first 20": 0.1, "first 100": 0.1,
	"centred: first eigenvalue": 0.5, "centred: first 20": 0.15, "centred: first 100": 0.15,
}

// profile returns what a stand-in shall have in common with the real data.
func profile(t *testing.T, tab *Table) map[string]float64 {
	t.Helper()
	p := map[string]float64{}
	entries := float64(tab.N * tab.D)
	for _, row := range tab.stored() {
		for _, v := range row {
			p["mean"] += v / entries
		}
	}
	p["share of non-zeros"] = float64(tab.Nonzeros()) / entries
	centred, err := prepared(tab, []string{"center"})
	if err != nil {
		t.Fatal(err)
	}
	for prefix, of := range map[string]*Table{"": tab, "centred: ": centred} {
		v := spectrum(t, of)
		p[prefix+"first eigenvalue"], p[prefix+"first 20"], p[prefix+"first 100"] = v[0], floats.Sum(v[:20]), floats.Sum(v[:100])
	}
	return p
}

func compareProfiles(t *testing.T, real, fake *Table) {
	t.Helper()
	if real.N != fake.N || real.D != fake.D {
		t.Error("shapes differ")
	}
	counts := classCounts(fake)
	for c, n := range classCounts(real) {
		// Half a per cent of the rows: the parts need not have equal counts.
		if math.Abs(float64(n-counts[c])) > 0.005*float64(real.N) {
			t.Errorf("class %d: %d rows, real %d", c, counts[c], n)
		}
	}
	want, got := profile(t, real), profile(t, fake)
	for name, tolerance := range alike {
		if math.Abs(got[name]-want[name]) > tolerance*want[name] {
			t.Errorf("%s: %.4g, real %.4g", name, got[name], want[name])
		}
	}
}

// TestStandInLikeReal compares the stand-ins with the data they stand for.
func TestStandInLikeReal(t *testing.T) {
	t.Parallel()
	real := realData(t)
	t.Run("adult", func(t *testing.T) {
		ref := Ref{Source: "adult", With: map[string]any{"part": "all"}}
		compareProfiles(t, open(t, ref, real).Table, open(t, ref, fake).Table)
	})
	t.Run("mnist", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes some seconds")
		}
		// The last 20,000 rows, half of them the test set, tell enough.
		ref := Ref{Source: "mnist"}
		r := open(t, ref, real)
		f := open(t, ref, fake)
		if a, b := classCounts(r.Table), classCounts(f.Table); !slices.Equal(a, b) {
			t.Errorf("class counts %v, real %v", b, a)
		}
		compareProfiles(t, slice(r.Table, 50000, 70000), slice(f.Table, 50000, 70000))
	})
}

// long skips a test of seconds where tests are to be short.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds")
	}
}
