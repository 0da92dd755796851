package record

import "fmt"

// WithTiming returns a copy of the run with a timing.
func (r Run) WithTiming(t Timing) Run {
	r.timing, r.step, r.eval = &t, t.StepSeconds, t.EvalSeconds
	return r
}

// Timing returns the timing of a run, if it has one. If reading fails, ok is false and Experiment.Err
// returns the error.
func (r *Run) Timing() (t Timing, ok bool) {
	if r.timing != nil {
		return *r.timing, true
	}
	if r.db == nil {
		return Timing{}, false
	}
	t, err := r.readTiming()
	if err != nil {
		r.db.fail(r, err)
		return Timing{}, false
	}
	return t, true
}

// readTiming reads the timing from the database.
func (r *Run) readTiming() (t Timing, err error) {
	text, err := r.db.value(r.db.times, "times", r.row)
	if err != nil {
		return t, err
	}
	if err := DecodeLine(text, &t); err != nil {
		return t, &DamageError{r.db.path, fmt.Sprintf("row %d of table times: %v", r.row, err)}
	}
	if t.StepSeconds != r.step || t.EvalSeconds != r.eval {
		return t, fmt.Errorf("results: %s changed during reading; repeat the command", r.db.path)
	}
	return t, nil
}

// Durations returns the seconds of a run's steps and measurements, without reading the full timing. ok is
// false if the run has no timing.
func (r *Run) Durations() (step, eval float64, ok bool) {
	return r.step, r.eval, r.db != nil || r.timing != nil
}

// Seconds returns the cumulative time of Step at each recorded point. ok is false if it was not recorded.
func (r *Run) Seconds() (seconds []float64, ok bool) {
	t, _ := r.Timing()
	return r.along(t.Seconds)
}

// CPUSeconds returns the cumulative CPU time of Step at each recorded point. ok is false if it was not
// recorded.
func (r *Run) CPUSeconds() (seconds []float64, ok bool) {
	t, _ := r.Timing()
	return r.along(t.CPUSeconds)
}

func (r *Run) along(seconds []float64) ([]float64, bool) {
	if len(seconds) == 0 || len(seconds) != r.Points() {
		return nil, false
	}
	return seconds, true
}
