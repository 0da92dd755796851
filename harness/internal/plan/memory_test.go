package plan

import (
	"errors"
	"strings"
	"testing"

	"stochopt/datasets"
)

// What fits is found out before anything runs, and an error says what would fit.
func TestFits(t *testing.T) {
	t.Parallel()
	const rff, pair, rows = "  - {id: rff, with: {pairs: 1024}}\n", 8*90 + 24, 2 * 4 * 96
	features := build(t, replace(t, svmBase, "  - {id: sbp}\n", rff), alternating(t, 90, 30)).Items[0]
	kernel := build(t, svmBase, alternating(t, 90, 30)).Items[0]
	if n := features.Need(); n != (Need{Algorithm: 1024 * pair}) {
		t.Errorf("features need %+v", n)
	}
	if n := kernel.Need(); n != (Need{Kernel: rows}) {
		t.Errorf("a kernel method needs %+v", n)
	}
	for _, test := range []struct {
		it           *Item
		memory, data int64
		fits         bool
	}{
		{features, 1024 * pair, 0, true}, {features, 1024*pair - 1, 0, false}, {features, 1024*pair + 9, 9, true}, {features, 1024*pair + 9, 10, false},
		{kernel, rows, 0, true}, {kernel, rows - 1, 0, false},
	} {
		err := test.it.Fits(test.memory, test.data)
		if (err == nil) != test.fits {
			t.Errorf("%s in %d bytes with %d of data: %v", test.it.Series, test.memory, test.data, err)
		}
		var located *Error
		if err != nil && (!errors.As(err, &located) || located.Pos.Line != 11 || !strings.Contains(err.Error(), "or give --memory 1MiB or more")) {
			t.Errorf("error %v", err)
		}
	}
	// More points than there can be.
	features.Problem.points = 1 << 59
	if err := features.Fits(1<<61, 1<<40); err == nil {
		t.Error("1 << 59 points fit")
	}
}

// A shortage is reported once for an algorithm on a dataset, whatever its settings and repeats.
func TestShortages(t *testing.T) {
	t.Parallel()
	text := replace(t, svmBase, "  - {id: sbp}\n", "  - {id: sbp}\n  - {id: rff, with: {pairs: [16, 1024, 2048]}}\n")
	p := build(t, text, alternating(t, 90, 30))
	for memory, want := range map[int64]int{767: 2, 768: 1, 1 << 20: 1, 1 << 30: 0} {
		if short := p.Shortages(memory, 0); len(short) != want {
			t.Errorf("%d bytes: %v", memory, short)
		}
	}
}

// What a run of PCA takes grows with the square of the dimension, and is known before it
// is allocated: from the data, and of generated data from the spec alone.
func TestPCAMemory(t *testing.T) {
	t.Parallel()
	const d, square = 3000, 8 * 3000 * 3000
	need := func(pairs ...string) Need {
		return build(t, replace(t, base, pairs...), data(t, "h", 40, d)).Items[0].Need()
	}
	n := need()
	if n.Measure != 8*square || n.Kernel != 0 || n.Record != 0 {
		t.Errorf("a run needs %+v", n)
	}
	// The rank is at most that of the start and of the 20 training rows.
	if n.Algorithm == 0 || n.Algorithm > square/10 {
		t.Errorf("MSG takes %d bytes", n.Algorithm)
	}
	capped := need("{id: msg,", "{id: capped-msg,").Algorithm
	if capped == 0 || capped >= n.Algorithm {
		t.Errorf("capped MSG takes %d bytes, MSG %d", capped, n.Algorithm)
	}
	if got := need("{id: msg,", "{id: capped-msg, with: {raise-when-stuck: 5},").Algorithm; got < 3*square {
		t.Errorf("capped MSG whose cap rises takes %d bytes", got)
	}
	if got := need("{id: msg,", "{id: msg, with: {iterate: average},").Algorithm; got < 4*square {
		t.Errorf("the average takes %d bytes", got)
	}
	if got := need("{id: msg,", "{id: warmuth-kuzmin,").Algorithm; got < 3*square {
		t.Errorf("Warmuth & Kuzmin's algorithm takes %d bytes", got)
	}
	p := Outline(load(t, replace(t, base, "path: t.csv, format: csv, split: {train: 0.5, validation: 0.25, test: 0.25}",
		"source: simulated-gaussian, with: {dim: 30000, gap: 2}")))
	if short := p.Shortages(1<<30, 0); len(short) != 1 || !strings.HasPrefix(short[0].Error(), "s.yaml:12:5: ") {
		t.Errorf("before the data are opened: %v", short)
	}
}

func TestRecordMemory(t *testing.T) {
	t.Parallel()
	many := replace(t, base, "points: 10", "points: 100000", "iterations: 100", "iterations: 1000000")
	p := build(t, many, data(t, "h", 40, 5))
	if n := p.Items[0].Need(); n != (Need{Record: 100000 * 20 * 48}) {
		t.Errorf("100000 points need %+v", n)
	}
	// There are no more points than iterations.
	p = build(t, replace(t, many, "iterations: 1000000", "iterations: 100"), data(t, "h", 40, 5))
	if n := p.Items[0].Need(); n != (Need{}) {
		t.Errorf("100 points need %+v", n)
	}
}

// Large data are counted, small ones not.
func TestDataBytes(t *testing.T) {
	t.Parallel()
	large, little := data(t, "h", 1000, 1000), data(t, "i", 10, 10)
	for data, want := range map[*datasets.Data]int64{large: 8 * 1000 * 1000, little: 0} {
		if got := build(t, base, data).DataBytes(); got != want {
			t.Errorf("the data take %d bytes, want %d", got, want)
		}
	}
}
