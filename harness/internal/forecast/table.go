// Package forecast says how many seconds of the processors runs will take: their work, as
// package registry counts it, times what a unit of it has taken in the runs of a
// calibration, and what the runs of a plan that are over have taken beside what was
// forecast of them. It is the one definition of such forecasts.
package forecast

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
)

// Table is what a calibration has measured.
type Table struct {
	// Seconds are those of the processor that a unit of work takes, by its name.
	Seconds map[string]float64 `json:"seconds"`
	// Steps tells, by task and algorithm, after how many steps a method stops of itself, at
	// a pace of 1;
	// Recorded what share of the recorded points that a spec asks for its runs have.
	Steps    map[string]Law     `json:"steps"`
	Recorded map[string]float64 `json:"recorded"`
}

// Law is a power law in the number n of training points, Scale n^Power.
type Law struct {
	Scale float64 `json:"scale"`
	Power float64 `json:"power"`
}

func (l Law) at(n float64) float64 { return l.Scale * math.Pow(n, l.Power) }

//go:embed table.json
var measured []byte

// Measured returns the table that the program comes with.
var Measured = sync.OnceValue(func() *Table {
	t := new(Table)
	d := json.NewDecoder(bytes.NewReader(measured))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		panic(fmt.Errorf("table.json: %w", err))
	}
	return t
})

// nameOf is what the table calls an algorithm.
func nameOf(a *registry.Algorithm) string { return a.Task + "." + a.ID }

// of returns the seconds of work, added in one order.
func (t *Table) of(parts ...registry.Work) (seconds float64) {
	for _, w := range parts {
		for _, name := range slices.Sorted(maps.Keys(w)) {
			seconds += w[name] * t.Seconds[name]
		}
	}
	return seconds
}

// solver is the method whose steps say how hard a problem is: certified optima are found
// as it finds them.
const solver = registry.TaskSVM + ".smo"

// expect fills in of the size of a run what is not known before it.
func (t *Table) expect(it *plan.Item) registry.Size {
	s, a := it.Size(), it.Algorithm
	n, name := float64(s.Train), nameOf(a)
	s.Ascent = t.Steps[solver].at(n)
	if law, ok := t.Steps[name]; ok {
		s.Steps = min(s.Steps, law.at(n)*a.Pace(it.Params))
	}
	if share, ok := t.Recorded[name]; ok {
		s.Recorded *= share
	}
	return s
}
