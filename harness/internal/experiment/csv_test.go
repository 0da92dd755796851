package experiment

import (
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/record"
)

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteCurves(t *testing.T) {
	t.Parallel()
	a, b := testRun(0), testRun(1)
	a.Curve.Metrics = map[string]map[string][]float64{
		"test": {"suboptimality": {0.5, 1e-9, 0}, "objective": {1, 2, 3}}, "state": {"rank": {4, 4, 5}},
	}
	b.Dataset, b.Series, b.StandIn, b.Group = `a,"b"`, "two\nlines", true, ""
	b.Curve = record.Curve{Cost: map[string][]int64{"iterations": {7}, "kernel_evals": {9}}, Metrics: map[string]map[string][]float64{"test": {"m": {-1.5}}}}
	var out strings.Builder
	if err := WriteCurves(&out, "exp", []record.Run{a, failedRun(3, "boom"), b}); err != nil {
		t.Fatal(err)
	}
	want := `experiment,dataset,group,stand_in,series,algorithm,params,repeat,split,iterations,kernel_evals,sum_kt2,metric,value
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,state,1,,16,rank,4
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,state,10,,160,rank,4
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,state,100,,1600,rank,5
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,test,1,,16,objective,1
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,test,10,,160,objective,2
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,test,100,,1600,objective,3
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,test,1,,16,suboptimality,0.5
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,test,10,,160,suboptimality,1e-09
exp,gaussian,k=4,false,msg,msg,k=4;step.c=0.5,0,test,100,,1600,suboptimality,0
exp,"a,""b""",,true,"two
lines",msg,k=4;step.c=1,0,test,7,9,,m,-1.5
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last := rows[len(rows)-1]
	if v, err := strconv.ParseFloat(last[len(last)-1], 64); err != nil || v != -1.5 || last[1] != b.Dataset || last[4] != b.Series {
		t.Errorf("read back %q, %v", last, err)
	}
}

func TestWriteCurvesOfCounterThatIsZeroOnce(t *testing.T) {
	t.Parallel()
	run := testRun(0)
	run.Curve = record.Curve{Cost: map[string][]int64{"iterations": {1}, "kernel_evals": {0}}, Metrics: map[string]map[string][]float64{"test": {"error": {0.5}}}}
	var out strings.Builder
	if err := WriteCurves(&out, "exp", []record.Run{run}); err != nil || !strings.HasSuffix(out.String(), ",test,1,,error,0.5\n") {
		t.Errorf("got %s, %v", out.String(), err)
	}
}

func TestWriteCurvesErrors(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for i := range 200 {
		runs = append(runs, testRun(i))
	}
	wantError(t, WriteCurves(fullWriter{}, "exp", runs), "cannot write curves", "full")
	wantError(t, WriteCurves(fullWriter{}, "exp", runs[:1]), "cannot write curves", "full")
}

func TestWriteCurvesOfSupportSizes(t *testing.T) {
	t.Parallel()
	sparse := testRun(0)
	sparse.Task = record.TaskSparse
	sparse.Curve.Metrics = map[string]map[string][]float64{"test": {"error": {0.3, 0.1, 0}}, "state": {"support": {1, 2, 5}}}
	var b strings.Builder
	if err := WriteCurves(&b, "e", []record.Run{sparse, testRun(1)}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if want := ",split,iterations,sum_kt2,support_size,metric,value"; !strings.HasSuffix(lines[0], want) {
		t.Errorf("header %q", lines[0])
	}
	for i, want := range map[int]string{1: ",state,1,16,1,support,1", 6: ",test,100,1600,5,error,0", 7: ",state,1,16,,rank,4"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("row %d is %q, want %q at its end", i, lines[i], want)
		}
	}
}
