package claims

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// dataReal is the value of Claim.Data that is not the default.
const dataReal = "real"

// Judge judges claims by records; laws are those of the tables of the
// specification. It never fails: what cannot be judged is NotRun, for a
// reason that is given. The order of the runs does not matter.
//
// A part without a verdict, such as one of a series without runs, leaves a claim
// about all parts open unless another refutes it. Parts on stand-in data that a
// claim about real data is not judged by do not count, and are told of.
func Judge(list []Claim, in Input, laws []observe.PowerLaws) []Verdict {
	verdicts := make([]Verdict, len(list))
	for i := range list {
		j := judging{Claim: &list[i], in: &in, laws: laws, series: list[i].Series()}
		verdicts[i] = j.verdict()
	}
	return verdicts
}

// judging is a claim with what it is judged by.
type judging struct {
	*Claim
	in   *Input
	laws []observe.PowerLaws
	// series are those of the claim, the one that it is about first.
	series []string
}

func (j *judging) verdict() Verdict {
	v := Verdict{Claim: *j.Claim, Experiment: j.in.Experiment, Profile: j.in.Profile, Set: j.in.Set, Outcome: NotRun}
	v.Kind = v.OfKind()
	if err := j.Validate(); err != nil {
		v.Reason = err.Error()
		return v
	}
	if !j.JudgedAt(j.in.Profile) {
		v.Reason = "needs profile " + j.LeastProfile()
		return v
	}
	if err := j.judge(&v); err != nil {
		v.Parts, v.Reason = nil, err.Error()
		return v
	}
	if len(v.Parts) == 0 {
		v.Reason = "no runs of series " + strings.Join(j.series, " or ") + j.restriction()
		return v
	}
	v.Outcome = v.count().outcome(j.Holds)
	v.Reason = v.reason(reasonWidth)
	v.Caveats = v.caveats(j)
	v.Doubtful = v.Outcome != NotRun && slices.ContainsFunc(v.Caveats, func(c Caveat) bool { return c.casts() })
	return v
}

// judge judges the parts; it is an error if a curve is left out of a packed folder.
func (j *judging) judge(v *Verdict) (err error) {
	defer record.CatchLeftOut(&err)
	v.Parts = j.Check.predicate().judge(j)
	return nil
}

// estimator estimates what a predicate is about on a part.
type estimator func(p *part) ([]Estimate, error)

// byPart judges each data set at each setting, whose records have to be of one setting
// of each series.
func (j *judging) byPart(estimate estimator) []Part {
	return j.each(false, func(p *part) ([]Estimate, error) {
		if err := p.check(j.restriction()); err != nil {
			return nil, err
		}
		p.again = p.chooseAgain(estimate)
		return estimate(p)
	})
}

// byDataset judges each data set by the runs of all settings together.
func (j *judging) byDataset(estimate estimator) []Part { return j.each(true, estimate) }

func (j *judging) each(pooled bool, estimate estimator) []Part {
	var out []Part
	for _, p := range j.parts(pooled) {
		out = append(out, p.judge(j, estimate))
	}
	return out
}

// judge judges a part.
func (p *part) judge(j *judging, estimate estimator) Part {
	out := Part{Dataset: p.dataset, Setting: p.setting, StandIn: p.standIn, Outcome: NotRun}
	if p.standIn && j.Data == dataReal {
		out.Reason = Remark{Kind: standIn}.String()
		return out
	}
	timed := j.over(record.CostSeconds) || j.over(record.CostCPUSeconds)
	subject := p.samples[j.series[0]]
	p.deterministic = !p.halved && !timed && !slices.ContainsFunc(p.series, p.random)
	estimates, err := estimate(p)
	for _, e := range estimates {
		err = cmp.Or(err, e.known())
	}
	if p.standIn {
		p.caveat(Remark{Kind: standIn})
	}
	var lost *lostError
	switch {
	case errors.As(err, &lost) && lost.diverged() && lost.series == j.series[0]:
		// What never ends anywhere is not below, does not reach and does not stay.
		out.Outcome, out.Reason = NotReproduced, err.Error()
		return out
	case err != nil:
		out.Reason = err.Error()
		return out
	}
	out.Estimates, out.Outcome = estimates, worst(estimates)
	p.tellOfLost(timed)
	if out.Outcome == Reproduced && !p.halved && slices.ContainsFunc(subject.lost, diverged) {
		out.Outcome = Inconclusive
		p.because("not counting runs that diverged")
	}
	if lone := p.lone(); len(lone) > 0 && out.Outcome != Inconclusive {
		out.Outcome = Inconclusive
		p.caveat(Remark{Kind: oneRepeatOf, Series: strings.Join(lone, ", ")})
	}
	if p.byWall {
		// It depends on what else the machine does.
		out.Outcome = Inconclusive
	}
	if out.Outcome == Inconclusive {
		for _, d := range p.doubts {
			p.caveat(d.Remark)
		}
	}
	texts := make([]string, len(estimates))
	for i, e := range estimates {
		texts[i] = e.String()
	}
	out.Reason = strings.Join(append(texts, p.reasons...), "; ")
	if p.halvings {
		p.caveat(Remark{Kind: overHalvings})
	}
	if slices.ContainsFunc(estimates, Estimate.single) {
		p.caveat(Remark{Kind: oneRepeat})
	}
	out.Caveats = p.caveats
	return out
}

func diverged(r *record.Run) bool { return r.Status == record.StatusDiverged }

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

// most returns the largest number of repeats of a series.
func (p *part) most() int {
	most := 0
	for _, s := range p.samples {
		most = max(most, s.repeats())
	}
	return most
}

// tellOfLost adds caveats on runs without a result, and on those that ran out of
// time and count as far as they got.
func (p *part) tellOfLost(timed bool) {
	for _, name := range p.series {
		s := p.samples[name]
		if len(s.lost) > 0 {
			p.caveat(Remark{Kind: leftOut, Series: name, N: len(s.lost), Of: len(s.all), What: happenings(s.lost)})
		}
		n := 0
		for _, r := range s.runs {
			if r.Status == record.StatusOutOfTime {
				n++
			}
		}
		if n > 0 {
			p.caveat(Remark{Kind: outOfTime, Series: name, N: n})
		}
		if timed && len(s.runs) == 1 && !p.halved && p.most() > 1 {
			p.caveat(Remark{Kind: timedOnce, Series: name})
		}
	}
}
