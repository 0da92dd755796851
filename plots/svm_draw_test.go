package plots

import (
	"math"
	"slices"
	"sync"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

var svmScenes = sync.OnceValue(func() map[string]scene {
	in := svmInput(3)
	one := svmInput(1)
	run, timing := libsvmRun("adult", 0.7, 0.149)
	one.Choice = selection.All(append(one.Choice.Runs(), run.Timed(timing)))
	return map[string]scene{
		"kernel":     newScene(figKernel, in),
		"perceptron": newScene(figPerceptron, in),
		"fourier":    newScene(figFourier, in),
		"seconds":    newScene(figSeconds, one),
		"water":      newScene(figWater, Input{Catalog: listed, Choice: selection.All([]record.Run{waterRun(false)})}),
		"bias":       newScene(figBias, Input{Catalog: listed, Choice: selection.All([]record.Run{waterRun(true)})}),
		"losses":     newScene(figLosses, Input{Catalog: listed, Choice: selection.All(functionRuns())}),
	}
})

func TestSVMFiguresAreSound(t *testing.T) {
	t.Parallel()
	for name, s := range svmScenes() {
		t.Run(name, func(t *testing.T) {
			checkLayout(t, must(t, s.chart))
		})
	}
}

func TestPercentTicks(t *testing.T) {
	t.Parallel()
	var labels []string
	for _, tk := range (ChartAxis{Min: 0, Max: 0.25, Percent: true}).Ticks() {
		labels = append(labels, string(tk.Label))
		if tk.Value < 0 || tk.Value > 0.25+1e-9 {
			t.Errorf("tick at %v", tk.Value)
		}
	}
	if want := []string{"0 %", "5 %", "10 %", "15 %", "20 %", "25 %"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
}

func TestErrorAxisEndsNearTheCurves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		curves [][]float64
		min    float64
		max    float64 // within 5 %
	}{
		{"low errors", [][]float64{{0.5, 0.004}, {0.5, 0.006}}, 0, 0.016},
		{"high errors", [][]float64{{0.5, 0.15}, {0.5, 0.16}}, 0.14, 0.25},
		{"one ends high", [][]float64{{0.5, 0.01}, {0.5, 0.2}}, 0, 0.2475},
		{"all fits", [][]float64{{0.1, 0.05}}, 0.048, 0.102},
		{"none", nil, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &pane{ChartPanel: &ChartPanel{}, spec: Panel{Y: yError}}
			for _, y := range c.curves {
				p.Curves = append(p.Curves, ChartCurve{Y: y})
			}
			s := yAxis([]*pane{p})
			if math.Abs(s.Max-c.max) > 0.05*c.max || math.Abs(s.Min-c.min) > 0.011 || !s.Percent {
				t.Errorf("got %+v", s)
			}
		})
	}
	p := &pane{ChartPanel: &ChartPanel{Curves: []ChartCurve{{Y: []float64{0.5, 0.001}}}}, spec: Panel{Y: yError, Log: []string{"y"}}}
	if s := yAxis([]*pane{p}); s.Max < 0.5 {
		t.Errorf("a logarithmic axis is cut: %+v", s)
	}
}

func TestFirstEpochIsSolid(t *testing.T) {
	t.Parallel()
	in := svmInput(2)
	_, files := drawn(t, figPerceptron, in, "svg")
	all := texts(t, files["svg"])
	if count(all, "Perceptron, after the first epoch") != 1 || count(all, "Perceptron") != 1 {
		t.Errorf("legend %q", all)
	}
	// 1000 iterations of 500 inner products each.
	cells, err := layOut(figPerceptron, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, cv := range filled(cells[0][0], varSeries).Curves {
		want, got := 0.0, 0.0
		if cv.series.series == "perceptron" {
			want = 500 * svmRows
		}
		if cv.Dashed != nil {
			got = *cv.Dashed
		}
		if math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s: the first epoch ends at %v, want %v", cv.series.series, got, want)
		}
	}
	for _, rows := range []int64{100 * svmRows, 1000 * svmRows} { // at the end of the runs, and beyond
		for i := range cells[0][0].runs {
			cells[0][0].runs[i].Rows = map[string]int64{"train": rows}
		}
		for _, cv := range filled(cells[0][0], varSeries).Curves {
			if cv.Dashed != nil {
				t.Errorf("with %d rows %s is dashed from %v", rows, cv.series.series, *cv.Dashed)
			}
		}
	}
}

func TestErrorsOfDataSetsHaveAxesOfTheirOwn(t *testing.T) {
	t.Parallel()
	cells, err := layOut(figKernel, svmInput(1))
	if err != nil {
		t.Fatal(err)
	}
	if cells[0][0].yKey() == cells[0][1].yKey() {
		t.Error("the errors on two data sets share an axis")
	}
	fig := figKernel
	fig.Y = "norm"
	if cells, _ = layOut(fig, svmInput(1)); cells[0][0].yKey() != cells[0][1].yKey() {
		t.Error("the norms in one row do not share an axis")
	}
	fig.Y, fig.Split = "error", "train"
	cells, _ = layOut(fig, svmInput(1))
	if got := cells[0][0].yLabel(); got != "Training error" {
		t.Errorf("label %q", got)
	}
}
