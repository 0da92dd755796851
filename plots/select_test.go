package plots

import (
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
	want := []observe.Where{{varSeries: "saa"}, {varSeries: "msg"}, {varSeries: "aa"}, {varSeries: "zz"}}
	if got := listed.facetValues(runs, varSeries); !reflect.DeepEqual(got, want) {
		t.Errorf("series: %v, want %v", got, want)
	}
	if got, want := distinct(runs[:3], "dataset"), []any{"dzz", "dmsg", "dsaa"}; !reflect.DeepEqual(got, want) {
		t.Errorf("dataset: %v, want %v", got, want)
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
		{"data set first", []record.Run{
			run("a", record.Params{"k": int64(1)}), run("b", record.Params{"k": int64(4)}),
		}, []string{"dataset"}},
		{"two needed", []record.Run{
			run("d", record.Params{"k": int64(1), "start": "x"}), run("d", record.Params{"k": int64(1), "start": "y"}),
			run("d", record.Params{"k": int64(2), "start": "x"}),
		}, []string{"k", "start"}},
		{"step last", []record.Run{
			run("d", record.Params{"a": int64(1), "step.c": 1.0}), run("d", record.Params{"a": int64(2), "step.c": 2.0}),
		}, []string{"a"}},
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
	if got := f.panels(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	def := Figure{}.panels()
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
	_, err := layOut(Figure{ID: "f", Facet: Facet{Cols: "step.c"}}, Input{Choice: selection.All(runs)})
	if err == nil {
		t.Errorf("error %v", err)
	}
}
