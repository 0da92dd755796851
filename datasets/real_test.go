package datasets

import (
	"math"
	"slices"
	"testing"
)

// TestRealData reads every entry from the mirror and holds it against what is
// published of it.
func TestRealData(t *testing.T) {
	t.Parallel()
	opt := realData(t)
	for _, c := range []struct {
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
	} {
		ref := Ref{Source: c.source, With: map[string]any{"variant": c.variant, "part": "all"}}
		if c.source == "covtype" {
			ref.Positive = new(2.0)
		}
		d := open(t, ref, opt)
		if d.Origin != WhereMirror || d.StandIn || !slices.Equal(d.Parts, c.parts) || d.Table.D != c.d || d.Table.NNZ() != c.nnz {
			t.Errorf("%s: parts %v, d = %d, %d entries", d.Title, d.Parts, d.Table.D, d.Table.NNZ())
		}
		if err := d.Table.BinaryLabels(); err != nil {
			t.Errorf("%s: %v", d.Title, err)
		}
		row, empty := 0, 0
		for k, p := range d.Parts {
			positives := 0
			for range p.Rows {
				if d.Table.Labels[row] == 1 {
					positives++
				}
				_, stored := d.Table.Entries(row, nil)
				if len(stored) == 0 {
					empty++
				}
				if c.source == "reuters" && math.Abs(norm2(stored)-1) > 1e-5 {
					t.Fatalf("row %d has norm %v", row, norm2(stored))
				}
				row++
			}
			if positives != c.positives[k] {
				t.Errorf("%s: part %s: %d positive, want %d", d.Title, p.Name, positives, c.positives[k])
			}
		}
		if empty != c.empty {
			t.Errorf("%s: %d rows without a feature, want %d", d.Title, empty, c.empty)
		}
	}
}

// TestForestVariants: the scaled rows are the whole numbers, scaled.
func TestForestVariants(t *testing.T) {
	t.Parallel()
	opt := realData(t)
	forestVariants(t, opt)
}

// forestVariants checks that the scaled rows of Forest are the whole numbers, scaled.
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
