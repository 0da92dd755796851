package datasets

import (
	"math"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestStandInIsMarked(t *testing.T) {
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

func aboveMean(spectrum []float64) (n int) {
	for _, v := range spectrum {
		if v > 1/float64(len(spectrum)) {
			n++
		}
	}
	return n
}

func cumulated(v []float64, n int) (s float64) {
	for _, x := range v[:n] {
		s += x
	}
	return s
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

// profile is what a stand-in shall have in common with the real data.
type profile struct {
	rows, features  int
	classes         []int
	nonZero, mean   float64
	first           float64 // share of the first eigenvalue
	dominant        int     // eigenvalues above the mean
	top20, top100   float64
	cFirst          float64 // the same, centred
	cDominant       int
	cTop20, cTop100 float64
}

func profileOf(t *testing.T, d *Data) profile {
	t.Helper()
	tab := d.Table
	p := profile{rows: tab.N, features: tab.D, classes: classCounts(tab)}
	for _, row := range tab.stored() {
		for _, v := range row {
			if v != 0 {
				p.nonZero++
				p.mean += v
			}
		}
	}
	p.nonZero /= float64(tab.N * tab.D)
	p.mean /= float64(tab.N * tab.D)
	s := spectrum(t, tab)
	p.first, p.dominant, p.top20, p.top100 = s[0], aboveMean(s), cumulated(s, 20), cumulated(s, 100)
	c, err := prepared(tab, []string{"center"})
	if err != nil {
		t.Fatal(err)
	}
	s = spectrum(t, c)
	p.cFirst, p.cDominant, p.cTop20, p.cTop100 = s[0], aboveMean(s), cumulated(s, 20), cumulated(s, 100)
	return p
}

func compareProfiles(t *testing.T, real, fake profile) {
	t.Helper()
	if real.rows != fake.rows || real.features != fake.features {
		t.Error("shapes differ")
	}
	for c, n := range real.classes {
		// Half a per cent of the rows: the parts need not have equal counts.
		if math.Abs(float64(n-fake.classes[c])) > 0.005*float64(real.rows) {
			t.Errorf("class %d: %d rows, real %d", c, fake.classes[c], n)
		}
	}
	for _, c := range []struct {
		name       string
		real, fake float64
		tol        float64 // relative
	}{
		{"share of non-zeros", real.nonZero, fake.nonZero, 0.05},
		{"mean", real.mean, fake.mean, 0.15},
		{"first eigenvalue", real.first, fake.first, 0.2},
		{"eigenvalues above the mean", float64(real.dominant), float64(fake.dominant), 0.35},
		{"first 20", real.top20, fake.top20, 0.1},
		{"first 100", real.top100, fake.top100, 0.1},
		{"centred: first eigenvalue", real.cFirst, fake.cFirst, 0.5},
		{"centred: eigenvalues above the mean", float64(real.cDominant), float64(fake.cDominant), 0.25},
		{"centred: first 20", real.cTop20, fake.cTop20, 0.15},
		{"centred: first 100", real.cTop100, fake.cTop100, 0.15},
	} {
		if math.Abs(c.fake-c.real) > c.tol*c.real {
			t.Errorf("%s: %.4g, real %.4g", c.name, c.fake, c.real)
		}
	}
}

// TestStandInLikeReal compares the stand-ins with the data they stand for.
func TestStandInLikeReal(t *testing.T) {
	t.Parallel()
	real := realData(t)
	t.Run("adult", func(t *testing.T) {
		ref := Ref{Source: "adult", With: map[string]any{"part": "all"}}
		compareProfiles(t, profileOf(t, open(t, ref, real)), profileOf(t, open(t, ref, fake)))
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
		r.Table, f.Table = slice(r.Table, 50000, 70000), slice(f.Table, 50000, 70000)
		compareProfiles(t, profileOf(t, r), profileOf(t, f))
	})
}
