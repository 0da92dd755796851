package forecast

import (
	"math"
	"slices"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/run"
	"stochopt/results/record"
)

// Forecast says how long the runs of a plan take. It is not safe for concurrent use.
type Forecast struct {
	table  *Table
	own    map[*plan.Item]ownSeconds
	shares map[any]*share
	// algorithms are the levels that say how fast the machine is.
	algorithms []*levelTally
}

// ownSeconds is what the steps and measurements of a run take by the table, and the most
// particular of its levels.
type ownSeconds struct {
	seconds float64
	at      *levelTally
}

// share is what the runs that share their data take together beside their own: the points
// laid out and kernel rows, which each execution takes anew, and optima, which stay.
type share struct {
	anew, once float64
}

// New forecasts runs of plans by a table.
func New(items []*plan.Item, table *Table) *Forecast {
	f := &Forecast{table: table, own: make(map[*plan.Item]ownSeconds, len(items)), shares: make(map[any]*share)}
	for key, w := range sharedWorks(items, table) {
		f.shares[key] = &share{anew: table.of(w.setup, w.rows), once: table.of(w.optima)}
	}
	known := make(map[level]*levelTally)
	for _, it := range items {
		size, work, measuring := ownWork(it, table)
		steps := table.of(work)
		if steps == 0 {
			steps = unmeasured * size.Steps
		}
		if limit := it.Limit.Seconds; limit > 0 {
			steps = min(steps, limit)
		}
		f.own[it] = ownSeconds{steps + table.of(measuring), f.tallyOf(it, known)}
	}
	return f
}

// tallyOf returns the tally of the most particular level of a run.
func (f *Forecast) tallyOf(it *plan.Item, known map[level]*levelTally) (last *levelTally) {
	for _, at := range slices.Backward(levels(it)) {
		if known[at] == nil {
			known[at] = &levelTally{above: last}
			if last == nil {
				f.algorithms = append(f.algorithms, known[at])
			}
		}
		last = known[at]
	}
	return last
}

// unmeasured is what a step of an algorithm takes that the table does not know, in seconds,
// until a run of it is over.
const unmeasured = 1e-6

// level is what runs have in common whose times are compared with what was forecast: in
// the end, that they are of one algorithm.
type level struct {
	depth                              int
	algorithm, dataset, series, params string
}

// levels are those of a run, the most particular first.
func levels(it *plan.Item) []level {
	algorithm, data := it.Algorithm.ID, it.Problem.Entry.ID
	return []level{
		{2, algorithm, data, it.Series, record.Params(it.Params).String()},
		{1, algorithm, data, it.Series, ""},
		{algorithm: algorithm},
	}
}

// tally is what runs have taken, and what had been forecast of them.
type tally struct {
	taken, forecast float64
	runs            int
}

// factor is what the runs took beside what had been forecast, with one more run that took
// so many times as much.
func (t tally) factor(before float64) float64 {
	if t.forecast <= 0 {
		return before
	}
	one := t.forecast / float64(t.runs)
	return (t.taken + before*one) / (t.forecast + one)
}

// levelTally is that of a level, above the less particular one, nil for an algorithm.
type levelTally struct {
	tally
	above *levelTally
}

// factor is what runs take beside what the table says: at each level that of the runs
// there, with one more as the level above has it. What an algorithm takes on one data set
// says half of what it takes on another, on the logarithmic scale.
func (l *levelTally) factor(general float64) float64 {
	if l.above == nil {
		return math.Sqrt(general * l.tally.factor(general))
	}
	return l.tally.factor(l.above.factor(general))
}

// Learn takes in the seconds that the steps and measurements of a run took.
func (f *Forecast) Learn(it *plan.Item, seconds float64) { f.learn(it, seconds, 0) }

// learn takes in a run that computed kernel rows for others, which takes seconds as well.
func (f *Forecast) learn(it *plan.Item, seconds, rows float64) {
	own := f.own[it]
	for l := own.at; l != nil; l = l.above {
		l.tally = tally{l.taken + seconds, l.forecast + own.seconds + rows, l.runs + 1}
	}
}

// Own returns the seconds that the steps and measurements of a run take.
func (f *Forecast) Own(it *plan.Item) float64 { return f.own[it].times(f.general()) }

func (o ownSeconds) times(general float64) float64 { return o.at.factor(general) * o.seconds }

// Left returns the seconds that each of the pending runs takes, in the order in which they
// are performed. What runs share is in those of the first of them, without the optima of
// those that have begun or are over.
func (f *Forecast) Left(pending []*plan.Item, begun []*plan.Item) []float64 {
	solved, made := make(map[any]bool), make(map[any]bool)
	for _, it := range begun {
		solved[run.ShareKey(it)] = true
	}
	general := f.general()
	seconds := make([]float64, len(pending))
	for i, it := range pending {
		seconds[i] = f.own[it].times(general)
		key := run.ShareKey(it)
		s := f.shares[key]
		if s == nil || made[key] {
			continue
		}
		made[key] = true
		seconds[i] += general * s.anew
		if !solved[key] {
			seconds[i] += general * s.once
		}
	}
	return seconds
}

// general is the factor of what is not of one algorithm, such as the speed of the machine:
// the geometric mean of those of the algorithms, and 1 once.
func (f *Forecast) general() float64 {
	sum, n := 0.0, 1.0
	for _, l := range f.algorithms {
		if l.runs > 0 {
			sum += math.Log(l.tally.factor(1))
			n++
		}
	}
	return math.Exp(sum / n)
}

// ownWork returns what a run is expected to have to do by itself, and the size that it
// depends on.
func ownWork(it *plan.Item, t *Table) (s registry.Size, steps, measuring registry.Work) {
	s = t.expect(it)
	steps, measuring = it.Algorithm.Work(it.Params, s)
	if reads := it.Algorithm.Demands(it.Params).KernelRows; reads > 0 && it.Problem.Spec.Record.Alone {
		// Nobody has read its rows before it.
		n := float64(s.Train)
		rows := registry.KernelRows(s.Steps*float64(reads), it.Algorithm.Fresh(it.Params), n, n)
		steps.Add(registry.KernelWork(rows*float64(s.Points), s))
	}
	return s, steps, measuring
}

// sharedWork is what the runs of a plan that share their data have to do together.
type sharedWork struct {
	task                string
	size                registry.Size
	optima, setup, rows registry.Work
	names               map[string]bool
	// read is how many kernel rows the runs read, longest that of the longest of each
	// repeat: those of a repeat see the same samples.
	longest map[int]float64
}

// sharedWorks returns the work that runs share, by what they share.
func sharedWorks(items []*plan.Item, t *Table) map[any]*sharedWork {
	shares := make(map[any]*sharedWork)
	for _, it := range items {
		recorded, demands, s := it.Problem.Spec.Record, it.Algorithm.Demands(it.Params), t.expect(it)
		key := run.ShareKey(it)
		sh := shares[key]
		if sh == nil {
			sh = &sharedWork{task: it.Algorithm.Task, size: s, names: make(map[string]bool), longest: make(map[int]float64)}
			shares[key] = sh
		}
		if it.Algorithm.DependsOnReference(it.Params) || recorded.UsesReference() && demands.Compared {
			sh.names[it.Trained().String()] = true
		}
		if demands.KernelRows > 0 && !recorded.Alone {
			sh.longest[it.Repeat] = max(sh.longest[it.Repeat], s.Steps*float64(demands.KernelRows)*it.Algorithm.Fresh(it.Params))
		}
	}
	for _, sh := range shares {
		sh.finish()
	}
	return shares
}

// finish tells the work that is shared. The rows that are read most often are computed
// beforehand where that is faster, others while an optimum is solved, and the rest by the
// runs.
func (sh *sharedWork) finish() {
	s, task := sh.size, sh.task
	n := float64(s.Train)
	sh.setup, sh.optima, sh.rows = registry.SetupWork(task, s), registry.OptimumWork(task, s, len(sh.names)), registry.Work{}
	read := 0.0
	for _, rows := range sh.longest {
		read += rows
	}
	before := 0.0
	if len(sh.names) > 0 {
		before = registry.SolverRows(s)
	}
	all := max(registry.KernelRows(read, 1, n, n), before)
	if s.Bytes && read >= 2*n {
		all, before = n, n
	}
	sh.setup.Add(registry.KernelWork(before*float64(s.Points), s))
	sh.rows.Add(registry.KernelWork((all-before)*float64(s.Points), s))
}
