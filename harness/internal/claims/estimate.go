package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/stat"
)

// confidence is the level of the intervals.
const confidence = 0.95

// showsSpread is the number of equal repeats that shows that a quantity has one value: were
// two values equally likely, all six would be equal with probability 2 / 2^6 < 0.05.
const showsSpread = 6

// resampling is what the parameters of the series of a table are when repeats are drawn again.
// The repeats are drawn with replacement, the same for all series, and each series takes the
// eligible candidate with the least mean loss over those drawn. How far the values of all that were
// taken scatter is the error of the whole procedure, the luck of a near tie included.
//
// The percentile interval of that is too short where one candidate is clearly ahead and there are few
// repeats, as Student's is near ties. Their hull is what intervals are: from 3 repeats
// on it covers in 89 to 98 of 100 in either case (TestCoverageOfChoices of internal/compare).
type resampling struct {
	*stats.Resampling
}

// resample returns the resampling of the scores, nil if no parameters were selected.
func resample(scores []observe.Scores) *resampling {
	if len(scores) == 0 {
		return nil
	}
	losses := make([][][]float64, len(scores))
	for i, s := range scores {
		losses[i] = s.Losses
	}
	return &resampling{stats.Resample(losses, 1-confidence)}
}

// of returns the values of a quantity by joint choice and repeat, nil where they are not known.
func (r *resampling) of(q *observe.Quantity) [][]float64 {
	values := make([][]float64, len(r.Choices))
	for i, choice := range r.Choices {
		again := q.Again[choiceText(choice)]
		if again == nil {
			continue
		}
		values[i] = slices.Clone(again)
		if q.Statistic == observe.GeometricMean {
			for j, v := range again {
				values[i][j] = math.Log(v)
			}
		}
	}
	return values
}

// choiceText names a joint choice by the indices of the candidates.
func choiceText(choice []int) string {
	text := ""
	for i, c := range choice {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprint(c)
	}
	return text
}

func newJudging(t *observe.Table) *judging { return &judging{Table: t, again: resample(t.Scores)} }

// estimate estimates a quantity, and compares it with its range.
func (p *judging) estimate(q *observe.Quantity) Estimate {
	e := Estimate{
		Name: q.Name, N: len(q.Values), Level: confidence, Wanted: q.Between.String(), Between: q.Between, Outcome: Inconclusive,
	}
	switch q.Statistic {
	case observe.Share:
		p.share(q, &e)
	case observe.Largest:
		p.largest(q, &e)
	case observe.PowerLaw:
		p.exponent(q, &e)
	default:
		p.mean(q, &e)
	}
	return e
}

// compare compares an interval that is certain to a level with where it should be, and a wider one
// that refutes.
func compare(w observe.Between, in, wide stats.Interval) string {
	least, most := w.Ends()
	switch {
	case in.Lo >= least && in.Hi <= most:
		return Reproduced
	case wide.Lo > most || wide.Hi < least:
		return NotReproduced
	}
	return Inconclusive
}

// share estimates a probability.
func (p *judging) share(q *observe.Quantity, e *Estimate) {
	n, happened := len(q.Values), 0
	for _, v := range q.Values {
		happened += int(v.Number)
	}
	e.Value = float64(happened) / float64(n)
	in := stats.ClopperPearson(happened, n, confidence)
	e.Lo, e.Hi = in.Lo, in.Hi
	if n > 1 {
		e.Outcome = compare(q.Between, in, stats.ClopperPearson(happened, n, 1-(1-confidence)/float64(max(q.Tries, 1))))
	}
}

// largest takes each value for exact.
func (p *judging) largest(q *observe.Quantity, e *Estimate) {
	e.Level, e.Exact = 1, "holds or fails run by run"
	e.Value = slices.MaxFunc(q.Values, func(a, b observe.Value) int { return cmp.Compare(a.Number, b.Number) }).Number
	e.Lo, e.Hi = e.Value, e.Value
	in := stats.Interval{Value: e.Value, Lo: e.Value, Hi: e.Value}
	e.Outcome = compare(q.Between, in, in)
}

// exponent fits a power law, or two.
func (p *judging) exponent(q *observe.Quantity, e *Estimate) {
	law, err := fit(q.Points, q.Than)
	if err != nil {
		return // the table says why
	}
	v := law.Exponents[0]
	e.N, e.Value, e.Lo, e.Hi, e.Level = law.Clusters, v.Value, v.Lo, v.Hi, law.Level
	e.Outcome = compare(q.Between, v, v)
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
// procedure: see resampling.
func (p *judging) mean(q *observe.Quantity, e *Estimate) {
	n, first := len(q.Values), q.Values[0].Number
	v := make([]float64, n)
	low, high := false, false // the ends of the interval are not known
	back := func(v float64) float64 { return v }
	if q.Statistic == observe.GeometricMean {
		back = func(v float64) float64 { return min(math.Exp(v), math.MaxFloat64) }
	}
	for i, x := range q.Values {
		if v[i] = x.Number; q.Statistic == observe.GeometricMean {
			v[i] = math.Log(x.Number)
		}
		low, high = low || x.AtMost, high || x.AtLeast
	}
	if low {
		p.caveat(doubt("the true value may be less: runs that ended early count up to their end"))
	}
	if high {
		p.caveat(doubt("the true value may be more: runs that did not reach the target count as if they reached it at their end"))
	}
	same := slices.Min(v) == slices.Max(v)
	var again [][]float64
	if p.again != nil && n > 1 {
		if again = p.again.of(q); !p.again.Known(again, (1-confidence)/2) {
			low, high, again = true, true, nil
			p.caveat(doubt("the value is unknown for the parameters that other repeats would choose"))
		}
	}
	around := func(level float64, again [][]float64) stats.Interval {
		in := stats.Interval{Value: first, Lo: v[0], Hi: v[0]} // not the mean, which rounds
		if !same {
			in = stats.StudentInterval(v, level, p.Halvings && !q.Halves)
		}
		if again != nil {
			lo, hi := p.again.Interval(again, 1-level)
			if same && lo >= in.Lo && hi <= in.Hi {
				return stats.Interval{Value: first, Lo: first, Hi: first}
			}
			in.Lo, in.Hi = min(in.Lo, lo), max(in.Hi, hi)
		} else if same {
			return stats.Interval{Value: first, Lo: first, Hi: first}
		}
		return stats.Interval{Value: in.Value, Lo: back(in.Lo), Hi: back(in.Hi)}
	}
	if e.Value = back(stat.Mean(v, nil)); same {
		e.Value = first
	}
	fixed, in := around(confidence, nil), around(confidence, again)
	e.Lo, e.Hi = in.Lo, in.Hi
	switch {
	case n < 2 && !p.Deterministic:
		e.Level = 0
		return
	case n < 2:
		e.Level, e.Exact = 1, "no randomness is involved"
	}
	wide := in
	switch {
	case n < 2:
	case e.Lo == e.Hi:
		e.Exact = fmt.Sprintf("the same in all %s", words.Count(n, replicate(p.Table)))
		if n < showsSpread && !q.Alike {
			p.caveat(note("%s, too few to show a spread", e.Exact))
		}
	case q.Tries > 1:
		wide = around(1-(1-confidence)/float64(q.Tries), again)
	}
	if low {
		in.Lo, wide.Lo = math.Inf(-1), math.Inf(-1)
	}
	if high {
		in.Hi, wide.Hi = math.Inf(1), math.Inf(1)
	}
	e.Outcome = compare(q.Between, in, wide)
	switch {
	case q.Below && e.Outcome == Reproduced && in.Hi == *q.Most:
		e.Outcome = Inconclusive
		p.doubts = append(p.doubts, note("a tie: there is no difference"))
	case e.Outcome == Inconclusive && compare(q.Between, in, in) == NotReproduced:
		p.doubts = append(p.doubts, doubt("one of %d comparisons is outside the range, which may be chance", q.Tries))
	case again != nil && e.Outcome == Inconclusive && compare(q.Between, fixed, fixed) != Inconclusive:
		p.doubts = append(p.doubts, doubt("the verdict may change with the parameters that other repeats would choose"))
	}
}
