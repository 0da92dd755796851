package experiment

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/record"
)

func TestWriteCSV(t *testing.T) {
	t.Parallel()
	a, b := testRun(0), testRun(1)
	a.Curve.Metrics = map[string]map[string][]float64{
		"test": {"suboptimality": {0.5, 1e-9, 0}}, "state": {"rank": {4, 4, 5}},
	}
	b.Dataset, b.Series, b.StandIn, b.Group = `a,"b"`, "two\nlines", true, ""
	b.External = &record.External{Declared: []string{"iterations", "ops"}}
	b.Curve = record.Curve{Cost: map[string][]int64{"iterations": {7}, "kernel_evals": {0}}, Metrics: map[string]map[string][]float64{"test": {"m": {-1.5}}}}
	const want = `experiment,dataset,group,stand_in,series,algorithm,k,step.c,repetition,seed,status,point,iterations,kernel_evals,sum_kt2,state.rank,test.m,test.suboptimality,declared
exp,gaussian,k=4,false,msg,msg,4,0.5,0,SEED,finished,0,1,,16,4,,0.5,
exp,gaussian,k=4,false,msg,msg,4,0.5,0,SEED,finished,1,10,,160,4,,1e-09,
exp,gaussian,k=4,false,msg,msg,4,0.5,0,SEED,finished,2,100,,1600,5,,0,
exp,"a,""b""",,true,"two
lines",msg,4,1,0,SEED,finished,0,7,,,,-1.5,,iterations;ops
`
	var out strings.Builder
	if err := WriteCSV(&out, "exp", &record.Experiment{}, []record.Run{a, failedRun(3, "boom"), b}, false); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(out.String(), strconv.FormatUint(a.Seed, 10)+",finished", "SEED,finished"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll(); err != nil || rows[4][1] != b.Dataset || rows[4][4] != b.Series {
		t.Errorf("read back %q, %v", rows, err)
	}
	full := errors.New("full")
	r, w := io.Pipe()
	r.CloseWithError(full)
	if err := WriteCSV(w, "exp", &record.Experiment{}, []record.Run{a}, true); !errors.Is(err, full) {
		t.Errorf("the error is %v", err)
	}
}
