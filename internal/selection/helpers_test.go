package selection

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// candidate returns a run with constant suboptimality on each split.
func candidate(series string, c float64, repeat int, score map[string]float64) record.Run {
	r := record.Run{
		Schema: record.Schema, Key: fmt.Sprint(series, " ", c, " ", repeat), Extent: "100/log:3", Task: record.TaskPCA,
		Dataset: "gaussian", Group: "k=4", DatasetHash: "abc", Series: series, Algorithm: "msg", Version: 1,
		Params: record.Params{"k": int64(4), "step.c": c},
		Repeat: repeat, Seed: 20130719, Status: record.StatusFinished, Reason: "budget",
		Curve: record.Curve{Cost: map[string][]int64{"iterations": {1, 10}}, Metrics: map[string]map[string][]float64{}},
	}
	for split, v := range score {
		r.Curve.Metrics[split] = map[string][]float64{"suboptimality": {v, v}}
	}
	return r
}

// unfinished returns a candidate with another status than finished.
func unfinished(series string, c float64, repeat int, status string) record.Run {
	r := candidate(series, c, repeat, nil)
	r.Status, r.Reason = status, "Inf, \"soon\""
	return r
}

func validation(v float64) map[string]float64 {
	return map[string]float64{"validation": v, "test": 0.5}
}

var byValidation = Rule{By: ByValidation, Metric: "suboptimality", Over: OverCurve, Tune: []string{"step.c"}}

func choose(t *testing.T, runs []record.Run, o Rule) *Choice {
	t.Helper()
	s, err := Choose(runs, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// written returns the choice as CSV.
func written(t *testing.T, s *Choice) string {
	t.Helper()
	var b strings.Builder
	if err := s.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var errFull = errors.New("full")

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errFull }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }
