package plan

import (
	"errors"
	"fmt"
	"testing"

	"stochopt/harness/internal/objective"
)

// Fits compares the estimate with the memory. A run that exceeds its own limit fits: it is not performed.
func TestFits(t *testing.T) {
	t.Parallel()
	const (
		rff, pair = "  - {id: rff, with: {pairs: 1024}}\n", 8*90 + 24
		rows      = 2 * 4 * 96        // over 90 points, in blocks of 16
		two       = 2 * 4 * (64 + 32) // over 60 points and over 30
		rsvm      = 4*60 + 16
	)
	labelled := alternating(t, 90, 30)
	features := build(t, replace(t, svmBase, "  - {id: sbp}\n", rff), labelled).Items[0]
	kernel := build(t, svmBase, labelled).Items[0]
	sparse := build(t, sparseBase, labelled).Items
	for _, test := range []struct {
		it   *Item
		need Need
		line int
	}{
		{features, Need{Algorithm: 1024 * pair}, 11},
		{kernel, Need{Kernel: rows}, 11},
		{sparse[0], Need{Kernel: two}, 11},
		{sparse[1], Need{Kernel: two, Algorithm: rsvm}, 12},
	} {
		if n := test.it.Need(); n != test.need {
			t.Errorf("%s needs %+v, want %+v", test.it.Series, n, test.need)
		}
		sum := test.need.Kernel + test.need.Algorithm
		for _, memory := range []int64{sum - 1, sum, sum + 8, sum + 9} {
			const data = 9
			err := test.it.Fits(memory, data)
			if located, ok := errors.AsType[*Error](err); ok == (memory >= sum+data) || ok && located.Pos.Line != test.line {
				t.Errorf("%s with %d bytes, %d of them for data: %v", test.it.Series, memory, data, err)
			}
		}
	}
	// The reference optimum of a linear method needs kernel rows.
	linear := replace(t, svmBase, "sigma2: 25", "kernel: linear", "id: sbp", "id: linear-sdca")
	for record, want := range map[string]int64{"points: 10": rows, "points: 10, reference: false": 0} {
		if got := build(t, replace(t, linear, "points: 10", record), labelled).Items[0].Need().Kernel; got != want {
			t.Errorf("with {%s} a linear method needs %d bytes of rows, want %d", record, got, want)
		}
	}
	// The estimate does not overflow.
	features.Problem.points = 1 << 59
	if err := features.Fits(1<<61, 1<<40); err == nil {
		t.Error("1 << 59 points fit")
	}
	limited := replace(t, sparseBase, "{id: rsvm}", fmt.Sprintf("{id: rsvm, limit: {memory: %d}}", rsvm-1))
	sparse = build(t, limited, labelled).Items
	if err := sparse[1].Fits(two, 0); err != nil || sparse[1].CheckLimit() == nil || sparse[0].CheckLimit() != nil {
		t.Errorf("error %v, limit %v", err, sparse[1].CheckLimit())
	}
}

// A shortage is reported once per algorithm and dataset. For generated data it is reported before the
// data are generated.
func TestShortages(t *testing.T) {
	t.Parallel()
	text := replace(t, svmBase, "  - {id: sbp}\n", "  - {id: sbp}\n  - {id: rff, with: {pairs: [16, 1024, 2048]}}\n")
	p := build(t, text, alternating(t, 90, 30))
	for memory, want := range map[int64]int{767: 2, 768: 1, 1 << 20: 1, 1 << 30: 0} {
		if short := p.Shortages(memory); len(short) != want {
			t.Errorf("%d bytes: %v", memory, short)
		}
	}
	p = WithoutData(load(t, replace(t, base, "path: t.csv, format: csv, split: {train: 0.5, validation: 0.25, test: 0.25}",
		"source: simulated-gaussian, with: {dim: 30000, gap: 2}")))
	if short := p.Shortages(1 << 30); len(short) != 1 {
		t.Errorf("without data: %v", short)
	}
}

// The memory of a PCA run grows with the square of the dimension. For wide data it grows with the rows.
// There are at most as many recorded points as iterations.
func TestPCAMemory(t *testing.T) {
	t.Parallel()
	const d, square = 3000, 8 * 3000 * 3000
	table := data(t, "h", 40, d)
	need := func(pairs ...string) Need { return build(t, replace(t, base, pairs...), table).Items[0].Need() }
	n := need()
	if n.Measure != 8*square || n.Kernel != 0 || n.Record != 0 {
		t.Errorf("a run needs %+v", n)
	}
	// The rank of MSG is at most the rank of its start plus the 20 training rows.
	capped := need("{id: msg,", "{id: capped-msg,").Algorithm
	if capped == 0 || capped >= n.Algorithm || n.Algorithm > square/10 {
		t.Errorf("capped MSG takes %d bytes, MSG %d", capped, n.Algorithm)
	}
	for entry, least := range map[string]int64{
		"{id: capped-msg, with: {raise-when-stuck: 5},": 3 * square,
		"{id: msg, with: {iterate: average},":           4 * square,
		"{id: warmuth-kuzmin,":                          3 * square,
	} {
		if got := need("{id: msg,", entry).Algorithm; got < least {
			t.Errorf("%s takes %d bytes", entry, got)
		}
	}
	for features, matrix := range map[int]bool{objective.WideDim: true, objective.WideDim + 1: false} {
		n := build(t, base, wideTable(t, objective.WideRows, features)).Items[0].Need()
		if matrix != (n.Measure >= 8*objective.WideDim*objective.WideDim) || n.Measure == 0 {
			t.Errorf("d = %d: %+v", features, n)
		}
	}
	for iterations, want := range map[string]int64{"1000000": 100000 * 20 * 48, "100": 0} {
		text := replace(t, base, "points: 10", "points: 100000", "iterations: 100", "iterations: "+iterations)
		if n := build(t, text, data(t, "h", 40, 5)).Items[0].Need(); n != (Need{Record: want}) {
			t.Errorf("100000 points of %s iterations need %+v", iterations, n)
		}
	}
}
