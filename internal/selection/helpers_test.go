package selection

import (
	"errors"
	"math"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// testRun returns a small valid run; everything in it follows from i.
func testRun(i int) record.Run {
	return record.Run{
		Schema: record.Schema, Key: record.Key(map[string]any{"run": i}), Extent: "100/log:3", Task: "pca",
		Dataset: "gaussian", Group: "k=4", DatasetHash: "abc", Series: "msg", Algorithm: "msg", Version: 1,
		Params: record.Params{"k": int64(4), "step.c": 0.5 * float64(i%4+1)},
		Repeat: i / 4, Seed: 20130719, Status: record.StatusFinished, Reason: "budget",
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 10, 100}, "sum_kt2": {16, int64(160 + i), int64(1600 + 2*i)}},
			Metrics: map[string]map[string][]float64{
				"test":  {"suboptimality": {0.5, 0.25, 0.1 / float64(i+1)}},
				"state": {"rank": {4, 4, 4}},
			},
		},
	}
}

func failedRun(i int, reason string) record.Run {
	r := testRun(i)
	r.Status, r.Reason = record.StatusFailed, reason
	r.Curve = record.Curve{}
	return r
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

func skippedRun(i int, reason string) record.Run {
	r := failedRun(i, reason)
	r.Status = record.StatusSkipped
	return r
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }
