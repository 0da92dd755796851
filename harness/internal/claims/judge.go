package claims

import (
	"cmp"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/stats"
)

// dataReal is the value of Claim.Data that is not the default.
const dataReal = "real"

// Judge judges claims by records; laws are those of the tables of the specification. The order of
// the runs does not matter.
func Judge(list []Claim, in Input, laws []observe.PowerLaws) []Verdict {
	return Decide(list, in.Origin, Observe(list, in, laws))
}

// Decide judges claims by their tables. It never fails: what cannot be judged is NotRun, for a
// reason that is given.
//
// A part without a verdict, such as one of a series without runs, leaves a claim about all parts
// open unless another refutes it. Parts on stand-in data that a claim about real data is not judged
// by do not count, and are reported.
func Decide(list []Claim, in Origin, tables []observe.Table) []Verdict {
	verdicts := make([]Verdict, len(list))
	for i := range list {
		own := slices.DeleteFunc(slices.Clone(tables), func(t observe.Table) bool { return t.Claim != list[i].ID })
		verdicts[i] = list[i].decide(&in, own)
	}
	return verdicts
}

// unjudged says why a claim is not judged at all.
func (c *Claim) unjudged(profile string) string {
	if err := c.Validate(); err != nil {
		return err.Error()
	}
	if !c.JudgedAt(profile) {
		return "needs profile " + c.LeastProfile()
	}
	return ""
}

func (c *Claim) decide(in *Origin, tables []observe.Table) Verdict {
	v := Verdict{Claim: *c, Experiment: in.Experiment, Profile: in.Profile, Set: in.Set, Outcome: NotRun}
	v.Kind = v.OfKind()
	series := c.Series()
	if v.Reason = c.unjudged(in.Profile); v.Reason != "" {
		return v
	}
	if len(tables) == 0 {
		v.Reason = "no runs of series " + strings.Join(series, " or ") + c.restriction()
		return v
	}
	for i := range tables {
		v.Parts = append(v.Parts, c.part(&tables[i]))
	}
	v.Outcome = v.count().outcome(c.Holds)
	v.Reason = v.reason(reasonWidth)
	v.Caveats = v.caveats(series, in)
	v.Doubtful = v.Outcome != NotRun && slices.ContainsFunc(v.Caveats, func(c Caveat) bool { return c.Kind == observe.Doubt })
	return v
}

// part judges the claim by a table.
func (c *Claim) part(t *observe.Table) Part {
	out := Part{Dataset: t.Dataset, Setting: t.Setting, StandIn: t.StandIn, Outcome: NotRun}
	if t.StandIn && c.Data == dataReal {
		out.Reason = standIn.Text
		return out
	}
	p := newJudging(t)
	estimates := p.estimates()
	failure := t.Failure
	for _, e := range estimates {
		failure = cmp.Or(failure, e.unknown())
	}
	if failure != "" {
		if out.Reason = failure; t.Refuted {
			// What never ends anywhere is not below, does not reach and does not stay.
			out.Outcome = NotReproduced
		}
		return out
	}
	if t.StandIn {
		p.caveat(standIn)
	}
	for _, r := range t.Losses {
		p.caveat(r)
	}
	out.Estimates, out.Outcome = estimates, worst(estimates)
	reasons := append(slices.Clone(t.Reasons), p.reasons...)
	if out.Outcome == Reproduced && t.SomeDiverged {
		out.Outcome = Inconclusive
		reasons = append(reasons, "not counting runs that diverged")
	}
	if t.Lone != "" && out.Outcome != Inconclusive {
		out.Outcome = Inconclusive
		p.caveat(doubt("one repeat of %s", t.Lone))
	}
	if t.WallTime {
		out.Outcome = Inconclusive // it depends on what else the machine does
	}
	if out.Outcome == Inconclusive {
		for _, r := range p.doubts {
			p.caveat(r)
		}
	}
	texts := make([]string, len(estimates))
	for i, e := range estimates {
		texts[i] = e.String()
	}
	out.Reason = strings.Join(append(texts, reasons...), "; ")
	if t.Halvings {
		p.caveat(note("the interval is over halvings of one test set, not over repeats"))
	}
	if slices.ContainsFunc(estimates, Estimate.single) {
		p.caveat(doubt("one repeat"))
	}
	out.Caveats = p.caveats
	return out
}

// judging is a table in the course of its judgement.
type judging struct {
	*observe.Table
	again *stats.Choices
	// caveats go with the outcome, doubts with one that is open.
	caveats []Caveat
	doubts  []observe.Remark
	reasons []string
}

func (p *judging) caveat(r observe.Remark) { p.caveats = AddCaveat(p.caveats, r) }

// estimates returns the estimates that decide: of a bound at each of several points the worst.
func (p *judging) estimates() []Estimate {
	for _, r := range p.Remarks {
		p.caveat(r)
	}
	var all []Estimate
	for i := range p.Quantities {
		q := &p.Quantities[i]
		all = append(all, p.estimate(q))
		for _, r := range q.Remarks {
			p.caveat(r)
		}
	}
	if p.Worst && len(all) > 0 {
		return []Estimate{slices.MaxFunc(all, byHarm)}
	}
	return all
}

// byHarm orders estimates of what must be small: by outcome, then by their upper ends.
func byHarm(a, b Estimate) int {
	rank := []string{Reproduced, Inconclusive, NotReproduced}
	return cmp.Or(slices.Index(rank, a.Outcome)-slices.Index(rank, b.Outcome), cmp.Compare(a.Hi, b.Hi))
}

// replicate names what an interval is over.
func replicate(t *observe.Table) string {
	if t.Halvings {
		return "halving"
	}
	return "repeat"
}

// unknown says that an estimate, or an end of its range, is beyond the range of floats.
func (e Estimate) unknown() string {
	numbers := []float64{e.Value, e.Lo, e.Hi}
	for _, end := range []*float64{e.Least, e.Most} {
		if end != nil {
			numbers = append(numbers, *end)
		}
	}
	if finite.Index(numbers) < 0 {
		return ""
	}
	return e.Name + ": the numbers are too large, or too far apart, for a confidence interval"
}
