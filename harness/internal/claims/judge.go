package claims

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// Values of Claim.Data and Claim.Holds.
const (
	dataReal  = "real"
	holdsMost = "most"
	holdsAny  = "any"
)

// ReasonStandIn is the reason, or the caveat, of a part on data that stand in for others.
const ReasonStandIn = "stand-in data"

// profiles are those of the project, from the least.
var profiles = []string{"smoke", "quick", "paper"}

// Judge judges claims by records; laws are those of the specification's tables. It never fails: what cannot be judged is NotRun, for a
// reason that is given. The order of the runs does not matter.
//
// A part without a verdict, such as one of a series without runs, leaves a claim
// about all parts open unless another refutes it. Parts on stand-in data that a
// claim about real data is not judged by do not count, and are told of.
func Judge(list []Claim, in Input, laws []analysis.PowerLaws) []Verdict {
	verdicts := make([]Verdict, len(list))
	for i := range list {
		verdicts[i] = judge(&list[i], &in, laws)
	}
	return verdicts
}

func judge(c *Claim, in *Input, laws []analysis.PowerLaws) Verdict {
	v := Verdict{Claim: *c, Experiment: in.Experiment, Profile: in.Profile, Outcome: NotRun}
	if err := c.Validate(); err != nil {
		v.Reason = err.Error()
		return v
	}
	if need := cmp.Or(c.From, "quick"); !reaches(in.Profile, need) {
		v.Reason = "needs profile " + need
		return v
	}
	series := c.series()
	if c.Check.Exponent != nil {
		part := c.exponent(in, laws)
		if part.StandIn {
			part.Caveats = append(part.Caveats, ReasonStandIn)
		}
		v.Parts = []Part{*part}
	} else {
		v.Parts = c.judgeParts(in, series)
	}
	if len(v.Parts) == 0 {
		v.Reason = "no runs of series " + strings.Join(series, " or ") + c.whereText()
		return v
	}
	v.Outcome = combine(v.Parts, c.Holds)
	v.Reason = reason(v.Parts, v.Outcome, c.Holds)
	v.Caveats = caveats(&v, in, series)
	return v
}

// reaches reports whether a profile is at least another. One that is not of the
// project, or none, is taken for the whole.
func reaches(profile, need string) bool {
	i := slices.Index(profiles, profile)
	return i < 0 || i >= slices.Index(profiles, need)
}

// series lists the series that a claim is about.
func (c *Claim) series() []string {
	var series []string
	for _, m := range c.Mentions() {
		if m.Kind == KindSeries && !slices.Contains(series, m.Name) {
			series = append(series, m.Name)
		}
	}
	return series
}

// tradesOff reports whether a claim is about trade-offs.
func (c *Claim) tradesOff() bool {
	return slices.ContainsFunc(c.Mentions(), func(m Mention) bool { return m.Kind == KindCost && m.Name == costSupport })
}

func (c *Claim) judgeParts(in *Input, series []string) []Part {
	pooled := false
	if b := c.Check.Bound; b != nil {
		of, _ := boundOf(b.Name)
		pooled = of.form == everyRun
	}
	var out []Part
	for _, p := range c.parts(in, series, in.Halved != nil && c.tradesOff(), pooled) {
		out = append(out, p.judge(c, pooled))
	}
	return out
}

// judge judges a part.
func (p *part) judge(c *Claim, pooled bool) Part {
	out := Part{Dataset: p.dataset, Setting: p.setting, StandIn: p.standIn, Outcome: NotRun}
	if p.standIn && c.Data == dataReal {
		out.Reason = ReasonStandIn
		return out
	}
	p.deterministic = p.isDeterministic(c)
	err := error(nil)
	if !pooled {
		err = p.check(c.whereText())
	}
	if err == nil {
		out.Estimates, err = p.evaluate(&c.Check)
	}
	for _, e := range out.Estimates {
		if unknown := e.known(); unknown != nil && err == nil {
			out.Estimates, err = nil, unknown
		}
	}
	if p.standIn {
		p.caveat(ReasonStandIn)
	}
	var lost *lostError
	switch {
	case errors.As(err, &lost) && lost.diverged() && lost.series == c.Check.subject():
		// What never ends anywhere is not below, does not reach and does not stay.
		out.Outcome, out.Reason = NotReproduced, err.Error()
		return out
	case err != nil:
		out.Reason = err.Error()
		return out
	}
	out.Outcome = worst(out.Estimates)
	p.tellOfLost(c.timed())
	if s := p.samples[c.Check.subject()]; out.Outcome == Reproduced && s != nil && !p.halved &&
		slices.ContainsFunc(s.lost, func(r *record.Run) bool { return r.Status == record.StatusDiverged }) {
		out.Outcome = Inconclusive
		p.remark("not counting runs that diverged")
	}
	if lone := p.lone(); len(lone) > 0 && out.Outcome != Inconclusive {
		out.Outcome = Inconclusive
		p.caveat("one repeat of " + strings.Join(lone, ", "))
	}
	if out.Outcome == Inconclusive {
		for _, d := range p.doubts {
			p.caveat(d)
		}
	}
	texts := make([]string, len(out.Estimates))
	for i, e := range out.Estimates {
		texts[i] = e.String()
	}
	out.Reason = strings.Join(append(texts, p.remarks...), "; ")
	if p.halvings {
		p.caveat("interval over halvings of one test set, not over repeats")
	}
	if slices.ContainsFunc(out.Estimates, Estimate.single) {
		p.caveat("one repeat")
	}
	out.Caveats = p.caveats
	return out
}

// isDeterministic reports whether no randomness enters what a claim compares: all its
// series are of methods without, and no wall time is read.
func (p *part) isDeterministic(c *Claim) bool {
	return !p.halved && !c.timed() && !slices.ContainsFunc(p.series, p.random)
}

// timed reports whether the claim is about wall time.
func (c *Claim) timed() bool {
	return slices.ContainsFunc(c.Mentions(), func(m Mention) bool { return m.Kind == KindCost && m.Name == costSeconds })
}

// random reports whether random numbers enter a series.
func (p *part) random(series string) bool {
	return !slices.Contains(p.in.Deterministic, Cell{p.dataset, series})
}

// lone lists the series of which there is one repeat beside several of others, though
// random numbers enter: what varies between repeats of theirs is not known.
func (p *part) lone() []string {
	return slices.DeleteFunc(slices.Clone(p.series), func(s string) bool {
		return p.halvings || p.samples[s].repeats() != 1 || p.most() < 2 || !p.random(s)
	})
}

// repeats is the number of repeats that there are curves of.
func (s *sample) repeats() int {
	if len(s.curves) > 0 {
		return len(s.curves[0].Repeats)
	}
	return len(s.runs)
}

// subject is the series that the check is about.
func (c *Check) subject() string {
	switch {
	case c.Order != nil:
		return c.Order.Series
	case c.Reaches != nil:
		return c.Reaches.Series
	case c.Stays != nil:
		return c.Stays.Series
	case c.Ratio != nil:
		return c.Ratio.Of.Series
	case c.Level != nil:
		return c.Level.Series
	case c.Plateau != nil:
		return c.Plateau.Series
	case c.Bound != nil:
		return c.Bound.Series
	}
	return ""
}

func (p *part) evaluate(c *Check) ([]Estimate, error) {
	switch {
	case c.Order != nil:
		return p.order(c.Order)
	case c.Reaches != nil:
		return p.reaches(c.Reaches)
	case c.Stays != nil:
		return p.stays(c.Stays)
	case c.Ratio != nil:
		return p.ratio(c.Ratio)
	case c.Level != nil:
		return p.level(c.Level)
	case c.Plateau != nil:
		return p.plateau(c.Plateau)
	case c.Bound != nil:
		return p.bound(c.Bound)
	}
	return nil, errors.New("the claim has no check")
}

// tellOfLost adds caveats on runs without a result, and on those that ran out of
// time and count as far as they got.
func (p *part) tellOfLost(timed bool) {
	for _, name := range p.series {
		s := p.samples[name]
		if len(s.lost) > 0 {
			p.caveat(fmt.Sprintf("%d of %s of %s left out: %s", len(s.lost), count(len(s.all), "run"), name, happenings(s.lost)))
		}
		n := 0
		for _, r := range s.runs {
			if r.Status == record.StatusOutOfTime {
				n++
			}
		}
		if n > 0 {
			p.caveat(fmt.Sprintf("%s of %s out of time, counted as far as they go", count(n, "run"), name))
		}
		if timed && len(s.runs) == 1 && !p.halved && p.most() > 1 {
			p.caveat(name + " was timed once")
		}
	}
}

// most returns the largest number of repeats of a series.
func (p *part) most() int {
	most := 0
	for _, s := range p.samples {
		most = max(most, s.repeats())
	}
	return most
}

// worst is the outcome of several estimates, all of which have to hold.
func worst(estimates []Estimate) string {
	outcome := Reproduced
	for _, e := range estimates {
		switch {
		case e.Outcome == NotReproduced:
			return NotReproduced
		case e.Outcome != Reproduced:
			outcome = Inconclusive
		}
	}
	return outcome
}

// combine is the outcome of a claim that holds of all, most or any of its parts.
func combine(parts []Part, holds string) string {
	yes, no, open, not := 0, 0, 0, 0
	for _, p := range parts {
		switch {
		case p.Outcome == Reproduced:
			yes++
		case p.Outcome == NotReproduced:
			no++
		case p.Outcome == NotRun && p.Reason == ReasonStandIn:
			not++
		case p.Outcome == NotRun:
			not++
			open++
		default:
			open++
		}
	}
	n := yes + no + open
	switch {
	case not == len(parts):
		return NotRun
	case holds == holdsMost && 2*yes > n, holds == holdsAny && yes > 0:
		return Reproduced
	case holds == holdsMost && 2*(yes+open) <= n, holds == holdsAny && yes+open == 0:
		return NotReproduced
	case holds == holdsMost || holds == holdsAny:
		return Inconclusive
	case no > 0:
		return NotReproduced
	case open > 0:
		return Inconclusive
	}
	return Reproduced
}

func compareRuns(a, b record.Run) int {
	return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Series, b.Series),
		strings.Compare(a.Params.String(), b.Params.String()), a.Repeat-b.Repeat, strings.Compare(a.Key, b.Key))
}
