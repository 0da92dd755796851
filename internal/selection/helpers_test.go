package selection

import (
	"errors"
	"math"
	"math/rand/v2"
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

func limitedRun(i int, status, reason string) record.Run {
	r := testRun(i)
	r.Status, r.Reason = status, reason
	return r
}

func skippedRun(i int, reason string) record.Run {
	r := failedRun(i, reason)
	r.Status = record.StatusSkipped
	return r
}

// paperRun has the size of a run of the spec that mirrors fig-real: 200 points
// and three splits.
func paperRun(rng *rand.Rand, i int) record.Run {
	const points = 200
	r := testRun(i)
	iterations, ranks := make([]int64, points), make([]int64, points)
	r.Curve = record.Curve{
		Cost:    map[string][]int64{"iterations": iterations, "sum_kt2": ranks},
		Metrics: map[string]map[string][]float64{"state": {"rank": make([]float64, points), "orthonormality": make([]float64, points)}},
	}
	for _, split := range []string{"train", "validation", "test"} {
		r.Curve.Metrics[split] = map[string][]float64{"objective": make([]float64, points), "suboptimality": make([]float64, points)}
	}
	for p := range points {
		iterations[p] = int64(p*p + 1)
		ranks[p] = iterations[p] * int64(16+i%3)
		for split, metrics := range r.Curve.Metrics {
			for name := range metrics {
				metrics[name][p] = rng.Float64() * math.Ldexp(1, -p/8)
				if split == "state" {
					metrics[name][p] = 4
				}
			}
		}
	}
	return r
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }
