package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// sparseSynth describes synthetic runs of the task svm-sparse: the test error
// falls from that of guessing to floor as the support grows.
type sparseSynth struct {
	series string
	floor  float64 // relative to the reference
	decay  float64
	// least and most are the support sizes; a method that makes one classifier a
	// run makes one of each of so many targets.
	least, most float64
	targets     int
	repeats     int
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

// sparseData are what sparse classifiers are made on.
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

// sparseRuns makes the grid of a method on a dataset.
func (s sparseSynth) runs(data int) []record.Run {
	d := sparseData[data]
	rng := rand.New(rand.NewPCG(uint64(data), uint64(len(s.series))))
	// The rows in order of how hard they are, so that predictions go together.
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

// sparseInput makes the records of a comparison on so many data sets.
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
				in.Choice = selection.All(append(in.Choice.Runs(), r.Timed(record.Timing{StepSeconds: 0.5, Seconds: seconds, SetupSeconds: 90})))
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
