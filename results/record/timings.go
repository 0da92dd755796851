package record

// timed is what is known of the timing of a run: where its line is, or all of it.
type timed struct {
	// step and eval are its StepSeconds and EvalSeconds.
	step, eval float64
	place
	whole *Timing
}

func timedOf(t Timing) timed { return timed{t.StepSeconds, t.EvalSeconds, place{}, &t} }

// timing returns all of it, which it reads if need be.
func (t timed) timing() Timing {
	if t.whole != nil {
		return *t.whole
	}
	t.file.note(keptAt{t.place, true})
	return readKept(keptAt{t.place, true}, func(object []byte) (Timing, error) {
		e, err := t.decode(object, func(e *entry) any { return &e.Timing })
		return e.Timing, err
	})
}

func (t Timing) bytes() int { return 300 + 8*(len(t.Seconds)+len(t.CPUSeconds)) }

// Timings finds the timings of runs. The zero value has none.
type Timings struct{ of *records }

// NewTimings returns the timings given. Of several of one run the last counts.
func NewTimings(timings ...Timing) Timings {
	ts := Timings{newRecords(len(timings))}
	for _, t := range timings {
		if old := ts.of.insert(record{&Run{Key: t.Key, Extent: t.Extent}, timedOf(t), true}); old != nil {
			old.timing = timedOf(t)
		}
	}
	return ts
}

// Of returns the timing of a run, if there is one.
func (ts Timings) Of(r Run) (Timing, bool) {
	t := ts.of.get(r.ref())
	if t == nil || !t.timed {
		return Timing{}, false
	}
	return t.timing.timing(), true
}

// Spent returns the seconds of a run's steps and evaluation, if it has a timing, which is
// not read for that.
func (ts Timings) Spent(r *Run) (step, eval float64, ok bool) {
	t := ts.of.get(r.ref())
	if t == nil || !t.timed {
		return 0, 0, false
	}
	return t.timing.step, t.timing.eval, true
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
	if len(seconds) == 0 || len(seconds) != r.Points() {
		return nil, false
	}
	return seconds, true
}

// Timings returns the timings of the experiment's runs.
func (e *Experiment) Timings() Timings { return e.timings }
