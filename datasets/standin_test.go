package datasets

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestStandInIsMarked(t *testing.T) {
	long(t)
	t.Parallel()
	lines := 0
	opt := Options{CacheDir: t.TempDir(), Offline: true, AllowStandIn: true, Log: func(string) { lines++ }}
	ref := Ref{Source: "adult", With: map[string]any{"variant": "a1a", "part": "test"}}
	a, b := open(t, ref, opt), open(t, ref, fake)
	if !a.StandIn || a.Title != "Adult (a1a, test) stand-in" || a.Origin != "stand-in" || a.Name != "adult" || lines != 1 {
		t.Errorf("%+v, with %d lines in the log", a, lines)
	}
	const missing, forced = "the real data are not available", "a stand-in was requested"
	if a.StandInReason != missing || b.StandInReason != forced || b.Hash != a.Hash {
		t.Errorf("%+v, forced %+v", a, b)
	}
	if n, d, err := ref.Shape(); err != nil || a.Table.N != n || a.Table.D != d {
		t.Errorf("%d x %d, want %d x %d (%v)", a.Table.N, a.Table.D, n, d, err)
	}
	if err := equalTables(a.Table, b.Table); err != nil {
		t.Errorf("not reproducible: %v", err)
	}
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

// long skips a test that takes seconds under -short.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

// published lists published sizes of the real data.
var published = []struct {
	source, variant string
	parts           []PartRows
	d               int
	positives       []int // number of positive rows of each part
	empty, nnz      int   // rows without entries, and entries
}{
	{"adult", "a9a", []PartRows{{"train", 32561}, {"test", 16281}}, 123, []int{7841, 3846}, 0, 677323},
	{"adult", "a8a", []PartRows{{"train", 22696}, {"test", 9865}}, 123, []int{5506, 2335}, 0, 451592},
	{"reuters", "money-fx", []PartRows{{"train", 7770}, {"test", 3299}}, 8315, []int{538, 179}, 0, 476658},
	{"ijcnn1", "ijcnn1", []PartRows{{"train", 49990}, {"test", 91701}}, 22, []int{4853, 8712}, 0, 1841983},
	{"ijcnn1", "ijcnn1.tr", []PartRows{{"train", 35000}, {"validation", 14990}, {"test", 91701}}, 22, []int{3415, 1438, 8712}, 0, 1841983},
	{"web", "w8a", []PartRows{{"train", 49749}, {"test", 14951}}, 300, []int{1479, 454}, 4203 + 1252, 753862},
	{"covtype", "data", []PartRows{{"train", 92962}}, 54, []int{45328}, 0, 92962 * 54},
	{"covtype", "scaled", []PartRows{{"train", 92962}}, 54, []int{45328}, 0, 92962 * 54},
	{"timit", "timit", []PartRows{{"train", 63881}, {"test", 22257}}, 39, []int{10220, 3561}, 0, 86138 * 39},
}

// TestRealData compares every entry in the mirror with its published sizes.
func TestRealData(t *testing.T) {
	t.Parallel()
	opt := realData(t)
	comparePublished(t, opt, 0)
}

// TestStandInShapes compares the stand-ins with the published sizes of the real data.
func TestStandInShapes(t *testing.T) {
	long(t)
	t.Parallel()
	comparePublished(t, fake, 0.1)
}

// comparePublished compares data with the published sizes. The tolerance is relative and applies to the
// numbers of entries and of empty rows.
func comparePublished(t *testing.T, opt Options, tolerance float64) {
	t.Helper()
	for _, c := range published {
		if c.source == "timit" && !opt.ForceStandIn {
			continue
		}
		ref := Ref{Source: c.source, With: map[string]any{"variant": c.variant, "part": "all"}}
		if positive := map[string]float64{"covtype": 2, "timit": 3}[c.source]; positive != 0 {
			ref.Positive = &positive
		}
		d := open(t, ref, opt)
		tab := d.Table
		if d.StandIn != opt.ForceStandIn || !slices.Equal(d.Parts, c.parts) || tab.D != c.d {
			t.Errorf("%s: parts %v, d = %d", d.Title, d.Parts, tab.D)
		}
		if err := errors.Join(tab.BinaryLabels(), wellFormed(tab)); err != nil {
			t.Errorf("%s: %v", d.Title, err)
		}
		row, empty := 0, 0
		for k, p := range d.Parts {
			positives := 0
			for range p.Rows {
				if tab.Labels[row] == 1 {
					positives++
				}
				_, stored := tab.Entries(row, nil)
				if len(stored) == 0 {
					empty++
				}
				if c.source == "reuters" && !near(norm2(stored), 1, 1e-5) {
					t.Fatalf("row %d has norm %v", row, norm2(stored))
				}
				row++
			}
			if positives != c.positives[k] {
				t.Errorf("%s: part %s: %d positive, want %d", d.Title, p.Name, positives, c.positives[k])
			}
		}
		within := func(got, want int) bool { return near(float64(got), float64(want), tolerance*float64(want)) }
		if !within(tab.storedCount(), c.nnz) || !within(empty, c.empty) {
			t.Errorf("%s: %d entries, want %d, and %d rows without one, want %d", d.Title, tab.storedCount(), c.nnz, empty, c.empty)
		}
	}
}

// The rows of the variant scaled are the rows of the variant data, scaled.
func TestForestVariants(t *testing.T) {
	long(t)
	t.Parallel()
	t.Run("stand-in", func(t *testing.T) { forestVariants(t, fake) })
	t.Run("real", func(t *testing.T) { forestVariants(t, realData(t)) })
}

func forestVariants(t *testing.T, opt Options) {
	t.Helper()
	forest := standInOf("covtype").Mixture.Numbers
	data := open(t, Ref{Source: "covtype"}, opt).Table
	scaled := open(t, Ref{Source: "covtype", With: with("variant", "scaled")}, opt).Table
	if !slices.Equal(data.Labels, scaled.Labels) {
		t.Error("labels differ")
	}
	for i := range data.N {
		a, b := data.Row(i, nil), scaled.Row(i, nil)
		ones := 0.0
		for j, v := range a {
			if j < forest.Features {
				v = (v - forest.Low[j]) / (forest.High[j] - forest.Low[j])
			} else {
				ones += v
			}
			if !near(v, b[j], 1.5e-6) || v < 0 || v > 1 || a[j] != math.Trunc(a[j]) {
				t.Fatalf("row %d, feature %d: %v and %v", i+1, j+1, v, b[j])
			}
		}
		if ones != 2 {
			t.Fatalf("row %d: %v binary features are 1, want one area and one soil", i+1, ones)
		}
	}
}

// gaussianGram returns the matrix exp(-gamma |a_i - b_j|^2) of the rows of two dense tables, row-major.
func gaussianGram(a, b *Table, gamma float64) []float64 {
	out := make([]float64, 0, a.N*b.N)
	var norms []float64
	for j := range b.N {
		norms = append(norms, squares(b.Row(j, nil)))
	}
	for i := range a.N {
		x := a.Row(i, nil)
		nonzero := slices.DeleteFunc(allRows(a.D), func(k int) bool { return x[k] == 0 })
		norm := squares(x)
		for j := range b.N {
			dot, y := 0.0, b.Row(j, nil)
			for _, k := range nonzero {
				dot += x[k] * y[k]
			}
			out = append(out, math.Exp(-gamma*(norm+norms[j]-2*dot)))
		}
	}
	return out
}

// svmError returns the test error of a Gaussian SVM without bias. It is trained by dual coordinate
// ascent on n rows of the first part and tested on n rows of the last.
func svmError(t *testing.T, d *Data, n int, gamma, c float64) float64 {
	t.Helper()
	rng := newRNG(11)
	lo, hi := 0, d.Table.N/2 // with a single part, use its halves
	from, to := hi, d.Table.N
	if last := len(d.Parts) - 1; last > 0 {
		hi, from = d.Parts[0].Rows, to-d.Parts[last].Rows
	}
	some := func(part *Table) *Table {
		rows, err := SubsetRows(part.Labels, n, rng)
		if err != nil {
			t.Fatal(err)
		}
		return part.Select(rows).floats()
	}
	train, test := some(slice(d.Table, lo, hi)), some(slice(d.Table, from, to))

	k := gaussianGram(train, train, gamma)
	alpha, response := make([]float64, n), make([]float64, n)
	for range 30 {
		for _, i := range rng.Perm(n) {
			y := train.Labels[i]
			a := min(max(alpha[i]+(1-y*response[i]), 0), c) // K(x,x) = 1
			if delta := (a - alpha[i]) * y; delta != 0 {
				alpha[i] = a
				for j, v := range k[i*n : (i+1)*n] {
					response[j] += delta * v
				}
			}
		}
	}
	cross := gaussianGram(test, train, gamma)
	wrong := 0
	for i := range test.N {
		var r float64
		for j, v := range cross[i*n : (i+1)*n] {
			r += alpha[j] * train.Labels[j] * v
		}
		if r*test.Labels[i] <= 0 {
			wrong++
		}
	}
	return float64(wrong) / float64(test.N)
}

// The test error of an SVM with the thesis's kernel is similar on stand-ins and real data. The bounds
// are for n rows; for data that the mirror lacks they were measured with svm-train.
func TestStandInsForSVM(t *testing.T) {
	long(t)
	t.Parallel()
	const n = 1000
	all := with("part", "all")
	for _, c := range []struct {
		ref      Ref
		gamma, c float64
		lo, hi   float64
		tol      float64 // largest difference from the error on the real data
	}{
		{Ref{Source: "adult", With: all}, 0.05, 1, 0.12, 0.18, 0.035},
		{Ref{Source: "mnist", With: with("part", "test"), Positive: new(8.0), Prepare: []string{"unit-max-value"}}, 0.02, 1000, 0.01, 0.05, 0.025},
		{Ref{Source: "reuters"}, 1, 1, 0.02, 0.05, 0.02},
		{Ref{Source: "ijcnn1"}, 1, 10, 0.02, 0.06, 0.025},
		{Ref{Source: "web"}, 0.1, 10, 0.01, 0.035, 0.015},
		{Ref{Source: "covtype", Positive: new(2.0)}, 0.0001, 10000, 0.25, 0.45, 0.1},
		{Ref{Source: "covtype", With: with("variant", "scaled"), Positive: new(2.0)}, 2, 10, 0.2, 0.3, 0.07},
		{Ref{Source: "timit", Positive: new(3.0)}, 0.025, 1, 0.12, 0.16, 0},
	} {
		t.Run(c.ref.Source, func(t *testing.T) {
			t.Parallel()
			d := open(t, c.ref, fake)
			standIn := svmError(t, d, n, c.gamma, c.c)
			if standIn < c.lo || standIn > c.hi || d.Table.BinaryLabels() != nil {
				t.Errorf("%s: test error %.4f, want %v to %v", d.Title, standIn, c.lo, c.hi)
			}
			d, err := Open(t.Context(), c.ref, Options{CacheDir: t.TempDir(), Offline: true, Mirror: mirror()})
			if errors.Is(err, ErrMissing) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if e := svmError(t, d, n, c.gamma, c.c); math.Abs(standIn-e) > c.tol {
				t.Errorf("%s: test error %.4f, but %.4f on its stand-in", d.Title, e, standIn)
			}
		})
	}
}

// The two variants of ijcnn1 share their rows as in the real data, and rows of Adult have valid
// features. TestStandInsStay checks that parts are consistent.
func TestStandInParts(t *testing.T) {
	long(t)
	t.Parallel()
	get := func(source string, with map[string]any) *Table {
		return open(t, Ref{Source: source, With: with}, fake).Table
	}
	tr := get("ijcnn1", with("variant", "ijcnn1.tr"))
	if err := equalTables(tr, get("ijcnn1", nil)); err != nil {
		t.Errorf("ijcnn1 is not ijcnn1.tr and ijcnn1.val: %v", err)
	}
	// A row of Adult has at most one value of each attribute.
	var group []int
	for k, a := range standInOf("adult").Mixture.Groups {
		group = append(group, slices.Repeat([]int{k}, a.Values)...)
	}
	adult := get("adult", nil)
	for i := range adult.N {
		idx, val := adult.RowNonZero(i)
		last := -1
		for p, j := range idx {
			if val[p] != 1 || group[j] <= last {
				t.Fatalf("row %d: attribute %d has two values, or one other than 1", i, group[j])
			}
			last = group[j]
		}
	}
}
