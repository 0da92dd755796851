package claims

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/record"
	"stochopt/internal/words"

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
	of, _ := boundOf(b.Name)
	return fmt.Sprintf("the bound %s holds for %s%s: %s", b.Name, b.Series, b.Range.words(), of.doc)
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
	finished := slices.DeleteFunc(slices.Clone(p.samples[b.Series].runs), func(r *record.Run) bool { return r.Status != record.StatusFinished })
	if len(finished) == 0 {
		return nil, &lostError{b.Series, p.samples[b.Series].all}
	}
	name := b.Series + ", " + of.judged
	if of.form == everyRun {
		excess, err := b.excess(of, finished)
		if err != nil {
			return nil, err
		}
		return []Estimate{p.everyRun(name, finished, excess)}, nil
	}
	var runs []*bounded
	for _, r := range finished {
		points, err := b.along(of, r)
		if err != nil {
			return nil, err
		}
		runs = append(runs, points)
	}
	if of.form == inProbability {
		return p.inProbability(name, runs)
	}
	return p.onAverage(name, runs)
}

// excess returns by how much each run is beyond a bound, at the point where that is most. It
// panics like Run.Measured.
func (b *Bound) excess(of bound, runs []*record.Run) ([]float64, error) {
	within, err := json.Marshal(b.Range)
	if err != nil {
		return nil, err
	}
	excess, err := record.Numbers(runs, fmt.Sprintf("bound %s %s", b.Name, within), func(r *record.Run) (float64, error) {
		along, err := b.along(of, r)
		if err != nil {
			return 0, err
		}
		most := math.Inf(-1)
		for _, q := range along.points {
			most = max(most, q.excess())
		}
		return most, nil
	})
	if errors.As(err, new(*record.UnreadableError)) {
		panic(err)
	}
	return excess, err
}

// along evaluates a bound along a run, within the range.
func (b *Bound) along(of bound, r *record.Run) (_ *bounded, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s, repeat %d: %w", b.Series, r.Repeat, err)
		}
	}()
	all := of.of(r)
	if all.lacks != nil {
		return nil, all.lacks
	}
	s, err := b.iterations(r)
	if err != nil {
		return nil, err
	}
	out := &bounded{Run: r, iterations: all.iterations}
	for _, q := range all.points {
		x := float64(all.iterations[q.at])
		if x < s.lo || x > s.hi {
			continue
		}
		if !finite.Is(q.value) || math.IsNaN(q.limit) || math.IsInf(q.limit, -1) {
			return nil, fmt.Errorf("%s at %s iterations: the value is %v, the bound %v", b.Name, words.Cost(x), q.value, q.limit)
		}
		if !math.IsInf(q.limit, 1) { // which says nothing
			out.points = append(out.points, q)
		}
	}
	if len(out.points) == 0 {
		return nil, fmt.Errorf("%s gives no bound at any recorded point", b.Name)
	}
	return out, nil
}

// iterations is the range in iterations of a run.
func (b *Bound) iterations(r *record.Run) (span, error) {
	if b.Passes == nil {
		return b.Range.of(span{0, float64(r.End())}), nil
	}
	n := float64(r.Rows[record.SplitTrain])
	if n == 0 {
		return span{}, fmt.Errorf("no record of the number of training rows")
	}
	return span{b.Passes[0] * n, b.Passes[1] * n}, nil
}

// excess is how far a quantity is from its bound: their ratio, of a bound that is
// not positive their difference and 1, so that it holds up to 1 either way.
func (q point) excess() float64 {
	if q.limit > 0 {
		return min(q.value/q.limit, math.MaxFloat64)
	}
	return 1 + q.value - q.limit
}

// everyRun shows the run that is closest to the bound, or the farthest beyond.
func (p *part) everyRun(name string, runs []*record.Run, excess []float64) Estimate {
	e := atMost(1).estimate(name+", the largest", len(runs))
	e.Level, e.Exact, e.Value = 1, "holds or fails run by run", math.Inf(-1)
	broken := 0
	worst := runs[0]
	for i, v := range excess {
		if v > 1 {
			broken++
		}
		if v > e.Value {
			e.Value, worst = v, runs[i]
		}
	}
	e.Lo, e.Hi = e.Value, e.Value
	e.Outcome = Reproduced
	p.because(fmt.Sprintf("holds in %d of %s", len(runs)-broken, words.Count(len(runs), "run")))
	if broken > 0 {
		e.Outcome = NotReproduced
		p.because(fmt.Sprintf("the worst run is repeat %d, %s", worst.Repeat, worst.Params))
	}
	return e
}

// onAverage judges the mean over repeats at each recorded point, and shows the
// point that is closest to the bound.
func (p *part) onAverage(name string, runs []*bounded) ([]Estimate, error) {
	var ids []int
	for _, b := range runs {
		ids = append(ids, b.Repeat)
	}
	return pointwise(name, runs, func(name string, of []point, points int) Estimate {
		if len(of) > 1 {
			p.because(fmt.Sprintf("at the worst of %s", words.Count(points, "point")))
		}
		excess := make([]quantity, len(of))
		for i, q := range of {
			excess[i].v = q.excess()
		}
		return p.estimate(name, ids, excess, atMost(1), interval{tries: points, alike: true})
	})
}

// inProbability estimates at each recorded point the share of the runs in which
// something happens, with the interval of Clopper and Pearson, and shows the point
// at which it is largest beside the bound.
func (p *part) inProbability(name string, runs []*bounded) ([]Estimate, error) {
	return pointwise(name, runs, func(name string, of []point, points int) Estimate {
		n, happened, limits := len(of), 0, make([]float64, len(of))
		for i, q := range of {
			happened += int(q.value)
			limits[i] = q.limit
		}
		most := atMost(stat.Mean(limits, nil))
		e := most.estimate(name, n)
		e.Value = float64(happened) / float64(n)
		e.Lo, e.Hi = clopperPearson(happened, n, confidence)
		if n > 1 {
			wideLo, wideHi := clopperPearson(happened, n, 1-(1-confidence)/float64(points))
			e.Outcome = most.judge(e.Lo, e.Hi, wideLo, wideHi)
		}
		return e
	})
}

// pointwise estimates something at each recorded point that all runs have, of which
// there are so many, and returns the estimate that is the worst for the bound.
func pointwise(name string, runs []*bounded, estimate func(name string, of []point, points int) Estimate) ([]Estimate, error) {
	common := commonPoints(runs)
	if len(common) == 0 {
		return nil, fmt.Errorf("the runs have no recorded point in common")
	}
	estimates := make([]Estimate, len(common))
	for i, of := range common {
		steps := int(runs[0].iterations[of[0].at])
		estimates[i] = estimate(fmt.Sprintf("%s at %s", name, words.Count(steps, "iteration")), of, len(common))
	}
	return []Estimate{slices.MaxFunc(estimates, byHarm)}, nil
}

// commonPoints returns the recorded points that all runs have, each with those of all
// runs.
func commonPoints(runs []*bounded) [][]point {
	var common [][]point
	for _, first := range runs[0].points {
		var of []point
		for _, b := range runs {
			for _, q := range b.points {
				if q.at == first.at && b.iterations[q.at] == runs[0].iterations[q.at] {
					of = append(of, q)
				}
			}
		}
		if len(of) == len(runs) {
			common = append(common, of)
		}
	}
	return common
}

// byHarm orders estimates of what must be small: by outcome, then by their upper ends.
func byHarm(a, b Estimate) int {
	rank := []string{Reproduced, Inconclusive, NotReproduced}
	return cmp.Or(slices.Index(rank, a.Outcome)-slices.Index(rank, b.Outcome), cmp.Compare(a.Hi, b.Hi))
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
