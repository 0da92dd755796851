package datasets

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref  Ref
		want []PartRows
	}{
		{Ref{Source: "adult", With: map[string]any{"part": "all"}}, []PartRows{{"train", 32561}, {"test", 16281}}},
		{Ref{Source: "adult"}, []PartRows{{"train", 32561}}},
		{Ref{Source: "ijcnn1", With: map[string]any{"variant": "ijcnn1.tr"}}, []PartRows{{"train", 35000}, {"validation", 14990}, {"test", 91701}}},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 3, "n": 20, "test": 10}}, []PartRows{{"train", 20}, {"test", 10}}},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 3, "n": 20, "test": 0}}, []PartRows{{"train", 20}}},
		{Ref{Source: "counterexample-2d"}, nil},
	} {
		d := open(t, c.ref, fake)
		rows := 0
		for _, p := range d.Parts {
			rows += p.Rows
		}
		if !slices.Equal(d.Parts, c.want) || d.Table != nil && rows != d.Table.N {
			t.Errorf("%+v: parts %v, want %v", c.ref, d.Parts, c.want)
		}
	}
}

func TestPositive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text, title string
		positive          float64
		labels            []float64
	}{
		{"a.svm", "3 1:1\n8 2:1\n5 1:2\n8\n", "a.svm, 8 against the rest", 8, []float64{-1, 1, -1, 1}},
		{"a.csv", "1,dog\n2,cat\n3,fox\n", "a.csv, 3 (fox) against the rest", 3, []float64{-1, -1, 1}},
	} {
		ref := Ref{Path: laid(t, c.file, c.text), Positive: &c.positive}
		if c.file == "a.csv" {
			ref.Label = "2"
		}
		d := open(t, ref, Options{})
		if !slices.Equal(d.Table.Labels, c.labels) || d.Table.BinaryLabels() != nil || d.Title != c.title {
			t.Errorf("%q: labels %v", d.Title, d.Table.Labels)
		}
	}
	m := open(t, Ref{Source: "mnist", With: map[string]any{"part": "test"}, Positive: new(8.0)}, fake)
	if got := classCounts(m.Table); !slices.Equal(got, []int{9026, 974}) {
		t.Errorf("%s: %v", m.Title, got)
	}
}

// The messages about labels that are not +1 and -1, and the class that is proposed as positive.
func TestLabels(t *testing.T) {
	t.Parallel()
	many := make([]float64, 1002)
	for i := range many {
		many[i] = float64(i) / 2
	}
	mnist := slice(open(t, Ref{Source: "mnist", With: map[string]any{"part": "test"}}, fake).Table, 10, 5000)
	table := func(labels ...float64) *Table { return NewDense(max(len(labels), 1), 1, nil, labels) }
	texts := table(1, 2, 3, 3)
	texts.texts = []string{"cat", "dog", "fox"}
	var got strings.Builder
	for _, tab := range []*Table{
		table(1, -1, 1), table(), table(1, 1), table(0, 1, 0), table(2, 1, 1), table(0, 1, -1, 0, 0), table(4, 7, 9, 7, 4, 7),
		table(0.5, 0.25, 0.5), table(1.5, 2.5, 3.5), table(1, 2, 3, 4), table(2, 3, 4, 5, 5, 2, 3, 4, 5), table(many...), table(many[:20]...),
		texts, mnist,
	} {
		positive, perr := tab.Positive()
		err := tab.BinaryLabels()
		if (positive == nil) != (err == nil || perr != nil) || err == nil && perr != nil {
			t.Errorf("%.20v: %v, %v, %v", tab.Labels, err, positive, perr)
		}
		fmt.Fprintf(&got, "%.20v\n\t%v\n", tab.Labels[:min(len(tab.Labels), 10)], err)
		if perr != nil {
			fmt.Fprintf(&got, "\t%v\n", perr)
		} else if positive != nil {
			fmt.Fprintf(&got, "\tpositive %v\n", *positive)
		}
	}
	golden(t, "labels.txt", got.String())
}
