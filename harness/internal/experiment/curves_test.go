package experiment

import (
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"
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
	b.Curve = Curve{Cost: map[string][]int64{"iterations": {7}, "kernel_evals": {9}}, Metrics: map[string]map[string][]float64{"test": {"m": {-1.5}}}}
	var out strings.Builder
	if err := WriteCurves(&out, "exp", []Run{a, failedRun(3, "boom"), b}); err != nil {
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

func TestCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, counter string
		iterations    []int64
		kernel, moved []int64
		want          bool
	}{
		{"counted", "kernel_evals", []int64{0, 5}, []int64{0, 10}, nil, true},
		{"never", "kernel_evals", []int64{0, 5}, []int64{0, 0}, nil, false},
		{"nothing to count yet", "kernel_evals", []int64{0}, []int64{0}, nil, true},
		{"absent", "kernel_evals", []int64{0, 5}, nil, nil, false},
		{"nothing moved", "kernel_evals_moved", []int64{0, 5}, []int64{0, 10}, []int64{0, 0}, true},
		{"nothing to move", "kernel_evals_moved", []int64{0, 5}, []int64{0, 0}, []int64{0, 0}, false},
	} {
		c := Curve{Cost: map[string][]int64{"iterations": tt.iterations}}
		if tt.kernel != nil {
			c.Cost["kernel_evals"] = tt.kernel
		}
		if tt.moved != nil {
			c.Cost["kernel_evals_moved"] = tt.moved
		}
		if got := c.Counts(tt.counter); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	run := testRun(0)
	run.Curve = Curve{Cost: map[string][]int64{"iterations": {1}, "kernel_evals": {0}}, Metrics: map[string]map[string][]float64{"test": {"error": {0.5}}}}
	var out strings.Builder
	if err := WriteCurves(&out, "exp", []Run{run}); err != nil || !strings.HasSuffix(out.String(), ",test,1,,error,0.5\n") {
		t.Errorf("got %s, %v", out.String(), err)
	}
}

func TestWriteCurvesErrors(t *testing.T) {
	t.Parallel()
	var runs []Run
	for i := range 200 {
		runs = append(runs, testRun(i))
	}
	wantError(t, WriteCurves(fullWriter{}, "exp", runs), "cannot write curves", "full")
	wantError(t, WriteCurves(fullWriter{}, "exp", runs[:1]), "cannot write curves", "full")
	runs[0].Curve.Metrics["test"]["suboptimality"] = []float64{1}
	wantError(t, WriteCurves(&strings.Builder{}, "exp", runs), runs[0].Name(), "1 points")
}

func TestWriteCurvesOfSupportSizes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := WriteCurves(&b, "e", []Run{sparseRun(), testRun(1)}); err != nil {
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
