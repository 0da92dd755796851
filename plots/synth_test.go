package plots

import (
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/internal/record"
)

// synth describes a synthetic run.
type synth struct {
	series, algorithm string
	dataset, group    string
	params            record.Params
	repeat            int
	split             string
	rate, floor, rank float64
	points, last      int
	spectrum          bool
	standIn           bool
}

// logPoints returns 0 and at most n log-spaced integers up to last.
func logPoints(n, last int) []int64 {
	ts := []int64{0}
	for i := range n {
		t := int64(math.Round(math.Pow(float64(last), float64(i)/float64(max(n-1, 1)))))
		if t > ts[len(ts)-1] {
			ts = append(ts, t)
		}
	}
	return ts
}

// run returns a record: the suboptimality falls like t^-rate down to floor; the rank rises, then falls to a constant.
func (s synth) run() record.Run {
	if s.points == 0 {
		s.points = 120
	}
	if s.last == 0 {
		s.last = 10000
	}
	if s.algorithm == "" {
		s.algorithm = s.series
	}
	if s.split == "" {
		s.split = "test"
	}
	rng := rand.New(rand.NewPCG(uint64(s.repeat), uint64(len(s.series)+31*len(s.dataset))))
	ts := logPoints(s.points, s.last)
	var sub, rank []float64
	var kt2 []int64
	var spectrum [][]float64
	var sum float64
	for i, t := range ts {
		f := 0.5*math.Pow(1+float64(t)/10, -s.rate)*(1+0.25*rng.Float64()) + s.floor
		sub = append(sub, f)
		u := float64(t) / float64(s.last)
		r := math.Round(s.rank * (1 + 2*math.Exp(-8*u)*math.Min(1, float64(t)/30)) * (0.9 + 0.2*rng.Float64()))
		rank = append(rank, r)
		if i > 0 {
			sum += r * r * float64(t-ts[i-1])
		}
		kt2 = append(kt2, int64(sum))
		if !s.spectrum {
			continue
		}
		var ev []float64
		for j := range int(r) {
			ev = append(ev, math.Max(0.01, math.Min(1, 1.2*math.Exp(-float64(j)/(0.5+s.rank/2)*(0.2+u)))))
		}
		spectrum = append(spectrum, ev)
	}
	r := record.Run{
		Schema: record.Schema, Task: "pca", Dataset: s.dataset, Group: s.group, StandIn: s.standIn,
		Series: s.series, Algorithm: s.algorithm, Version: 1, Params: s.params, Repeat: s.repeat,
		Status: record.StatusFinished, Extent: fmt.Sprintf("%d/log:%d", s.last, s.points),
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": ts, "sum_kt2": kt2},
			Metrics: map[string]map[string][]float64{
				s.split: {"suboptimality": sub},
				"state": {"rank": rank},
			},
			Spectrum: spectrum,
		},
	}
	r.Key = record.Key(map[string]any{"d": s.dataset, "a": s.series, "p": s.params, "r": s.repeat})
	return r
}

var synthAlgorithms = []struct {
	id          string
	rate, floor float64
	rank        float64
}{
	{"incremental", 0.9, 0.003, 0}, {"msg", 0.85, 1e-5, 5}, {"capped-msg", 0.8, 1e-5, 1},
	{"warmuth-kuzmin", 0.5, 1e-4, 8}, {"grouse", 0.6, 1e-4, 0}, {"power", 0.55, 1e-4, 0}, {"saa", 1, 0, 0},
}

// simulated returns the records of the figures on simulated data.
func simulated(repeats int) []record.Run {
	var runs []record.Run
	for _, g := range []string{"Gaussian", "Orthogonal"} {
		for _, k := range []int64{1, 2, 4} {
			for _, a := range synthAlgorithms {
				for r := range repeats {
					runs = append(runs, synth{
						series: a.id, dataset: fmt.Sprintf("%s-k%d", g, k), group: g, repeat: r, split: "population",
						params: record.Params{"k": k, "step.c": 0.25 * float64(k)},
						rate:   a.rate, floor: a.floor / float64(k), rank: a.rank + float64(k), spectrum: a.id == "msg",
					}.run())
				}
			}
		}
	}
	return runs
}

// realData returns the records of the figure on MNIST.
func realData(repeats int, standIn bool) []record.Run {
	var runs []record.Run
	for _, k := range []int64{1, 4, 8} {
		for _, a := range synthAlgorithms {
			for r := range repeats {
				runs = append(runs, synth{
					series: a.id, dataset: "mnist", repeat: r, standIn: standIn, last: 28000,
					params: record.Params{"k": k, "step.c": 0.25}, rate: a.rate, floor: a.floor, rank: a.rank + float64(k),
				}.run())
			}
		}
	}
	return runs
}

// efficiency returns the records of the figure on Warmuth & Kuzmin's algorithm.
func efficiency(repeats int, standIn bool) []record.Run {
	var runs []record.Run
	for _, start := range []string{"uniform", "random-low-rank"} {
		for _, k := range []int64{1, 2, 4, 8, 16, 32} {
			for r := range repeats {
				runs = append(runs, synth{
					series: "warmuth-kuzmin", dataset: "adult", repeat: r, standIn: standIn,
					params: record.Params{"k": k, "start": start}, rank: float64(k) + 2,
				}.run())
			}
		}
	}
	return runs
}

// The figures of the thesis, as specs describe them.
var (
	figEfficiency = Figure{
		ID: "fig-efficiency", Title: "Warmuth & Kuzmin's algorithm: eigenvalues that are not capped",
		Panel: Panel{X: "iterations", Y: "rank"}, Facet: Facet{Cols: "start"},
	}
	figIterations = Figure{
		ID: "fig-simulated-iterations", Title: "Simulated data: suboptimality against iterations",
		Panel: Panel{X: "iterations", Y: "suboptimality", Log: []string{"x", "y"}}, Facet: Facet{Rows: "k", Cols: "group"},
	}
	figRuntime = Figure{
		ID: "fig-simulated-runtime", Title: "Simulated data, k = 4: ranks, eigenvalues and estimated runtime",
		Panel: Panel{Where: map[string]any{"k": 4}}, Facet: Facet{Cols: "group"},
		Panels: []Panel{
			{Y: "rank", Series: []string{"msg"}},
			{Y: "spectrum", Series: []string{"msg"}},
			{X: "sum_kt2", Log: []string{"x", "y"}},
		},
	}
	figReal = Figure{
		ID: "fig-real", Title: "MNIST: suboptimality against iterations and estimated runtime",
		Panel: Panel{Log: []string{"x", "y"}}, Facet: Facet{Rows: "k"},
		Panels: []Panel{{X: "iterations"}, {X: "sum_kt2"}},
	}
)
