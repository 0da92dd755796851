package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

const confidence = 0.95

// showsSpread is the number of equal repeats that shows that a quantity has one value: were
// two values equally likely, all six would be equal with probability 2 / 2^6 < 0.05.
const showsSpread = 6

// resample returns what the series of a table choose in resamples of their repeats, nil if no
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

// scale is the scale that values are averaged on, and back that of their mean.
func scale(q *observe.Quantity) (scaled, back func(v float64) float64) {
	if q.Statistic == observe.GeometricMean {
		return math.Log, func(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }
	}
	same := func(v float64) float64 { return v }
	return same, same
}

// valuesAgain returns the values of a quantity, scaled, by joint choice and repeat: NaN where one is
// not known, and nil for a choice without any. It returns nil if too few are known for an interval.
func (p *judging) valuesAgain(q *observe.Quantity, scaled func(v float64) float64) [][]float64 {
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
	if !p.again.Covered(unknown, confidence) {
		return nil
	}
	return values
}

// choiceText names a joint choice by the indices of the candidates.
func choiceText(choice []int) string {
	return strings.Trim(fmt.Sprint(choice), "[]")
}

// resampled returns the values of quantities, scaled, by joint choice and repeat, for intervals of
// resamples. There are none, nil, where nothing is chosen. known is false if too few are known.
func (p *judging) resampled(
	of []observe.Quantity, values [][]float64, scaled func(v float64) float64,
) (again [][][]float64, known bool) {
	n := len(values[0])
	if n < 2 || p.again == nil && (len(of) == 1 || p.Halvings) {
		return nil, true
	}
	choosing := p.again != nil
	if !choosing {
		p.again = stats.Choose([][][]float64{slices.Repeat([][]float64{{0}}, n)})
	}
	for k := range of {
		one := [][]float64{values[k]}
		if choosing {
			one = p.valuesAgain(&of[k], scaled)
		}
		if one == nil {
			return nil, false
		}
		again = append(again, one)
	}
	return again, true
}

// corrected is the level of each of several intervals any of which decides (Bonferroni).
func corrected(level float64, several int) float64 {
	if several < 2 {
		return level
	}
	return 1 - (1-level)/float64(several)
}

// estimate estimates a quantity, or the largest of several, and compares it with its range.
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
	if p.Halvings && !p.Deterministic { // another training run may give another number
		e.Outcome = Inconclusive
	}
	return e
}

// compare compares two intervals with where the number should be: one shows that it is there, the
// other that it is not.
func compare(w observe.Between, shows, refutes stats.Interval) string {
	least, most := w.Ends()
	switch {
	case shows.Lo >= least && shows.Hi <= most:
		return Reproduced
	case refutes.Lo > most || refutes.Hi < least:
		return NotReproduced
	}
	return Inconclusive
}

// decide compares an estimate with its range by its interval at a level: that of 95 %, or a higher one
// if several parts, or several quantities of a part, may decide.
func (p *judging) decide(q *observe.Quantity, e *Estimate, around func(level float64) stats.Interval) {
	shows, refutes := corrected(confidence, p.shows), corrected(confidence, p.refutes*max(q.Tries, 1))
	e.Outcome = compare(q.Between, around(shows), around(refutes))
	if e.Outcome == Inconclusive {
		at := around(confidence)
		switch compare(q.Between, at, at) {
		case Reproduced:
			p.doubts = append(p.doubts, doubt("%s is inside the range at 95 %%, but not at %.4g %%, the level for several parts", q.Name, 100*shows))
		case NotReproduced:
			p.doubts = append(p.doubts, doubt("%s is outside the range at 95 %%, but not at %.4g %%, the level for several comparisons", q.Name, 100*refutes))
		}
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
		p.decide(q, e, around)
	}
}

// largest takes each value for exact.
func largest(q *observe.Quantity, e *Estimate) {
	e.Level, e.Exact, e.Value = 1, "holds or fails run by run", math.Inf(-1)
	for _, v := range q.Values {
		e.Value = max(e.Value, v.Number)
	}
	e.Lo, e.Hi = e.Value, e.Value
	in := stats.Interval{Lo: e.Lo, Hi: e.Hi}
	e.Outcome = compare(q.Between, in, in)
}

func (p *judging) exponent(q *observe.Quantity, e *Estimate) {
	law, err := stats.FitPowerLaw(len(q.Points[0][0].X), q.Points...)
	if err != nil {
		return // the table says why
	}
	v := law.Exponents[0]
	e.N, e.Value, e.Lo, e.Hi = law.Clusters, v.Value, v.Lo, v.Hi
	t := stats.Student(float64(law.Clusters - 1))
	p.decide(q, e, func(level float64) stats.Interval {
		wider := t.Quantile(0.5+level/2) / t.Quantile(0.5+confidence/2)
		return stats.Interval{Value: v.Value, Lo: v.Value + wider*(v.Lo-v.Value), Hi: v.Value + wider*(v.Hi-v.Value)}
	})
	if v.Lo == v.Hi {
		e.Exact = fmt.Sprintf("the same when any one of the %d problems is left out", law.Clusters)
	}
}

// mean averages the values to an interval of Student's t. That of several halvings is the mean and
// the standard deviation: what a half of the test set scatters by around the whole is what the whole
// does around other data; but not if each value compares the halves of one halving. Which rows are in
// which half is then all that tells them apart, so that their mean has no more error than any mean.
// One repeat makes no interval, and decides nothing, unless no randomness enters. Where parameters
// were selected by the same repeats, the interval is the hull of that and of one of the whole
// procedure: see stats.Choices.
//
// Of several quantities, the ratios to several rivals, it estimates the largest mean, that to the best
// rival. Its interval ends at the largest of the upper ends, and begins at the largest of the lower
// ends, which are at a level corrected for their number, as the largest of several means tends to be
// above all expectations. It includes that of resamples, in each of which the best rival is chosen again.
func (p *judging) mean(of []observe.Quantity, e *Estimate) {
	n := len(of[0].Values)
	values, best := make([][]float64, len(of)), 0
	low, high := false, false // the ends of the interval are not known
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
	q := &of[best]
	if len(of) > 1 {
		e.Name = fmt.Sprintf("%s (the best of %d)", q.Name, len(of))
	}
	if low {
		p.caveat(doubt("the true value may be less: runs that ended early count up to their end"))
	}
	if high {
		p.caveat(doubt("the true value may be more: runs that did not reach the target count as if they reached it at their end"))
	}
	again, known := p.resampled(of, values, scaled)
	if !known {
		low, high = true, true
		p.caveat(doubt("the value is unknown for the parameters that other repeats would choose"))
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
		number := func(v float64) float64 {
			if v == values[best][0] {
				return q.Values[0].Number // without the rounding of logarithms
			}
			return back(v)
		}
		return stats.Interval{Value: number(in.Value), Lo: number(in.Lo), Hi: number(in.Hi)}
	}
	fixed, in := around(confidence, nil), around(confidence, again)
	e.Value, e.Lo, e.Hi = fixed.Value, in.Lo, in.Hi
	switch {
	case n < 2 && (p.Halvings || !p.Deterministic):
		e.Level = 0
		return
	case n < 2:
		e.Level, e.Exact = 1, "no randomness is involved"
	case e.Lo == e.Hi:
		e.Exact = fmt.Sprintf("the same in all %s", words.Count(n, replicate(p.Table)))
		if n < showsSpread && !q.Alike {
			p.caveat(note("%s, too few to show a spread", e.Exact))
		}
	}
	censored := func(in stats.Interval) stats.Interval {
		if low {
			in.Lo = math.Inf(-1)
		}
		if high {
			in.Hi = math.Inf(1)
		}
		return in
	}
	p.decide(q, e, func(level float64) stats.Interval { return censored(around(level, again)) })
	switch {
	case q.Below && e.Outcome == Reproduced && e.Hi == *q.Most:
		e.Outcome = Inconclusive
		p.doubts = append(p.doubts, note("a tie: there is no difference"))
	case again != nil && e.Outcome == Inconclusive && compare(q.Between, fixed, fixed) != Inconclusive:
		p.doubts = append(p.doubts, doubt("the verdict may change with the parameters that other repeats would choose"))
	}
}
