package plots

import (
	"math"
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

func TestFirstEpochIsSolid(t *testing.T) {
	t.Parallel()
	in := svmInput(2)
	_, svg := drawn(t, figPerceptron, in)
	all := texts(t, svg)
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
