package claims

import (
	"fmt"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/stats"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/stat"
)

// confidence is the level of the intervals.
const confidence = 0.95

// showsSpread is the number of equal repeats that shows that a quantity has one value: were
// two values equally likely, all six would be equal with probability 2 / 2^6 < 0.05.
const showsSpread = 6

// Between is the claimed range of a quantity.
type Between struct {
	// Least and Most are its ends, nil for no bound.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
	// Below: it must be below Most, not equal to it.
	Below bool `json:"below,omitempty"`
}

func atMost(v float64) Between  { return Between{Most: &v} }
func atLeast(v float64) Between { return Between{Least: &v} }

// between is the range of a specification, [least, most].
func between(b []*float64) Between { return Between{Least: b[0], Most: b[1]} }

// Ends returns the ends, infinite ones where there are none.
func (w Between) Ends() (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if w.Least != nil {
		lo = *w.Least
	}
	if w.Most != nil {
		hi = *w.Most
	}
	return lo, hi
}

func (w Between) String() string {
	lo, hi := w.Ends()
	switch {
	case w.Least == nil && w.Below:
		return "below " + plain(hi)
	case w.Least == nil:
		return "at most " + plain(hi)
	case w.Most == nil:
		return "at least " + plain(lo)
	case plain(lo) == plain(hi) && lo < hi:
		return fmt.Sprintf("%s ± %s", plain((lo+hi)/2), words.Rounded((hi-lo)/2))
	}
	return fmt.Sprintf("from %s to %s", plain(lo), plain(hi))
}

// estimate is one that is not known yet.
func (w Between) estimate(name string, n int) Estimate {
	return Estimate{Name: name, N: n, Level: confidence, Wanted: w.String(), Between: w, Outcome: Inconclusive}
}

// judge compares an interval that is certain to a level with where it should be,
// and a wider one that refutes.
func (w Between) judge(lo, hi, wideLo, wideHi float64) string {
	least, most := w.Ends()
	switch {
	case lo >= least && hi <= most:
		return Reproduced
	case wideLo > most || wideHi < least:
		return NotReproduced
	}
	return Inconclusive
}

// interval is what numbers are averaged to.
type interval struct {
	// ratios: the numbers are ratios, all positive, and their geometric mean counts.
	ratios bool
	// tries is the number of quantities any of which refutes the same statement: what
	// refutes must do so at a level that makes up for it. 0 stands for 1.
	tries int
	// halves: each number compares the two halves of one halving. Which rows are in
	// which is all that tells them apart, so that the mean over halvings has no more
	// error than that of any mean.
	halves bool
	// alike: the numbers may well be all the same, such as the lengths of runs, or what
	// a run begins with.
	alike bool
}

// estimate averages numbers, one for each of the replicates ids, to an interval of Student's t. That
// of several halvings is the mean and the standard deviation: what a half of the
// test set scatters by around the whole is what the whole does around other data.
// One replicate makes no interval, and decides nothing, unless it is known that no
// randomness enters. Where parameters were chosen by the same repeats, the interval is the
// hull of that and of one of the whole procedure: see choices.
func (p *part) estimate(name string, ids []int, of []quantity, w Between, o interval) Estimate {
	n := len(of)
	v := make([]float64, n)
	low, high := false, false // the ends of the interval are not known
	for i, x := range of {
		v[i] = x.v
		if o.ratios {
			v[i] = math.Log(x.v)
		}
		low, high = low || x.atMost, high || x.atLeast
	}
	if low {
		p.caveat(Remark{Kind: mayBeLess})
	}
	if high {
		p.caveat(Remark{Kind: mayBeMore})
	}
	e := w.estimate(name, n)
	back := func(v float64) float64 {
		if o.ratios {
			return min(math.Exp(v), math.MaxFloat64)
		}
		return v
	}
	p.readings = append(p.readings, averaged{ids, v, w})
	center, sd := stat.MeanStdDev(v, nil)
	same := slices.Min(v) == slices.Max(v)
	chosen := p.again != nil && n > 1
	around := func(level float64, chosen bool) (lo, hi float64) {
		lo, hi = v[0], v[0] // not the mean, which rounds
		if !same {
			half := p.half(sd, n, level, o)
			lo, hi = center-half, center+half
		}
		if chosen {
			l, h := p.again.interval(len(p.readings)-1, level)
			same = same && l >= lo && h <= hi
			lo, hi = min(lo, l), max(hi, h)
		}
		if same {
			return of[0].v, of[0].v
		}
		return back(lo), back(hi)
	}
	if e.Value = back(center); same {
		e.Value = of[0].v
	}
	if chosen && !p.again.known(len(p.readings)-1) {
		low, high, chosen = true, true, false
		p.caveat(Remark{Kind: otherChoiceUnknown})
	}
	fixedLo, fixedHi := around(confidence, false)
	e.Lo, e.Hi = around(confidence, chosen)
	switch {
	case n < 2 && !p.deterministic:
		e.Level = 0
		return e
	case n < 2:
		e.Level, e.Exact = 1, "no randomness is involved"
	}
	wideLo, wideHi := e.Lo, e.Hi
	switch {
	case n < 2:
	case e.Lo == e.Hi:
		e.Exact = alike(n, p.replicate())
		if n < showsSpread && !o.alike {
			p.caveat(Remark{Kind: tooFewAlike, N: n, What: p.replicate()})
		}
	case o.tries > 1:
		wideLo, wideHi = around(1-(1-confidence)/float64(o.tries), chosen)
	}
	lo, hi := e.Lo, e.Hi
	if low {
		lo, wideLo = math.Inf(-1), math.Inf(-1)
	}
	if high {
		hi, wideHi = math.Inf(1), math.Inf(1)
	}
	e.Outcome = w.judge(lo, hi, wideLo, wideHi)
	switch {
	case w.Below && e.Outcome == Reproduced && hi == *w.Most:
		e.Outcome = Inconclusive
		p.doubt(Remark{Kind: tie})
	case e.Outcome == Inconclusive && w.judge(lo, hi, lo, hi) == NotReproduced:
		p.doubt(Remark{Kind: byChance, N: o.tries})
	case chosen && e.Outcome == Inconclusive && w.judge(fixedLo, fixedHi, fixedLo, fixedHi) != Inconclusive:
		p.doubt(Remark{Kind: otherChoice})
	}
	return e
}

// known reports an estimate that is beyond the range of floats, or whose ends are.
func (e Estimate) known() error {
	inRange := func(end *float64) bool { return end == nil || finite.Is(*end) }
	if finite.Is(e.Value) && finite.Is(e.Lo) && finite.Is(e.Hi) && inRange(e.Least) && inRange(e.Most) {
		return nil
	}
	return fmt.Errorf("%s: the numbers are too large, or too far apart, for a confidence interval", e.Name)
}

// half returns half the width of an interval.
func (p *part) half(sd float64, n int, level float64, o interval) float64 {
	t := stats.Student(float64(n - 1)).Quantile(0.5 + level/2)
	if p.halvings && !o.halves {
		return t * sd
	}
	return t * sd / math.Sqrt(float64(n))
}

// replicate names what an interval is over.
func (p *part) replicate() string {
	if p.halvings {
		return "halving"
	}
	return "repeat"
}

// because, caveat and doubt add to what is told of the part, once.
func (p *part) because(text string) { p.reasons = words.AddOnce(p.reasons, text) }
func (p *part) caveat(r Remark)     { p.caveats = AddCaveat(p.caveats, r) }
func (p *part) doubt(r Remark)      { p.doubts = AddCaveat(p.doubts, r) }

// positive reports whether all numbers are.
func positive(of []quantity) bool {
	return !slices.ContainsFunc(of, func(n quantity) bool { return !(n.v > 0) || math.IsInf(n.v, 0) })
}

// compared sets numbers against others, a replicate at a time: by their ratios where
// all are positive, else by their differences. What all are compared with is told as
// what the numbers themselves have to be.
func (p *part) compared(name string, ids []int, of, to []quantity, above bool) Estimate {
	ratios := positive(of) && positive(to)
	level, sign := 1.0, " / "
	if !ratios {
		level, sign = 0, " - "
	}
	rel := of
	if same := !slices.ContainsFunc(to, func(q quantity) bool { return q != to[0] || q.atLeast || q.atMost }); same {
		level = to[0].v
	} else {
		rel = make([]quantity, len(of))
		for i := range of {
			if rel[i] = of[i].minus(to[i]); ratios {
				rel[i] = of[i].over(to[i])
			}
		}
		name += sign + words.Rounded(mean(to))
	}
	w := atMost(level)
	if above {
		w = atLeast(level)
	}
	return p.estimate(name, ids, rel, w, interval{ratios: ratios})
}

// mean is that of numbers, without rounding where they are all the same.
func mean(of []quantity) float64 {
	v := make([]float64, len(of))
	for i, n := range of {
		v[i] = n.v
	}
	if slices.Min(v) == slices.Max(v) {
		return v[0]
	}
	return stat.Mean(v, nil)
}
