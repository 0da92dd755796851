package forecast

import (
	"math"
	"slices"

	"stochopt/harness/internal/plan"
)

// Held is a forecast held against records.
type Held struct {
	// Runs is the number of runs on record whose times are known.
	Runs int `json:"runs"`
	// Predicted and Measured are seconds of the processors, of all of them together.
	Predicted float64 `json:"predicted_cpu_seconds"`
	Measured  float64 `json:"measured_cpu_seconds"`
	// Rest are the same of all but the first tenth of the runs, predicted with what that
	// took, at least a run.
	RestPredicted float64 `json:"rest_predicted_cpu_seconds"`
	RestMeasured  float64 `json:"rest_measured_cpu_seconds"`
	// Parts are those of the series on the data sets, in plan order, and at last of what
	// their runs share.
	Parts []Part `json:"parts"`
	// Clock: some times were only measured by the clock on the wall.
	Clock bool `json:"wall_clock,omitempty"`
}

// Part is what was predicted and measured of a series on a data set, both without names of
// what runs share.
type Part struct {
	Dataset   string  `json:"dataset,omitempty"`
	Series    string  `json:"series,omitempty"`
	Runs      int     `json:"runs,omitempty"`
	Predicted float64 `json:"predicted_cpu_seconds"`
	Measured  float64 `json:"measured_cpu_seconds"`
}

// Moment is a time in seconds below which nobody waits.
const Moment = 0.01

// Within reports whether a prediction and a measurement differ by a factor of at most 2, or
// by less than a moment.
func Within(predicted, measured float64) bool {
	return math.Abs(predicted-measured) < Moment || predicted <= 2*measured && measured <= 2*predicted
}

// Check holds the forecast of a plan against the records of it. The first prediction knows
// none of them.
func Check(p *plan.Plan, e Records, table *Table) (h Held) {
	over := pasts(p.Items, e)
	h.Runs = len(over)
	items := make([]*plan.Item, len(over))
	measured := make([]float64, len(over))
	shares := newShared()
	for i, r := range over {
		items[i] = r.it
		measured[i] = r.own() + shares.setup(r)
		h.Clock = h.Clock || r.timing.RunCPUSeconds == 0
	}
	f := New(p.Items, table)
	for i, seconds := range f.Left(items, nil) {
		h.Predicted += seconds
		h.Measured += measured[i]
		h.part(over[i], f.Own(items[i]))
	}
	h.share()
	first := (len(over) + 9) / 10
	if first == len(over) {
		return h
	}
	for _, r := range over[:first] {
		f.learnPast(r)
	}
	rest := f.Left(items, items[:first])
	for i := first; i < len(over); i++ {
		h.RestPredicted += rest[i]
		h.RestMeasured += measured[i]
	}
	return h
}

// part counts the steps and measurements of a run.
func (h *Held) part(r past, predicted float64) {
	data, series := r.it.Problem.Entry.ID, r.it.Series
	i := slices.IndexFunc(h.Parts, func(p Part) bool { return p.Dataset == data && p.Series == series })
	if i < 0 {
		i = len(h.Parts)
		h.Parts = append(h.Parts, Part{Dataset: data, Series: series})
	}
	p := &h.Parts[i]
	p.Runs++
	p.Predicted += predicted
	p.Measured += r.own()
}

// share adds what is in no part.
func (h *Held) share() {
	rest := Part{Predicted: h.Predicted, Measured: h.Measured}
	for _, p := range h.Parts {
		rest.Predicted -= p.Predicted
		rest.Measured -= p.Measured
	}
	h.Parts = append(h.Parts, rest)
}
