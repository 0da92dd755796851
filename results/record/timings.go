package record

// Timings finds the timings of runs. The zero value has none.
type Timings struct{ of map[ref]Timing }

// NewTimings returns the timings given. Of several of one run the last counts.
func NewTimings(timings ...Timing) Timings {
	ts := Timings{make(map[ref]Timing, len(timings))}
	for _, t := range timings {
		ts.of[t.ref()] = t
	}
	return ts
}

// Of returns the timing of a run, if there is one.
func (ts Timings) Of(r Run) (Timing, bool) {
	t, ok := ts.of[r.ref()]
	return t, ok
}

// Seconds returns the time that the run had spent in its algorithm at each
// recorded point. ok is false if that was not recorded.
func (ts Timings) Seconds(r Run) (seconds []float64, ok bool) {
	t, ok := ts.Of(r)
	if !ok || len(t.Seconds) == 0 || len(t.Seconds) != r.Curve.Len() {
		return nil, false
	}
	return t.Seconds, true
}

// Timings returns the timings of the experiment's runs.
func (e *Experiment) Timings() Timings { return e.timings }
