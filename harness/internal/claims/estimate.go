package claims

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

const confidence = 0.95

// minEqualRepeats is the number of equal repeats that suffice to show that a quantity has only one value. If two
// values were equally likely, all six would be equal with probability 2 / 2^6 < 0.05.
const minEqualRepeats = 6

// resample returns the choices that the series of a table make in resamples of their repeats, nil if no
// parameters were selected.
func resample(scores []observe.Scores) *stats.Choices {
	if len(scores) == 0 {
		return nil
	}
	losses := make([][][]float64, len(scores))
	for i, s := range scores {
		losses[i] = s.Losses
	}
	return stats.Choose(losses)
}

// scale returns the function that transforms values before they are averaged, and its inverse.
func scale(q *observe.Quantity) (scaled, back func(v float64) float64) {
	if q.Statistic == observe.GeometricMean {
		return math.Log, func(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }
	}
	same := func(v float64) float64 { return v }
	return same, same
}

// valuesAgain returns the scaled values of a quantity by joint choice and repeat. Unknown values are NaN, and
// choices without a value are nil. It returns nil if too few values are known for an interval.
func (p *judging) valuesAgain(q *observe.Quantity, chosen []float64, scaled func(v float64) float64) [][]float64 {
	if len(p.Scores) == 0 { // resamples choose only the best rival
		return [][]float64{chosen}
	}
	values, unknown := make([][]float64, len(p.again.Joint)), make([]bool, len(p.again.Joint))
	repeats, places := p.Scores[0].Repeats, make(map[string]int)
	for i, choice := range p.again.Joint {
		places[choiceText(choice)], unknown[i] = i, true
	}
	for _, v := range q.Again {
		i, known := places[v.Choice]
		row := slices.Index(repeats, v.Row)
		if !known || row < 0 {
			continue
		}
		if values[i] == nil {
			values[i] = slices.Repeat([]float64{math.NaN()}, len(repeats))
		}
		values[i][row], unknown[i] = scaled(v.Number), false
	}
	if !p.again.Covered(unknown, corrected(confidence, max(p.shows, p.refutes))) {
		return nil
	}
	return values
}

// choiceText names a joint choice by the indices of the candidates.
func choiceText(choice []int) string {
	return strings.Trim(fmt.Sprint(choice), "[]")
}

// corrected returns the Bonferroni-corrected level of several intervals, any of which decides.
func corrected(level float64, several int) float64 {
	return 1 - (1-level)/float64(max(several, 1))
}

// estimate estimates a quantity, or the largest of several, and compares it with the claimed range.
func (p *judging) estimate(of ...observe.Quantity) Estimate {
	q := &of[0]
	e := Estimate{
		Name: q.Name, N: len(q.Values), Level: confidence, Wanted: q.Between.String(), Between: q.Between, Outcome: Inconclusive,
	}
	switch q.Statistic {
	case observe.Share:
		p.share(q, &e)
	case observe.Largest:
		largest(q, &e)
	case observe.PowerLaw:
		p.exponent(q, &e)
	default:
		p.mean(of, &e)
	}
	if p.Halvings && !p.Deterministic { // another training run may give a different number
		e.Outcome, e.P, e.doubts = Inconclusive, 0, nil
	}
	return e
}

// compare compares an interval with the claimed range.
func compare(w observe.Between, in stats.Interval) string {
	least, most := w.Ends()
	switch {
	case in.Lo >= least && in.Hi <= most:
		return Reproduced
	case in.Lo > most || in.Hi < least:
		return NotReproduced
	}
	return Inconclusive
}

// decide sets the outcome and the p-value of an estimate from its interval. The level is corrected for the
// number of parts or quantities any of which would suffice for the same outcome.
func (p *judging) decide(e *Estimate, around func(level float64) stats.Interval) {
	alpha := func(step int) float64 { return (1 - confidence) * math.Pow(0.98, float64(step)) }
	for outcome, several := range map[string]int{Reproduced: p.shows, NotReproduced: p.refutes} {
		is := func(step int) bool {
			return compare(e.Between, around(corrected(1-alpha(step), several))) == outcome
		}
		if !is(0) {
			continue
		}
		e.Outcome = outcome
		if e.Lo < e.Hi {
			e.P = alpha(sort.Search(500, func(i int) bool { return !is(i + 1) }))
		}
	}
	if e.Outcome == Inconclusive && compare(e.Between, around(confidence)) != Inconclusive {
		open := doubt("%s is decided at 95 %%, but not at the level for several parts or comparisons", e.Name)
		e.doubts = append(e.doubts, open)
	}
}

func (p *judging) share(q *observe.Quantity, e *Estimate) {
	n, happened := len(q.Values), 0
	for _, v := range q.Values {
		happened += int(v.Number)
	}
	around := func(level float64) stats.Interval {
		lo, hi := stats.ClopperPearson(happened, n, level)
		return stats.Interval{Value: float64(happened) / float64(n), Lo: lo, Hi: hi}
	}
	in := around(confidence)
	e.Value, e.Lo, e.Hi = in.Value, in.Lo, in.Hi
	if n > 1 {
		p.decide(e, around)
	}
}

// largest sets the estimate to the largest value. Values are exact, so there is no interval.
func largest(q *observe.Quantity, e *Estimate) {
	e.Level, e.Exact, e.Value = 1, "holds or fails run by run", math.Inf(-1)
	for _, v := range q.Values {
		e.Value = max(e.Value, v.Number)
	}
	e.Lo, e.Hi = e.Value, e.Value
	e.Outcome = compare(q.Between, stats.Interval{Lo: e.Lo, Hi: e.Hi})
}

// maxMissing is the largest fraction of missing points with which an exponent decides.
const maxMissing = 0.05

func (p *judging) exponent(q *observe.Quantity, e *Estimate) {
	law, err := stats.FitPowerLaw(len(q.Points[0][0].X), q.Points...)
	if err != nil {
		return // the table has the reason
	}
	v := law.Exponents[0]
	e.N, e.Value, e.Lo, e.Hi = law.Clusters, v.Value, v.Lo, v.Hi
	t := stats.Student(float64(law.Clusters - 1))
	if q.Missing > maxMissing {
		return
	}
	p.decide(e, func(level float64) stats.Interval {
		wider := t.Quantile(0.5+level/2) / t.Quantile(0.5+confidence/2)
		return stats.Interval{Value: v.Value, Lo: v.Value + wider*(v.Lo-v.Value), Hi: v.Value + wider*(v.Hi-v.Value)}
	})
	if v.Lo == v.Hi {
		e.Exact = fmt.Sprintf("the same when any one of the %d problems is left out", law.Clusters)
	}
}

// mean estimates the mean with an interval of Student's t. For halvings the interval uses the standard
// deviation instead of the standard error: the deviation of a half from the whole test set estimates the
// deviation of the whole test set from new data. This does not apply if each value compares the two halves of
// one halving, where the usual standard error is right. One repeat has no interval and decides nothing, unless
// the runs are deterministic. If parameters were selected on the same repeats, the interval is the hull of this
// interval and that of the whole procedure: see stats.Choices.
//
// For ratios to several rivals, mean estimates the largest mean, the ratio to the best rival. The interval ends
// at the largest upper end. It begins at the largest lower end at a level corrected for the number of rivals.
// It includes the interval of resamples, in each of which the best rival is chosen again.
func (p *judging) mean(of []observe.Quantity, e *Estimate) {
	n := len(of[0].Values)
	values, best := make([][]float64, len(of)), 0
	low, high := false, false // whether the ends of the interval are unknown
	scaled, back := scale(&of[0])
	for k := range of {
		for _, x := range of[k].Values {
			values[k] = append(values[k], scaled(x.Number))
			low, high = low || x.AtMost, high || x.AtLeast
		}
		if stats.Mean(values[k]) > stats.Mean(values[best]) {
			best = k
		}
	}
	q, first := &of[best], of[best].Values[0].Number
	if len(of) > 1 {
		e.Name = fmt.Sprintf("%s (the best of %d)", q.Name, len(of))
	}
	e.remarks = p.spread(q)
	if low {
		p.addCaveat(doubt("the true value may be less: runs that ended early count up to their end"))
	}
	if high {
		p.addCaveat(doubt("the true value may be more: runs that did not reach the target count as if they reached it at their end"))
	}
	var again [][][]float64
	if p.again != nil && n > 1 {
		for k := range of {
			again = append(again, p.valuesAgain(&of[k], values[k], scaled))
		}
	}
	if slices.ContainsFunc(again, func(of [][]float64) bool { return of == nil }) {
		again, low, high = nil, true, true
		p.addCaveat(doubt("the value is unknown for the parameters that other repeats would choose"))
	}
	student := stats.MeanOfRepeats
	if p.Halvings && !q.Halves {
		student = stats.MeanOfHalvings
	}
	around := func(level float64, again [][][]float64) stats.Interval {
		in := student(values[0], level)
		if len(of) > 1 {
			in = stats.Interval{Value: stats.Mean(values[best]), Lo: math.Inf(-1), Hi: math.Inf(-1)}
			for _, v := range values {
				in.Lo = max(in.Lo, student(v, corrected(level, len(of))).Lo)
				in.Hi = max(in.Hi, student(v, level).Hi)
			}
		}
		if again != nil {
			lo, hi := p.again.Interval(level, again...)
			in.Lo, in.Hi = min(in.Lo, lo), max(in.Hi, hi)
		}
		if in.Lo == in.Hi {
			return stats.Interval{Value: first, Lo: first, Hi: first} // avoids the rounding of logarithms
		}
		return stats.Interval{Value: back(in.Value), Lo: back(in.Lo), Hi: back(in.Hi)}
	}
	fixed, in := around(confidence, nil), around(confidence, again)
	e.Value, e.Lo, e.Hi = fixed.Value, min(in.Lo, fixed.Lo), max(in.Hi, fixed.Hi)
	switch {
	case n < 2 && (p.Halvings || !p.Deterministic):
		e.Level = 0
		return
	case n < 2:
		e.Level, e.Exact = 1, "no randomness is involved"
	case e.Lo == e.Hi:
		e.Exact = fmt.Sprintf("the same in all %s", words.Count(n, replicate(p.Table)))
		if n < minEqualRepeats && !q.Alike {
			p.addCaveat(note("%s, too few to show a spread", e.Exact))
		}
	}
	p.decide(e, func(level float64) stats.Interval {
		in := around(level, again)
		if low {
			in.Lo = math.Inf(-1)
		}
		if high {
			in.Hi = math.Inf(1)
		}
		return in
	})
	switch {
	case q.Below && e.Outcome == Reproduced && e.Hi == *q.Most:
		e.Outcome, e.P = Inconclusive, 0
		e.doubts = append(e.doubts, note("a tie: there is no difference"))
	case again != nil && e.Outcome == Inconclusive && compare(q.Between, fixed) != Inconclusive:
		e.doubts = append(e.doubts, doubt("the verdict may change with the parameters that other repeats would choose"))
	}
}

// spread returns remarks on values that are not well described by their mean. One remark is on values in two
// groups that differ by more than a factor of two; it is a doubt if a group has fewer than ten values. The other
// is on nonnegative values whose arithmetic mean depends on a few large ones: the largest is more than ten times
// the median. A remark names the quantity if there are several.
func (p *judging) spread(q *observe.Quantity) []observe.Remark {
	if p.Halvings || len(q.Values) == 0 || q.Statistic != observe.Mean && q.Statistic != observe.GeometricMean {
		return nil
	}
	scaled, _ := scale(q)
	var numbers, values []float64
	for _, v := range q.Values {
		numbers, values = append(numbers, v.Number), append(values, scaled(v.Number))
	}
	slices.Sort(numbers)
	slices.Sort(values)
	n, largest, median := len(values), slices.Max(numbers), stats.Median(numbers)
	k, name := stats.Groups(values), ""
	if len(p.Quantities) > 1 {
		name = q.Name + ": "
	}
	switch {
	case k > 0 && numbers[k]-numbers[k-1] > math.Abs(numbers[k-1]):
		remark := note("%sthe repeats are in two groups, %d up to %s and %d from %s on, and their mean is that of neither",
			name, k, words.Rounded(numbers[k-1]), n-k, words.Rounded(numbers[k]))
		if min(k, n-k) < 10 {
			remark.Kind = observe.Doubt
		}
		return []observe.Remark{remark}
	case q.Statistic == observe.Mean && numbers[0] >= 0 && largest > 10*median:
		return []observe.Remark{doubt(
			"%sfew repeats carry the mean: the largest is %s, the median %s, so the interval may be too short",
			name, words.Rounded(largest), words.Rounded(median))}
	}
	return nil
}
