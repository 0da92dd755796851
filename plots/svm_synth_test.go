package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// svmSynth describes a synthetic run of the task svm. Its test error falls from start to floor along a power law, or in
// one step at plunge.
type svmSynth struct {
	series, dataset string
	repeat          int
	start, floor    float64
	rate            float64
	plunge          int64
	last            int64
	perStep         int64 // kernel evaluations and inner products per step
	reason          string
	subsample       bool
	params          record.Params
}

const svmRows = 1000

func (s svmSynth) run() (record.Run, record.Timing) {
	rng := rand.New(rand.NewPCG(uint64(s.repeat), uint64(len(s.series))))
	if s.last == 0 {
		s.last = 10 * svmRows
	}
	ts := logPoints(60, int(s.last))[1:]
	var test, norm []float64
	var kernel, inner []int64
	var seconds []float64
	for _, t := range ts {
		v := s.floor + (s.start-s.floor)*math.Pow(float64(t), -s.rate)
		if s.plunge > 0 {
			v = s.start
			if t >= s.plunge {
				v = s.floor
			}
		}
		test = append(test, v*(1+0.05*rng.Float64()))
		norm = append(norm, math.Sqrt(float64(t)))
		kernel, inner = append(kernel, t*s.perStep), append(inner, t*max(s.perStep, svmRows/2))
		seconds = append(seconds, float64(t)*1e-4*(1+0.1*float64(s.repeat)))
	}
	if s.params == nil {
		s.params = record.Params{"C": 1.0, "kernel": "gaussian", "sigma2": 10.0, "bias": false}
	}
	r := record.Run{
		Schema: record.Schema, Task: "svm", Dataset: s.dataset, Series: s.series, Algorithm: s.series, Version: 1,
		Params: s.params, Repeat: s.repeat, Status: record.StatusFinished, Reason: "budget of 10 iterations", Extent: "10000/log:60",
		Rows:  map[string]int64{"train": svmRows, "test": 500},
		Facts: map[string]float64{"C": 1, "lambda": 1.0 / svmRows, "nu": 0.0123, "R": 10},
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": ts, "kernel_evals": kernel, "kernel_evals_moved": kernel, "inner_products": inner},
			Metrics: map[string]map[string][]float64{
				"test": {"error": test, "hinge": test}, "train": {"error": test},
				"state": {"norm": norm, "support": norm},
			},
		},
	}
	if s.reason != "" {
		r.Reason = s.reason
	}
	if s.subsample {
		r.Rows["train_of"] = 32561
	}
	r.Key = record.Key(map[string]any{"d": s.dataset, "a": s.series, "r": s.repeat, "p": s.params})
	return r, record.Timing{StepSeconds: seconds[len(seconds)-1], Seconds: seconds, SetupSeconds: 0.25}
}

// svmInput returns the records of a comparison on two datasets.
func svmInput(repeats int) Input {
	in := Input{Catalog: listed}
	for _, data := range []string{"adult", "mnist-8"} {
		scale := map[string]float64{"adult": 0.15, "mnist-8": 0.005}[data]
		for _, s := range []svmSynth{
			{series: "sbp", rate: 0.5, perStep: svmRows},
			{series: "pegasos", rate: 0.35, perStep: svmRows},
			{series: "sdca", rate: 0.4, perStep: svmRows},
			{series: "smo", plunge: 2000, perStep: svmRows, last: 6000, reason: "converged: smo: the KKT conditions are violated by 0.0009 at most"},
			{series: "perceptron", rate: 0.5, perStep: 300, last: 100 * svmRows},
			{series: "rff", rate: 0.6, perStep: 0, last: 1024, reason: "converged: all 1024 pairs of features are in use"},
		} {
			for r := range repeats {
				s.dataset, s.repeat, s.start, s.floor, s.subsample = data, r, 0.5, scale, data == "adult"
				run, timing := s.run()
				in.Choice = selection.All(append(in.Choice.Runs(), run.WithTiming(timing)))
			}
		}
	}
	return in
}

// libsvmRun returns the record of a solver that is called once.
func libsvmRun(dataset string, seconds, err float64) (record.Run, record.Timing) {
	r, t := svmSynth{series: "libsvm", dataset: dataset, start: err, floor: err, last: 1, perStep: 0}.run()
	r.Curve.Metrics["test"]["error"] = []float64{err}
	r.Reason = "converged: svm-train stopped after 2842 iterations"
	t.StepSeconds, t.Seconds = seconds, []float64{seconds}
	return r, t
}

// waterRun returns a record of responses with their water level for ν = 0.02, or with a bias for two classes.
func waterRun(bias bool) record.Run {
	r, _ := svmSynth{series: "sbp", dataset: "adult", start: 0.5, floor: 0.15, rate: 0.5, perStep: svmRows}.run()
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(n int, mean float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = mean + 0.1*rng.NormFloat64()
		}
		slices.Sort(v)
		return v
	}
	positive, negative := draw(250, 0.05), draw(750, 0.15)
	r.Curve.Vectors = map[string][]float64{"responses_positive": positive, "responses_negative": negative}
	r.Facts["water_volume"] = 20
	b := 0.0
	if bias {
		b = 0.00397 // covers as many responses of both classes
		r.Facts["water_bias"] = b
	}
	all := slices.Concat(shift(positive, b), shift(negative, -b))
	r.Facts["water_gamma"] = levelOf(all, 20)
	return r
}

func shift(v []float64, by float64) []float64 {
	out := slices.Clone(v)
	for i := range out {
		out[i] += by
	}
	return out
}

// levelOf returns the level of a volume of water by bisection.
func levelOf(heights []float64, volume float64) float64 {
	lo, hi := slices.Min(heights), slices.Max(heights)+volume
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return hi
		}
		var v float64
		for _, h := range heights {
			if h < mid {
				v += mid - h
			}
		}
		if v < volume {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// functionRuns returns records of two losses as functions of z.
func functionRuns() []record.Run {
	var runs []record.Run
	for series, value := range map[string]func(z float64) float64{
		"hinge": func(z float64) float64 { return math.Max(0, 1-z) },
		"slant": func(z float64) float64 { return math.Max(0, 2-z) / 3 },
	} {
		r, _ := svmSynth{series: series, dataset: "functions", start: 0.5, floor: 0.1, rate: 0.5, perStep: 1}.run()
		r.Rows, r.Facts, r.Params = nil, nil, nil
		r.Key = fmt.Sprint("function ", series)
		var z, y []float64
		for i := range 401 {
			z = append(z, -2+float64(i)/100)
			y = append(y, value(z[i]))
		}
		r.Curve.Vectors = map[string][]float64{"z": z, "value": y}
		runs = append(runs, r)
	}
	return runs
}

// The figures of the chapters on SVMs, as specs describe them.
var (
	figKernel = Figure{
		ID: "fig-experiments", Title: "Test error against kernel evaluations",
		Panel: Panel{X: "kernel_evals", Y: "error", Log: []string{"x"}, Series: []string{"sbp", "pegasos", "sdca", "smo"}}, Facet: Facet{Cols: "dataset"},
	}
	figPerceptron = Figure{
		ID: "fig-experiments-perceptron", Title: "Test error against inner products",
		Panel: Panel{X: "inner_products", Y: "error", Log: []string{"x"}, Series: []string{"sbp", "perceptron"}, FirstEpoch: []string{"perceptron"}},
		Panels: []Panel{
			{Where: map[string]any{"dataset": "adult"}},
			{Where: map[string]any{"dataset": "mnist-8"}},
		},
	}
	figFourier = Figure{
		ID:    "fig-experiments-fourier",
		Panel: Panel{X: "inner_products", Y: "error", Log: []string{"x", "y"}, Series: []string{"sbp", "rff"}},
		Facet: Facet{Cols: "dataset"},
	}
	figSeconds = Figure{ID: "fig-seconds", Panel: Panel{X: "seconds", Y: "error", Log: []string{"x"}}, Facet: Facet{Rows: "dataset"}}
	figWater   = Figure{ID: "fig-water", Title: "Water", Panel: Panel{Draw: DrawWater}}
	figBias    = Figure{ID: "fig-bias", Title: "Two classes", Panel: Panel{Draw: DrawBias}}
	figLosses  = Figure{ID: "fig-01-hinge-bound", Title: "0/1, hinge and ψ", Panel: Panel{Draw: DrawFunction}}
)

// sparseSynth describes synthetic runs of the task svm-sparse. The test error falls from the error of guessing to floor
// as the support grows.
type sparseSynth struct {
	series string
	floor  float64 // relative to the reference
	decay  float64
	// least and most bound the support sizes.
	least, most float64
	// targets is the number of runs of a method that makes one classifier per run, else 0.
	targets int
	repeats int
}

var sparseMethods = []sparseSynth{
	{series: "sparsify-aggressive", floor: 1.01, decay: 1.1, least: 1, most: 3000},
	{series: "sparsify", floor: 1.02, decay: 0.9, least: 1, most: 4000},
	{series: "sparsify-smooth", floor: 1.03, decay: 0.85, least: 1, most: 2000},
	{series: "spsvm", floor: 1, decay: 1.15, least: 1, most: 1000, repeats: 3},
	{series: "cpsp", floor: 1.02, decay: 1.2, least: 2, most: 1024, targets: 10},
	{series: "forgetron", floor: 1.8, decay: 0.5, least: 16, most: 1024, targets: 7, repeats: 3},
	{series: "rbp", floor: 1.7, decay: 0.5, least: 16, most: 1024, targets: 7, repeats: 3},
	{series: "perceptron", floor: 1.5, decay: 0.5, least: 1, most: 6000, repeats: 3},
	{series: "sbp", floor: 1.05, decay: 0.55, least: 1, most: 7000, repeats: 3},
}

// sparseData holds the datasets of sparse classifiers.
var sparseData = []struct {
	name             string
	guess, reference float64
	support          float64
	standIn          bool
}{
	{"adult", 0.24, 0.148, 8000, false}, {"ijcnn", 0.095, 0.0105, 5000, false}, {"web", 0.03, 0.0105, 7000, false},
	{"timit", 0.12, 0.061, 9000, true}, {"forest", 0.49, 0.035, 60000, false},
}

const sparseTestRows = 2000

// runs returns the grid of a method on a dataset.
func (s sparseSynth) runs(data int) []record.Run {
	d := sparseData[data]
	rng := rand.New(rand.NewPCG(uint64(data), uint64(len(s.series))))
	// The rows ordered by difficulty, so that errors are correlated.
	hard := rng.Perm(sparseTestRows)
	one := func(name string, value float64, repeat int, support []float64, quality float64) record.Run {
		r := record.Run{
			Schema: record.Schema, Key: fmt.Sprint(d.name, s.series, name, value, repeat), Extent: "1000/log:60", Task: "svm-sparse",
			Dataset: d.name, DatasetHash: "hash of " + d.name, StandIn: d.standIn, Series: s.series, Algorithm: s.series, Version: 1,
			Params: record.Params{"kernel": "gaussian", "gamma": 0.1, "C": 1.0, name: value}, Repeat: repeat, Seed: 1,
			Status: record.StatusFinished, Reason: "budget",
			Rows:  map[string]int64{"train": 20000, "test": sparseTestRows},
			Facts: map[string]float64{"reference_error": d.reference, "reference_support": d.support, "reference_kernel_evals": 4e9},
		}
		var iterations, evals []int64
		var errors []float64
		for i, v := range support {
			want := d.reference*s.floor*quality + (d.guess-d.reference*s.floor)*math.Pow(v, -s.decay)
			want *= 1 + 0.03*rng.NormFloat64()/math.Sqrt(1+v/30)
			var set []int32
			for rank, row := range hard {
				draw, easier := rng.Float64(), float64(rank)-want*sparseTestRows
				if easier < -1000 || easier < 1000 && draw < 1/(1+math.Exp(easier/20)) {
					set = append(set, int32(row))
				}
			}
			slices.Sort(set)
			errors = append(errors, float64(len(set))/sparseTestRows)
			r.Curve.Mistakes = append(r.Curve.Mistakes, set)
			iterations = append(iterations, int64(i+1))
			evals = append(evals, int64(v)*20000)
		}
		r.Curve.Cost = map[string][]int64{"iterations": iterations, "kernel_evals": evals}
		r.Curve.Metrics = map[string]map[string][]float64{"test": {"error": errors}, "state": {"support": support}}
		return r
	}
	var runs []record.Run
	for repeat := range max(s.repeats, 1) {
		if s.targets > 0 {
			for k := range s.targets {
				v := math.Round(s.least * math.Pow(s.most/s.least, float64(k)/float64(s.targets-1)))
				runs = append(runs, one("basis", v, repeat, []float64{v}, 1))
			}
			continue
		}
		var support []float64
		for k := range 40 {
			v := math.Round(s.least * math.Pow(s.most/s.least, float64(k)/39))
			if len(support) == 0 || v > support[len(support)-1] {
				support = append(support, v)
			}
		}
		for k, eta := range []float64{0.25, 1, 4} {
			runs = append(runs, one("eta", eta, repeat, support, 1+0.05*math.Abs(float64(k)-1)))
		}
	}
	return runs
}

// sparseInput returns the records of a comparison on the first datasets.
func sparseInput(datasets int, methods ...sparseSynth) Input {
	if methods == nil {
		methods = sparseMethods
	}
	in := Input{Catalog: listed}
	for data := range datasets {
		for _, s := range methods {
			for _, r := range s.runs(data) {
				if s.series == "spsvm" && sparseData[data].name == "forest" {
					r.Status, r.Reason = record.StatusOutOfMemory, "would take 12 GB, limit 8 GB"
					r.Curve = record.Curve{}
				}
				if s.series == "cpsp" && sparseData[data].name == "forest" && r.Params["basis"].(float64) > 500 {
					r.Status, r.Reason = record.StatusOutOfTime, "600 s"
					r.Curve = record.Curve{}
				}
				seconds := make([]float64, r.Curve.Len())
				for i := range seconds {
					seconds[i] = 0.01 * float64(i+1)
				}
				in.Choice = selection.All(append(in.Choice.Runs(), r.WithTiming(record.Timing{StepSeconds: 0.5, Seconds: seconds, SetupSeconds: 90})))
			}
		}
	}
	in.Choice = chooseBySize(in.Choice.Runs(), 20, "eta", "basis")
	return in
}

func chooseBySize(runs []record.Run, count int, tune ...string) *selection.Choice {
	h, err := selection.Choose(runs, selection.Rule{By: selection.ByHalvings, Halvings: count, Seed: 1, Tune: tune, Sizes: []int{10, 30, 100, 300, 1000}})
	if err != nil {
		panic(err)
	}
	return h
}

var figTradeoff = Figure{
	ID: "fig-experiments-sparse", Title: "Test error against support size",
	Panel: Panel{Draw: DrawTradeoff}, Facet: Facet{Cols: "dataset", Wrap: 2},
}
