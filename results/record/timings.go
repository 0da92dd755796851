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
	t, _ := ts.Of(r)
	return along(r, t.Seconds)
}

// CPUSeconds returns what the algorithm had taken of the processor's time at each
// recorded point. ok is false if that was not recorded.
func (ts Timings) CPUSeconds(r Run) (seconds []float64, ok bool) {
	t, _ := ts.Of(r)
	return along(r, t.CPUSeconds)
}

func along(r Run, seconds []float64) ([]float64, bool) {
	if len(seconds) == 0 || len(seconds) != r.Curve.Len() {
		return nil, false
	}
	return seconds, true
}

// Timings returns the timings of the experiment's runs.
func (e *Experiment) Timings() Timings { return e.timings }
