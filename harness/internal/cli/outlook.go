package cli

import (
	"slices"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/internal/whole"
)

// enough is how long the iterations of a run must have been watched before they
// say anything of the time of the others.
const enough = 2 * time.Second

// outlook tells how long the pending runs will take: what is forecast of them, which learns
// from those that are over, and of one that is well on its way what it has taken so far.
type outlook struct {
	forecast *forecast.Forecast
	// waiting are the runs that have not begun, begun the others.
	waiting, begun []*plan.Item
	flights        []*flight
}

// flight is a run in flight.
type flight struct {
	it         *plan.Item
	iterations *atomic.Int64
	begun      time.Time
	// from is the first count that was seen, at since.
	from  int64
	since time.Time
}

func newOutlook(pending []*plan.Item, f *forecast.Forecast) *outlook {
	return &outlook{waiting: slices.Clone(pending), forecast: f}
}

func (f *outlook) begin(it *plan.Item, iterations *atomic.Int64) {
	if i := slices.Index(f.waiting, it); i >= 0 {
		f.waiting = slices.Delete(f.waiting, i, i+1)
	}
	f.begun = append(f.begun, it)
	f.flights = append(f.flights, &flight{it: it, iterations: iterations, begun: time.Now()})
}

func (f *outlook) end(it *plan.Item) {
	i := slices.IndexFunc(f.flights, func(g *flight) bool { return g.it == it })
	if i < 0 {
		return
	}
	f.forecast.Learn(it, f.flights[i].elapsed())
	f.flights = slices.Delete(f.flights, i, i+1)
}

// elapsed returns the seconds since the iterations began, as far as that was
// seen: what comes before, such as a reference optimum, is done once for many.
func (g *flight) elapsed() float64 {
	if g.since.IsZero() {
		return time.Since(g.begun).Seconds()
	}
	return time.Since(g.since).Seconds()
}

// look takes note of the runs whose iterations have begun.
func (f *outlook) look() {
	for _, g := range f.flights {
		if n := g.iterations.Load(); n > 0 && g.since.IsZero() {
			g.from, g.since = n, time.Now()
		}
	}
}

// share returns how much of its budget a run has used.
func (g *flight) share() float64 {
	return min(float64(g.iterations.Load())/float64(g.it.Budget), 1)
}

// rest returns the seconds that the run still takes at the rate of its iterations so far, if
// that has been watched for long enough.
func (g *flight) rest() (seconds float64, ok bool) {
	n := g.iterations.Load() - g.from
	if g.since.IsZero() || g.elapsed() < enough.Seconds() || n <= 0 || !g.it.Steady() {
		return 0, false
	}
	return g.elapsed() / float64(n) * float64(max(g.it.Budget-g.from-n, 0)), true
}

// left says how long the runs will take that are not over, "" if there are none. Where it
// rests on the rate of runs in flight, which may stop of themselves before their budget, it
// is a bound.
func (f *outlook) left() string {
	if len(f.flights) == 0 {
		return ""
	}
	word := "about"
	var all, longest float64
	add := func(seconds float64) {
		all += seconds
		longest = max(longest, seconds)
	}
	for _, g := range f.flights {
		rest, ok := g.rest()
		if ok {
			word = "at most about"
		} else {
			rest = max(f.forecast.Own(g.it)-g.gone(), 0)
		}
		add(rest)
	}
	for _, seconds := range f.forecast.Left(f.waiting, f.begun) {
		add(seconds)
	}
	return word + " " + inWords(max(all/float64(len(f.flights)), longest)) + " left"
}

// gone returns the seconds since the iterations began, 0 if they have not.
func (g *flight) gone() float64 {
	if g.since.IsZero() {
		return 0
	}
	return g.elapsed()
}

// inWords is a time that is not known exactly.
func inWords(seconds float64) string {
	return whole.Seconds(max(seconds, 1)).Round(time.Second).String()
}
