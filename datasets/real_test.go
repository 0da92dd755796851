package datasets

import (
	"math"
	"slices"
	"testing"
)

// published is what is known of all parts of the real data.
var published = []struct {
	source, variant string
	parts           []PartRows
	d               int
	positives       []int // of each part
	empty, nnz      int
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

// TestRealData reads every entry from the mirror and holds it against what is published of it.
func TestRealData(t *testing.T) {
	t.Parallel()
	opt := realData(t)
	holdPublished(t, opt, 0)
}

// TestStandInShapes holds the stand-ins against the real data, which need not be at hand.
func TestStandInShapes(t *testing.T) {
	long(t)
	t.Parallel()
	holdPublished(t, fake, 0.1)
}

// holdPublished compares data with what is published of the real data. The numbers of entries and of rows without one
// may differ relatively by the tolerance.
func holdPublished(t *testing.T, opt Options, tolerance float64) {
	t.Helper()
	for _, c := range published {
		if c.source == "timit" && !opt.ForceStandIn {
			continue
		}
		ref := Ref{Source: c.source, With: map[string]any{"variant": c.variant, "part": "all"}}
		d := open(t, ref, opt)
		if positive := map[string]float64{"covtype": 2, "timit": 3}[c.source]; positive != 0 {
			ref.Positive = &positive
			d.Table = owned(d.Table)
			if err := d.treat(ref, nil, 0); err != nil {
				t.Fatal(err)
			}
		}
		tab := d.Table
		if d.StandIn != opt.ForceStandIn || !slices.Equal(d.Parts, c.parts) || tab.D != c.d || tab.BinaryLabels() != nil || wellFormed(tab) != nil {
			t.Errorf("%s: parts %v, d = %d, %v, %v", d.Title, d.Parts, tab.D, tab.BinaryLabels(), wellFormed(tab))
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
		if !within(tab.NNZ(), c.nnz) || !within(empty, c.empty) {
			t.Errorf("%s: %d entries, want %d, and %d rows without one, want %d", d.Title, tab.NNZ(), c.nnz, empty, c.empty)
		}
	}
}

// TestForestVariants: the scaled rows are the whole numbers, scaled.
func TestForestVariants(t *testing.T) {
	t.Parallel()
	t.Run("stand-in", func(t *testing.T) { forestVariants(t, fake) })
	t.Run("real", func(t *testing.T) { forestVariants(t, realData(t)) })
}

func forestVariants(t *testing.T, opt Options) {
	t.Helper()
	forest := standInOf("covtype").Mixture.Numbers
	data := open(t, Ref{Source: "covtype"}, opt).Table
	scaled := open(t, Ref{Source: "covtype", With: map[string]any{"variant": "scaled"}}, opt).Table
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
			t.Fatalf("row %d: %v areas and soils", i+1, ones)
		}
	}
}
