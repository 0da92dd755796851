package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/results/record"
	"stochopt/results/words"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Bound: a theorem's bound holds for the runs of a series: for each, whatever its
// setting, or on average over repeats, or in a share of them, as it says. The range is
// one of iterations, and its fractions are those of each run.
type Bound struct {
	// Name is one of Bounds.
	Name   string `yaml:"name" json:"name"`
	Series string `yaml:"series" json:"series"`
	Range  `yaml:",inline"`
}

func (b *Bound) examine(at place) {
	at.mention(KindBound, b.Name, "name")
	at.series(b.Series)
	at.span(b.Range)
	if _, ok := boundOf(b.Name); !ok {
		at.in("name").fail("no bound is called %q; there are %s", b.Name, strings.Join(Bounds(), ", "))
	}
}

func (b *Bound) words(string) string {
	return fmt.Sprintf("the bound %s holds for %s%s: %s", b.Name, b.Series, b.Range.words(), BoundDoc(b.Name))
}

// judge pools the settings of a data set where each run decides.
func (b *Bound) judge(j *judging) []Part {
	if of, _ := boundOf(b.Name); of.form == everyRun {
		return j.byDataset(b.estimate)
	}
	return j.byPart(b.estimate)
}

// estimate estimates a bounded quantity over its bound.
func (b *Bound) estimate(p *part) ([]Estimate, error) {
	of, _ := boundOf(b.Name)
	if len(p.samples[b.Series].all) == 0 {
		return nil, fmt.Errorf("no runs of series %s", b.Series)
	}
	var runs []*bounded
	for _, r := range p.samples[b.Series].runs {
		if r.Status != record.StatusFinished {
			continue
		}
		points, err := b.along(of, r)
		if err != nil {
			return nil, fmt.Errorf("%s, repeat %d: %w", b.Series, r.Repeat, err)
		}
		runs = append(runs, points)
	}
	if len(runs) == 0 {
		return nil, &lostError{b.Series, p.samples[b.Series].all}
	}
	name := b.Series + ", " + of.judged
	switch of.form {
	case everyRun:
		return []Estimate{p.everyRun(name, runs)}, nil
	case inProbability:
		return p.inProbability(name, runs)
	}
	return p.onAverage(name, runs)
}

// along evaluates a bound along a run, within the range.
func (b *Bound) along(of bound, r *record.Run) (*bounded, error) {
	all := of.of(r)
	if all.lacks != nil {
		return nil, all.lacks
	}
	s, err := b.iterations(r)
	if err != nil {
		return nil, err
	}
	out := &bounded{Run: r, iterations: all.iterations}
	for i, at := range all.at {
		x, value, limit := float64(all.iterations[at]), all.value[i], all.limit[i]
		if x < s.lo || x > s.hi {
			continue
		}
		if !isFinite(value) || math.IsNaN(limit) || math.IsInf(limit, -1) {
			return nil, fmt.Errorf("%s at %s iterations is %v, bounded by %v", b.Name, words.Cost(x), value, limit)
		}
		if !math.IsInf(limit, 1) { // which says nothing
			out.add(at, value, limit)
		}
	}
	if len(out.at) == 0 {
		return nil, fmt.Errorf("nothing on record that %s bounds", b.Name)
	}
	return out, nil
}

// iterations is the range in iterations of a run.
func (b *Bound) iterations(r *record.Run) (span, error) {
	costs := r.Curve.Cost[costIterations]
	last := float64(costs[len(costs)-1])
	s := span{max(b.From*last, b.After), last}
	if b.To > 0 {
		s.hi = b.To * last
	}
	if b.Until > 0 {
		s.hi = min(s.hi, b.Until)
	}
	if b.Passes != nil {
		n := float64(r.Rows[splitTrain])
		if n == 0 {
			return s, fmt.Errorf("no record of the number of training rows")
		}
		s = span{b.Passes[0] * n, b.Passes[1] * n}
	}
	return s, nil
}

// excess is how far a quantity is from its bound: their ratio, of a bound that is
// not positive their difference and 1, so that it holds up to 1 either way.
func excess(value, limit float64) float64 {
	if limit > 0 {
		return min(value/limit, math.MaxFloat64)
	}
	return 1 + value - limit
}

// everyRun shows the run that is closest to the bound, or the farthest beyond.
func (p *part) everyRun(name string, runs []*bounded) Estimate {
	e := Estimate{Name: name + ", the largest", N: len(runs), Level: 1, Exact: "holds or fails run by run", Wanted: "at most 1"}
	e.Value = math.Inf(-1)
	broken := 0
	worst := runs[0].Run
	for _, b := range runs {
		breaks := false
		for i := range b.at {
			v := excess(b.value[i], b.limit[i])
			if v > e.Value {
				e.Value, worst = v, b.Run
			}
			breaks = breaks || v > 1
		}
		if breaks {
			broken++
		}
	}
	e.Lo, e.Hi = e.Value, e.Value
	e.Outcome = Reproduced
	p.remark(fmt.Sprintf("holds in %d of %s", len(runs)-broken, count(len(runs), "run")))
	if broken > 0 {
		e.Outcome = NotReproduced
		p.remark(fmt.Sprintf("the worst is repeat %d, %s", worst.Repeat, worst.Params))
	}
	return e
}

// commonPoints returns the recorded points that all runs have.
func commonPoints(runs []*bounded) ([]int, error) {
	at := slices.Clone(runs[0].at)
	iterations := runs[0].iterations
	for _, b := range runs[1:] {
		at = slices.DeleteFunc(at, func(i int) bool {
			own := b.iterations
			return !slices.Contains(b.at, i) || own[i] != iterations[i]
		})
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("the runs have no recorded point in common")
	}
	return at, nil
}

// excessAt is the excess at a recorded point.
func (b *bounded) excessAt(point int) float64 {
	i := slices.Index(b.at, point)
	return excess(b.value[i], b.limit[i])
}

// onAverage judges the mean over repeats at each recorded point, and shows the
// point that is closest to the bound.
func (p *part) onAverage(name string, runs []*bounded) ([]Estimate, error) {
	at, err := commonPoints(runs)
	if err != nil {
		return nil, err
	}
	var worst Estimate
	outcomes := make(map[string]bool)
	for k, point := range at {
		q := make([]quantity, len(runs))
		for i := range runs {
			q[i].v = runs[i].excessAt(point)
		}
		x := float64(runs[0].iterations[point])
		e := p.estimate(fmt.Sprintf("%s at %s", name, count(int(x), "iteration")), q, atMost(1), interval{tries: len(at), alike: true})
		outcomes[e.Outcome] = true
		if k == 0 || worse(e, worst) {
			worst = e
		}
	}
	if worst.N > 1 {
		p.remark(fmt.Sprintf("the worst of %s", count(len(at), "point")))
	}
	return []Estimate{worst}, nil
}

// worse orders estimates of what must be small: by outcome, then by their upper
// ends.
func worse(a, b Estimate) bool {
	rank := []string{Reproduced, Inconclusive, NotReproduced}
	if x, y := slices.Index(rank, a.Outcome), slices.Index(rank, b.Outcome); x != y {
		return x > y
	}
	return a.Hi > b.Hi
}

// inProbability estimates at each recorded point the share of the runs in which
// something happens, with the interval of Clopper and Pearson, and shows the point
// at which it is largest beside the bound.
func (p *part) inProbability(name string, runs []*bounded) ([]Estimate, error) {
	at, err := commonPoints(runs)
	if err != nil {
		return nil, err
	}
	var worst Estimate
	for k, point := range at {
		happened := 0
		limits := make([]float64, len(runs))
		for i, b := range runs {
			j := slices.Index(b.at, point)
			if b.value[j] != 0 && b.value[j] != 1 {
				return nil, fmt.Errorf("%s is %s, which is neither 0 nor 1", name, words.Rounded(b.value[j]))
			}
			happened += int(b.value[j])
			limits[i] = b.limit[j]
		}
		limit := stat.Mean(limits, nil)
		n := len(runs)
		x := float64(runs[0].iterations[point])
		e := Estimate{
			Name: fmt.Sprintf("%s at %s", name, count(int(x), "iteration")), N: n, Level: confidence,
			Value: float64(happened) / float64(n), Wanted: atMost(limit).String(),
		}
		e.Lo, e.Hi = clopperPearson(happened, n, confidence)
		wideLo, wideHi := clopperPearson(happened, n, 1-(1-confidence)/float64(len(at)))
		e.Outcome = atMost(limit).judge(e.Lo, e.Hi, wideLo, wideHi)
		if n < 2 {
			e.Outcome = Inconclusive
		}
		if k == 0 || worse(e, worst) {
			worst = e
		}
	}
	return []Estimate{worst}, nil
}

// clopperPearson returns the exact interval of a probability from k of n.
func clopperPearson(k, n int, level float64) (lo, hi float64) {
	tail := (1 - level) / 2
	lo, hi = 0, 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return lo, hi
}
