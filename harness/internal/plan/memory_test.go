package plan

import (
	"math"
	"strings"
	"testing"

	"stochopt/datasets"
)

// wantShort wants one shortage, whose text holds want, or none.
func wantShort(t *testing.T, name string, short []error, want string) {
	t.Helper()
	switch {
	case want == "" && len(short) == 0:
	case want == "" || len(short) != 1 || !strings.Contains(short[0].Error(), want):
		t.Errorf("%s: short of memory:\n%v\nwant\n%s", name, short, want)
	}
}

// A run whose features have no room is found out before anything runs.
func TestFeaturesWithoutRoom(t *testing.T) {
	t.Parallel()
	const rff, points = "  - {id: rff, with: {pairs: 1024}}\n", 90
	const feature = 8*points + 24 // bytes of a pair
	for _, test := range []struct {
		name, old, new string
		memory         int64
		want           string
	}{
		{"alone", "  - {id: sbp}\n", rff, 1024 * feature, ""},
		{"too little", "  - {id: sbp}\n", rff, 1024*feature - 1,
			`s.yaml:11:5: algorithm "rff" on dataset "t" (s.yaml:9:5): pairs = 1024: the features of its 90 points take 744 KiB (761856 B), more than --memory 744 KiB has room for; lower pairs to 1023 or less, or give --memory 761856 or more`},
		{"beside rows", "  - {id: sbp}\n", "  - {id: sbp}\n" + rff, 1024*feature + 768, ""},
		{"too little beside rows", "  - {id: sbp}\n", "  - {id: sbp}\n" + rff, 1024*feature + 767,
			`s.yaml:12:5: algorithm "rff" on dataset "t" (s.yaml:9:5): pairs = 1024: the features of its 90 points take 744 KiB (761856 B), more than --memory 745 KiB has room for beside 768 B of kernel rows; lower pairs to 1023 or less, or give --memory 762624 or more`},
		{"the most of a grid", "  - {id: sbp}\n", "  - {id: rff, with: {pairs: [16, 2048]}}\n", 1024 * feature, "pairs = 2048: "},
		{"not one pair", "  - {id: sbp}\n", rff, 743, "; use fewer rows, or give --memory 761856 or more"},
		{"no features", "C: 1", "C: 1", 768, ""},
		{"no rows", "C: 1", "C: 1", 767, `s.yaml:9:5: dataset "t": two rows of the kernel matrix over its 90 points take 768 B (768 B), more than --memory 767 B has room for; give --memory 768 or more`},
	} {
		p := build(t, replace(t, svmBase, test.old, test.new), alternating(t, points, 30))
		short, _ := p.Shortages(p.Budget(test.memory, 0))
		wantShort(t, test.name, short, test.want)
	}
	// As many features as can be counted, on more points than there can be.
	p := build(t, replace(t, svmBase, "  - {id: sbp}\n", "  - {id: sbp}\n"+rff), alternating(t, points, 30))
	p.Problems[0].points = 1 << 59
	short, _ := p.Shortages(p.Budget(math.MaxInt64, 0))
	wantShort(t, "more than can be counted", short[:1], "points, laid out for kernel rows, take 8.0 EiB")
	wantShort(t, "more than can be counted", short[1:], "B of kernel rows; use fewer rows")
}

// What a run of PCA takes grows with the square of the dimension, and is known before it
// is allocated: from the data, and of generated data from the spec alone.
func TestPCAMemory(t *testing.T) {
	t.Parallel()
	const d, square = 3000, 8 * 3000 * 3000
	p := build(t, base, data(t, "h", 40, d))
	n := p.Need(p.Items[0])
	if n.Shared != 2*square || n.Making != 6*square || n.Rows != 0 || n.Curve != 0 {
		t.Errorf("a run needs %+v", n)
	}
	if n.Learner == 0 || n.Learner > square/10 {
		t.Errorf("MSG of rank 3 takes %d bytes", n.Learner)
	}
	if grown := p.NeedAt(p.Items[0], d); grown.Learner < 3*square {
		t.Errorf("MSG of rank d takes %d bytes", grown.Learner)
	}
	short, none := p.Shortages(p.Budget(n.All(), 0))
	if len(short) > 0 || none {
		t.Errorf("short of memory: %v", short)
	}
	short, none = p.Shortages(p.Budget(n.All()+10, 11))
	if !none {
		t.Error("some run fits")
	}
	wantShort(t, "moments", short, `s.yaml:10:5: dataset "t": the second moments of its 3000 features, on which runs are measured, with their optimum, take `)
	wantShort(t, "data", short, " has room for beside 11 B of data; use data of fewer features, or give --memory ")

	averaged := replace(t, base, "{id: msg,", "{id: msg, with: {iterate: average},", ", split: {train: 0.5, validation: 0.25, test: 0.25}", "")
	p = build(t, averaged, data(t, "h", 40, d))
	if got := p.Need(p.Items[0]).Learner; got < 4*square {
		t.Errorf("the average takes %d bytes", got)
	}
	p = build(t, replace(t, base, "{id: msg,", "{id: warmuth-kuzmin,"), data(t, "h", 40, d))
	short, _ = p.Shortages(p.Budget(12*square, 0))
	wantShort(t, "Warmuth & Kuzmin", short, `s.yaml:12:5: algorithm "warmuth-kuzmin" on dataset "t" (s.yaml:10:5): `)

	p = Outline(load(t, replace(t, base, "path: t.csv, format: csv, split: {train: 0.5, validation: 0.25, test: 0.25}",
		"source: simulated-gaussian, with: {dim: 30000, gap: 2}")))
	short, none = p.Shortages(p.Budget(1<<30, 0))
	wantShort(t, "before the data are opened", short, "s.yaml:10:5: ")
	if !none {
		t.Error("some run fits")
	}
}

func TestCurveMemory(t *testing.T) {
	t.Parallel()
	many := replace(t, base, "points: 10", "points: 100000", "iterations: 100", "iterations: 1000000")
	p := build(t, many, data(t, "h", 40, 5))
	short, _ := p.Shortages(p.Budget(1<<20, 0))
	wantShort(t, "points", short, `s.yaml:12:5: algorithm "msg" on dataset "t" (s.yaml:10:5): record.points = 100000: the record of a run takes `)
	wantShort(t, "points", short, "; lower record.points, or give --memory ")
	// There are no more points than iterations.
	p = build(t, replace(t, many, "iterations: 1000000", "iterations: 100"), data(t, "h", 40, 5))
	if n := p.Need(p.Items[0]); n != (Need{}) {
		t.Errorf("100 points need %+v", n)
	}
}

// Data are counted once, however many plans have them, and small ones not at all.
func TestDataBytes(t *testing.T) {
	t.Parallel()
	large, little := data(t, "h", 1000, 1000), data(t, "i", 10, 10)
	plans := []*Plan{build(t, base, large), build(t, base, large), build(t, base, little), {Problems: []*Problem{{Data: &datasets.Data{}}}}}
	if got := DataBytes(plans); got != 8*1000*1000 {
		t.Errorf("the data take %d bytes", got)
	}
}
