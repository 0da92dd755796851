package plots

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestDistinct(t *testing.T) {
	t.Parallel()
	run := func(series string, k any) record.Run {
		return record.Run{Dataset: "d" + series, Series: series, Algorithm: series, Params: record.Params{"k": k}}
	}
	runs := []record.Run{run("zz", int64(16)), run("msg", int64(2)), run("saa", 2.0), run("aa", int64(4)), {Series: "msg", Algorithm: "msg"}}
	if got, want := distinct(runs, "k"), []any{int64(2), int64(4), int64(16)}; !reflect.DeepEqual(got, want) {
		t.Errorf("k: %v, want %v", got, want)
	}
	want := []observe.Where{
		{record.VarSeries: "saa"}, {record.VarSeries: "msg"}, {record.VarSeries: "aa"}, {record.VarSeries: "zz"},
	}
	if got := inputOf(runs...).facetValues(runs, nil, record.VarSeries); !reflect.DeepEqual(got, want) {
		t.Errorf("series: %v, want %v", got, want)
	}
}

// Panels of datasets are in the order of the experiment and have their titles. A dataset without runs has an empty panel
// unless the figure excludes it.
func TestDatasetsOfPanels(t *testing.T) {
	t.Parallel()
	in := inputOf(sideRuns("msg", "b", 1, 1)...)
	in.Data = []Data{{"a", "First"}, {"b", "Second"}, {"c", ""}}
	for _, tt := range []struct {
		where map[string]any
		want  []string
	}{
		{nil, []string{"First: no data: no runs of First", "Second: ", "c: no data: no runs of c"}},
		{map[string]any{"dataset": []any{"a", "b"}}, []string{"First: no data: no runs of First", "Second: "}},
		{map[string]any{"dataset": "b"}, []string{"Second: "}},
	} {
		var got []string
		fig := Figure{ID: "f", Panel: Panel{Where: tt.where}, Facet: Facet{Cols: record.VarDataset}}
		for _, p := range composed(t, fig, in).Panels[0] {
			got = append(got, p.Title+": "+p.Empty)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.where, got, tt.want)
		}
	}
}

func TestDistinguish(t *testing.T) {
	t.Parallel()
	run := func(dataset string, p record.Params) record.Run { return record.Run{Dataset: dataset, Params: p} }
	for _, tt := range []struct {
		name string
		runs []record.Run
		want []string
	}{
		{"none", nil, nil},
		{"repeats", []record.Run{run("d", record.Params{"k": int64(1)}), run("d", record.Params{"k": int64(1)})}, nil},
		{"k explains the rest", []record.Run{
			run("d", record.Params{"k": int64(1), "cap": int64(2), "step.c": 0.5}),
			run("d", record.Params{"k": int64(4), "cap": int64(5), "step.c": 0.25}),
		}, []string{"k"}},
		{"two needed", []record.Run{
			run("d", record.Params{"k": int64(1), "start": "x"}), run("d", record.Params{"k": int64(1), "start": "y"}),
			run("d", record.Params{"k": int64(2), "start": "x"}),
		}, []string{"k", "start"}},
	} {
		if got := observe.Distinguish(tt.runs); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPanelsInherit(t *testing.T) {
	t.Parallel()
	f := Figure{
		Panel:  Panel{Y: "rank", Where: map[string]any{"k": 4, "start": "uniform"}, Log: []string{"x"}, Band: BandMinMax, Series: []string{"msg"}},
		Panels: []Panel{{}, {Y: "spectrum", X: "sum_kt2", Where: map[string]any{"k": 1}, Log: []string{}, Split: "test", Band: BandNone, Series: []string{"saa"}}},
	}
	want := []Panel{
		{X: "iterations", Y: "rank", Where: map[string]any{"k": 4, "start": "uniform"}, Log: []string{"x"}, Band: BandMinMax, Series: []string{"msg"}},
		{X: "sum_kt2", Y: "spectrum", Where: map[string]any{"k": 1, "start": "uniform"}, Log: []string{}, Split: "test", Band: BandNone, Series: []string{"saa"}},
	}
	if got := f.AllPanels(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	def := Figure{}.AllPanels()
	if len(def) != 1 || def[0].X != "iterations" || def[0].Y != "suboptimality" || def[0].Band != BandQuantiles {
		t.Errorf("defaults: %+v", def)
	}
}

func TestTooManyPanels(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for i := range maxPanels + 1 {
		runs = append(runs, record.Run{Dataset: "d", Series: "msg", Params: record.Params{"step.c": float64(i)}})
	}
	if _, err := Compose(Figure{ID: "f", Facet: Facet{Cols: "step.c"}}, Input{Choice: selection.All(runs)}); err == nil {
		t.Errorf("no error for %d panels", len(runs))
	}
	for _, n := range []int{0, MaxOverlayPairs + 1} {
		if _, err := overlayOf(make([]OverlayPair, n)...).Compose(); err == nil {
			t.Errorf("no error for %d pairs", n)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"warmuth-kuzmin": "Warmuth & Kuzmin", "libsvm": "LIBSVM", "my own": "my own", "": "",
		"perceptron-last": "Perceptron (last)", "capped-msg-two-three": "Capped MSG (two three)", "linear-sdca-fast": "SDCA (linear, fast)",
		"mine-last": "mine-last", "sbp-": "sbp-", "-sbp": "-sbp",
	} {
		if got := listed.Name(id); got != want {
			t.Errorf("Name(%q) = %q, want %q", id, got, want)
		}
	}
}

// stylesOf returns the styles of series in one figure.
func stylesOf(series []seriesID) map[string]Style {
	var ids []curveID
	for _, s := range series {
		ids = append(ids, curveID{series: s})
	}
	styles := make(map[string]Style)
	for _, key := range listed.keys(ids) {
		styles[key.Series] = key.Style
	}
	return styles
}

// Series of one figure have different styles, in any order. A series of a listed algorithm has its colour.
func TestStylesNeverCollide(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		table := []Catalog{knownPCA, knownSparse, knownSVM, knownLosses}[round%4]
		var ids []seriesID
		for _, e := range table {
			ids = append(ids, seriesID{e.ID, e.ID})
		}
		for i := range 40 {
			id := seriesID{id: fmt.Sprintf("series-%d-%d", i, rng.IntN(1000))}
			if i%4 == 0 {
				id.algorithm = table[rng.IntN(len(table))].ID
			}
			ids = append(ids, id)
		}
		styles := stylesOf(ids)
		if len(styles) != len(ids) {
			t.Fatalf("%d styles for %d series", len(styles), len(ids))
		}
		seen := make(map[string]bool)
		for _, s := range styles {
			if seen[s.signature()] {
				t.Fatalf("two series have the style %s", s.signature())
			}
			seen[s.signature()] = true
		}
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		if !reflect.DeepEqual(stylesOf(ids), styles) {
			t.Fatal("styles depend on the order of the series")
		}
	}
	if s := stylesOf([]seriesID{{"msg-averaged", "msg"}, {"msg", "msg"}}); s["msg-averaged"].Color != s["msg"].Color {
		t.Error("another series of MSG has another colour")
	}
}
