package record

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/internal/finite"
)

// testRun returns a small valid run; everything in it follows from i.
func testRun(i int) Run {
	return Run{
		Schema: Schema, Key: Key(map[string]any{"run": i}), Extent: "100/log:3", Task: "pca",
		Dataset: "gaussian", Group: "k=4", DatasetHash: "abc", Series: "msg", Algorithm: "msg", Version: 1,
		Params: Params{"k": int64(4), "step.c": 0.5 * float64(i%4+1)},
		Repeat: i / 4, Seed: 20130719, Status: StatusFinished, Reason: "budget",
		Curve: Curve{
			Cost: map[string][]int64{"iterations": {1, 10, 100}, "sum_kt2": {16, int64(160 + i), int64(1600 + 2*i)}},
			Metrics: map[string]map[string][]float64{
				"test":  {"suboptimality": {0.5, 0.25, 0.1 / float64(i+1)}},
				"state": {"rank": {4, 4, 4}},
			},
		},
	}
}

func testTiming(i int) Timing {
	return Timing{StepSeconds: float64(i) / 8, EvalSeconds: 0.25, Finished: "2013-07-19T00:00:00Z", Tool: "stochopt 1.2.3 <abc & def>"}
}

func failedRun(i int, reason string) Run {
	r := testRun(i)
	r.Status, r.Reason = StatusFailed, reason
	r.Curve = Curve{}
	return r
}

func planOf(indices ...int) []ID {
	var plan []ID
	for _, i := range indices {
		plan = append(plan, ID{Key: testRun(i).Key, Extent: testRun(i).Extent})
	}
	return plan
}

// lines returns what a file of records must hold.
func lines(t *testing.T, runs ...Run) string {
	t.Helper()
	var b strings.Builder
	for _, r := range runs {
		line, err := EncodeRun(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func journalLine(t *testing.T, r Run, timing Timing) string {
	t.Helper()
	timing.Key, timing.Extent = r.Key, r.Extent
	line, err := encodeEntry(r, timing)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// files lists a folder, without leases.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".lease" {
			names = append(names, e.Name())
		}
	}
	return names
}

func open(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func appendRuns(t *testing.T, s *Store, runs ...Run) {
	t.Helper()
	j, err := s.Writer()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range runs {
		if err := j.Append(r, testTiming(i)); err != nil {
			t.Fatal(err)
		}
	}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q lacks %q", err, p)
		}
	}
}

func wantWarning(t *testing.T, warnings []string, parts ...string) {
	t.Helper()
	for _, w := range warnings {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(w, p)
		}
		if all {
			return
		}
	}
	t.Errorf("warnings %q lack one with %q", warnings, parts)
}

// whole returns runs with their curves.
func whole(runs []Run) (out []Run) {
	for _, r := range runs {
		out = append(out, r.whole())
	}
	return out
}

// randomRun draws a valid run with hostile content.
func randomRun(rng *rand.Rand) Run {
	r := testRun(rng.IntN(1000))
	texts := []string{"", "<b>&amp;</b>", "a\nb", "é\u2028", "\x00\x1f", `"\`, "a=1;b=2", "\ufffd"}
	text := func() string { return texts[rng.IntN(len(texts))] }
	r.Reason = text() + "r"
	if rng.IntN(4) == 0 {
		r.Reason = "bad bytes \xff\xfe"
	}
	r.Group, r.Dataset, r.Series = text(), "d"+text(), "s"+text()
	r.StandIn = rng.IntN(2) == 0
	r.Seed = rng.Uint64()
	r.Params = Params{}
	for i := range rng.IntN(6) {
		name := fmt.Sprintf("p%d%s", i, text())
		switch rng.IntN(6) {
		case 0:
			r.Params[name] = rng.IntN(2) == 0
		case 1:
			r.Params[name] = int64(rng.Uint64())
		case 2:
			r.Params[name] = randomFloat(rng)
		case 3:
			r.Params[name] = float64(rng.IntN(100))
		case 4:
			r.Params[name] = float64(rng.Uint64())
		case 5:
			r.Params[name] = text()
		}
	}
	if rng.IntN(2) == 0 {
		r.Rows = map[string]int64{"train" + text(): rng.Int64N(100), "test": rng.Int64N(100)}
		r.Facts = map[string]float64{"f" + text(): randomFloat(rng)}
	}
	n := rng.IntN(5)
	iterations := make([]int64, n)
	values := make([]float64, n)
	for i := range n {
		iterations[i] = int64(i * i)
		values[i] = randomFloat(rng)
	}
	r.Curve = Curve{
		Cost:    map[string][]int64{"iterations": iterations},
		Metrics: map[string]map[string][]float64{"test": {"m": values, "<m>": values}},
	}
	if rng.IntN(2) == 0 {
		r.Curve.Vectors = map[string][]float64{"v" + text(): values, "none": nil}
	}
	switch rng.IntN(3) {
	case 0:
		r.Curve = Curve{}
	case 1:
		for i := range n {
			r.Curve.Spectrum = append(r.Curve.Spectrum, []float64{1, 0.5}[:i%3%2+1])
		}
		if n > 0 {
			r.Curve.Spectrum[n-1] = nil
		}
	}
	return r
}

// randomFloat draws from all finite floats.
func randomFloat(rng *rand.Rand) float64 {
	for {
		if v := floatFromBits(rng.Uint64()); finite.Is(v) {
			return v
		}
	}
}
