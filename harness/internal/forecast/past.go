package forecast

import (
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/results/record"
)

// Records are those of runs, with their times.
type Records struct {
	Runs    []record.Run
	Timings record.Timings
}

// RecordsOf returns those of an experiment.
func RecordsOf(e *record.Experiment) Records { return Records{e.Runs, e.Timings()} }

// past is a run of a plan that is on record with its times.
type past struct {
	it     *plan.Item
	run    *record.Run
	timing record.Timing
}

// pasts returns those of some runs that are over, in the same order.
func pasts(items []*plan.Item, e Records) (out []past) {
	runs := make(map[[2]string]*record.Run, len(e.Runs))
	for i := range e.Runs {
		r := &e.Runs[i]
		runs[[2]string{r.Key, r.Extent}] = r
	}
	for _, it := range items {
		r, ok := runs[[2]string{it.ID.Key, it.ID.Extent}]
		if !ok || r.Points() == 0 {
			continue
		}
		if t, ok := e.Timings.Of(*r); ok {
			out = append(out, past{it, r, t})
		}
	}
	return out
}

// own are the seconds that the run itself took: of the processors, or by the clock where
// nothing else is known.
func (r past) own() float64 {
	if r.timing.RunCPUSeconds > 0 {
		return r.timing.RunCPUSeconds
	}
	return r.steps() + r.timing.EvalSeconds
}

// steps are those of its steps.
func (r past) steps() float64 {
	if n := len(r.timing.CPUSeconds); n > 0 {
		return r.timing.CPUSeconds[n-1]
	}
	wall := r.timing.StepSeconds + r.timing.EvalSeconds
	if r.timing.RunCPUSeconds > 0 && wall > 0 {
		return r.timing.RunCPUSeconds * r.timing.StepSeconds / wall
	}
	return r.timing.StepSeconds
}

// took is how many steps the run took.
func (r past) took() float64 {
	column := r.run.Measured().Cost[record.CostIterations]
	return float64(column[len(column)-1])
}

// size is what its work depended on, as it came out.
func (r past) size(t *Table) registry.Size {
	s := t.expect(r.it)
	s.Steps, s.Recorded = r.took(), float64(r.run.Points())
	return s
}

// LearnFrom takes in those of some runs that are on record.
func (f *Forecast) LearnFrom(items []*plan.Item, e Records) {
	for _, r := range pasts(items, e) {
		f.learnPast(r)
	}
}

func (f *Forecast) learnPast(r past) {
	rows := 0.0
	if !r.it.Problem.Spec.Record.Alone {
		rows = f.table.of(registry.KernelWork(float64(r.timing.KernelEvalsComputed), r.it.Size()))
	}
	f.learn(r.it, r.own(), rows)
}

// shared counts once what runs share.
type shared map[any]bool

func newShared() shared { return make(shared) }

// setup are the seconds of the preparations that a run made. Where the processors' are not
// known, the clock's, which count what is shared in every run that needs it, do so in the
// first only.
func (s shared) setup(r past) float64 {
	if r.timing.RunCPUSeconds > 0 {
		return r.timing.SetupCPUSeconds
	}
	key := run.ShareKey(r.it)
	if s[key] {
		return 0
	}
	s[key] = true
	return r.timing.SetupSeconds
}
