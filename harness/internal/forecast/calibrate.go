package forecast

import (
	"math"
	"slices"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
)

// Sample is a plan with records of it.
type Sample struct {
	Plan *plan.Plan
	Records
}

// Calibrate measures a table by samples of which times of the processors are on record.
func Calibrate(samples []Sample) *Table {
	t := &Table{Seconds: make(map[string]float64), Steps: make(map[string]Law), Recorded: make(map[string]float64)}
	t.fitLengths(samples)
	var equations []equation
	for _, s := range samples {
		equations = append(equations, t.equations(s)...)
	}
	t.Seconds = solve(equations)
	return t
}

// equation says that work took so many seconds.
type equation struct {
	work    registry.Work
	seconds float64
}

func (e *equation) add(work registry.Work, seconds float64) {
	if e.work == nil {
		e.work = registry.Work{}
	}
	e.work.Add(work)
	e.seconds += seconds
}

// equations are those of the steps and of the measurements of the runs that differ in the
// repeat only, and of the preparations and of all else of the runs that share their data. Which run computes
// a kernel row that others read as well depends on the order: such runs count together
// only.
func (t *Table) equations(s Sample) (out []equation) {
	type part struct {
		level
		measuring bool
	}
	own, shares, setups := make(map[any]*equation), make(map[any]*equation), make(map[any]*equation)
	var order []*equation
	at := func(all map[any]*equation, key any) *equation {
		if all[key] == nil {
			all[key] = new(equation)
			order = append(order, all[key])
		}
		return all[key]
	}
	alone := s.Plan.Spec.Record.Alone
	for _, r := range pasts(s.Plan.Items, s.Records) {
		size := r.size(t)
		steps, measuring := r.it.Algorithm.Work(r.it.Params, size)
		computed := float64(r.timing.KernelEvalsComputed)
		if alone && !r.it.Algorithm.External() {
			steps.Add(registry.KernelWork(computed, size))
			computed = 0
		}
		cell, stepped := levels(r.it)[0], r.steps()
		switch {
		case computed == 0 || r.it.Algorithm.External():
			at(own, part{cell, false}).add(steps, stepped)
			at(own, part{cell, true}).add(measuring, max(r.own()-stepped, 0))
		case r.timing.SetupCPUSeconds < r.own()/4:
			// No rows but its own.
			e := at(own, part{cell, false})
			e.add(steps, r.own())
			e.add(measuring, 0)
			e.add(registry.KernelWork(computed, size), 0)
		}
		key := run.ShareKey(r.it)
		at(setups, key).add(nil, r.timing.SetupCPUSeconds)
		together := at(shares, key)
		together.add(steps, r.own())
		together.add(measuring, 0)
	}
	for key, w := range sharedWorks(s.Plan.Items, t) {
		if e := setups[key]; e != nil {
			e.add(w.setup, 0)
			e.add(w.optima, 0)
			shares[key].add(w.rows, 0)
		}
	}
	for _, e := range order {
		out = append(out, *e)
	}
	return out
}

// fitLengths tells after how many steps methods stop, and how many points are recorded.
func (t *Table) fitLengths(samples []Sample) {
	type ended struct{ n, steps []float64 }
	stops := make(map[string]*ended)
	early := make(map[string]int)
	shares := make(map[string][]float64)
	for _, s := range samples {
		for _, r := range pasts(s.Plan.Items, s.Records) {
			size := r.it.Size()
			name := nameOf(r.it.Algorithm)
			shares[name] = append(shares[name], float64(r.run.Points())/size.Recorded)
			if size.Train == 0 || r.it.Algorithm.Task == registry.TaskPCA {
				continue
			}
			if stops[name] == nil {
				stops[name] = new(ended)
			}
			stops[name].n = append(stops[name].n, math.Log(float64(size.Train)))
			stops[name].steps = append(stops[name].steps, math.Log(r.took()/r.it.Algorithm.Pace(r.it.Params)))
			if r.took() < size.Steps {
				early[name]++
			}
		}
	}
	for name, of := range shares {
		sum := 0.0
		for _, v := range of {
			sum += v
		}
		t.Recorded[name] = rounded(sum / float64(len(of)))
	}
	for name, of := range stops {
		if 2*early[name] > len(of.n) {
			t.Steps[name] = lawOf(of.n, of.steps)
		}
	}
}

// lawOf fits a power law to logarithms. What grows faster than with the square, or falls, is
// taken for noise.
func lawOf(x, y []float64) Law {
	var mx, my, xx, xy float64
	n := float64(len(x))
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	power := 0.0
	if xx > 0 {
		power = min(max(xy/xx, 0), 2)
	}
	power = rounded(power)
	return Law{rounded(math.Exp(my - power*mx)), power}
}

// rounded keeps three digits.
func rounded(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// least is what a time is known to, in seconds.
const least = 2e-4

// solve returns the seconds of each unit of work, none below zero. It minimises the squares
// of errors relative to the geometric mean of what was measured and what is predicted, so
// that half and twice are as wrong, by least squares with weights made anew some times.
func solve(equations []equation) map[string]float64 {
	const rounds = 30
	index := make(map[string]int)
	var names []string
	for _, e := range equations {
		for name, v := range e.work {
			if _, ok := index[name]; !ok && v > 0 {
				index[name] = 0
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for i, name := range names {
		index[name] = i
	}
	x := make([]float64, len(names))
	for range rounds {
		gram, right := make([][]float64, len(names)), make([]float64, len(names))
		for i := range gram {
			gram[i] = make([]float64, len(names))
		}
		for _, e := range equations {
			predicted := 0.0
			for a, v := range e.work {
				if v > 0 {
					predicted += v * x[index[a]]
				}
			}
			measured := max(e.seconds, least)
			weight := 1 / (measured * max(predicted, measured/10))
			for a, va := range e.work {
				if va == 0 {
					continue
				}
				right[index[a]] += weight * va * e.seconds
				for b, vb := range e.work {
					if vb != 0 {
						gram[index[a]][index[b]] += weight * va * vb
					}
				}
			}
		}
		descend(gram, right, x)
	}
	seconds := make(map[string]float64)
	for i, name := range names {
		if x[i] > 0 {
			seconds[name] = rounded(x[i])
		}
	}
	return seconds
}

// descend minimises x'Gx/2 - r'x over x >= 0 from x on, one coordinate after the other,
// until none changes any more.
func descend(gram [][]float64, right, x []float64) {
	const sweeps, settled = 20_000, 1e-7
	for range sweeps {
		change := 0.0
		for i, row := range gram {
			if row[i] == 0 {
				continue
			}
			slope := -right[i]
			for j, v := range x {
				slope += row[j] * v
			}
			next := max(x[i]-slope/row[i], 0)
			if next != x[i] {
				change = max(change, math.Abs(next-x[i])/max(next, x[i]))
			}
			x[i] = next
		}
		if change < settled {
			break
		}
	}
}
