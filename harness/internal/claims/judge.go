package claims

import (
	"cmp"
	"slices"
	"strings"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
)

const dataReal = "real"

// Decide judges valid claims by their tables. A claim that cannot be judged is NotRun, with a reason.
//
// If a part has no verdict, for example because a series has no runs, a claim about all parts is inconclusive
// unless another part refutes it. For a claim about real data, parts on stand-ins do not count, and are
// reported.
func Decide(list []Claim, in Origin, tables []observe.Table) []Verdict {
	verdicts := make([]Verdict, len(list))
	for i := range list {
		own := slices.DeleteFunc(slices.Clone(tables), func(t observe.Table) bool { return t.Claim != list[i].ID })
		verdicts[i] = list[i].decide(&in, own)
	}
	return verdicts
}

func (c *Claim) decide(in *Origin, tables []observe.Table) Verdict {
	v := Verdict{Claim: *c, Experiment: in.Experiment, Profile: in.Profile, Set: in.Set, Outcome: NotRun}
	v.Kind = v.KindOrDefault()
	series := c.Series()
	if !c.judgedAt(in.Profile) {
		v.Reason = "needs profile " + c.leastProfile()
		return v
	}
	if len(tables) == 0 {
		v.Reason = "no runs of series " + strings.Join(series, " or ") + c.restriction()
		return v
	}
	needed, of := c.needed(tables)
	for i := range tables {
		v.Parts = append(v.Parts, c.part(&tables[i], needed, of))
	}
	v.Outcome = v.outcome(needed, of)
	v.P = v.pValue(needed, of)
	v.Reason = v.reason(reasonWidth)
	if c.Unjudged != "" {
		v.Outcome, v.P, v.Reason = NotRun, 0, c.Unjudged+"; here "+v.Reason
	}
	v.Caveats = v.caveats(series, in)
	v.Doubtful = v.Outcome != NotRun && slices.ContainsFunc(v.Caveats, func(c Caveat) bool { return c.Kind == observe.Doubt })
	return v
}

// needed returns the number k of parts on which the claim must hold, and the number of all parts that count.
func (c *Claim) needed(tables []observe.Table) (k, of int) {
	for _, t := range tables {
		if !t.StandIn || c.Data != dataReal {
			of++
		}
	}
	switch c.Holds {
	case holdsMost:
		return of/2 + 1, of
	case holdsAny:
		return 1, of
	}
	return of, of
}

// part judges one part of a claim that must hold on k of n parts. The claim is reproduced if k parts are
// reproduced at the level corrected for n - k + 1. It is refuted if n - k + 1 parts are refuted at the level
// corrected for k. The error rate of the verdict is then at most that of one part (Benjamini & Heller 2008,
// "Screening for partial conjunction hypotheses").
func (c *Claim) part(t *observe.Table, needed, of int) Part {
	out := Part{Dataset: t.Dataset, Setting: t.Setting, StandIn: t.StandIn, Outcome: NotRun, Reason: t.Failure}
	switch {
	case t.StandIn && c.Data == dataReal:
		out.Reason = standIn.Text
		return out
	case t.Refuted: // all runs of the claim's subject diverged
		out.Outcome = NotReproduced
		return out
	case t.Failure != "":
		return out
	}
	incomplete := func(q observe.Quantity) bool {
		n := len(q.Values)
		if q.Statistic == observe.PowerLaw {
			n = len(slices.Concat(q.Points...))
		}
		return n == 0 || t.Best && n != len(t.Quantities[0].Values)
	}
	if len(t.Quantities) == 0 || slices.ContainsFunc(t.Quantities, incomplete) {
		out.Reason = "the observations lack values: judge the claim from the records again"
		return out
	}
	p := &judging{Table: t, again: resample(t.Scores), shows: of - needed + 1, refutes: needed}
	if !t.Best {
		p.refutes *= len(t.Quantities) // any quantity refutes the part
	} else if p.again == nil && !t.Halvings { // resamples choose only the rival
		p.again = stats.Choose([][][]float64{slices.Repeat([][]float64{{0}}, len(t.Quantities[0].Values))})
	}
	estimates := p.estimates()
	for _, e := range estimates {
		if out.Reason = tooLarge(e.Name, e.Value, e.Lo, e.Hi); out.Reason != "" {
			return out
		}
	}
	if t.StandIn {
		p.addCaveat(standIn)
	}
	p.addCaveat(t.Losses...)
	out.Estimates, out.Outcome = estimates, slices.MaxFunc(estimates, byOutcome).Outcome
	var texts []string
	for _, e := range estimates {
		texts = append(texts, e.String())
	}
	texts = append(texts, t.Reasons...)
	if out.Outcome == Reproduced && t.SomeDiverged {
		out.Outcome = Inconclusive
		texts = append(texts, "not counting runs that diverged")
	}
	for _, e := range estimates {
		if out.Outcome == Inconclusive {
			p.addCaveat(e.doubts...)
		}
	}
	out.Reason = strings.Join(texts, "; ")
	switch {
	case t.Halvings && t.Deterministic:
		p.addCaveat(note("the interval is over halvings of one test set, not over repeats"))
	case t.Halvings:
		p.addCaveat(doubt("the interval is over halvings of one test set and says nothing about another training run: " +
			"run several repeats"))
	}
	if slices.ContainsFunc(estimates, Estimate.single) {
		p.addCaveat(doubt("one repeat"))
	}
	p.addCaveat(t.Criteria...)
	out.Caveats = p.caveats
	return out
}

// judging is a table that is being judged.
type judging struct {
	*observe.Table
	again *stats.Choices
	// shows and refutes are the numbers of comparisons for which levels are corrected.
	shows, refutes int
	caveats        []Caveat
}

func (p *judging) addCaveat(remarks ...observe.Remark) {
	for _, r := range remarks {
		p.caveats = AddCaveat(p.caveats, r)
	}
}

// estimates returns the estimates that decide. For a bound at several points, it is the worst point. If the
// bound holds, its p-value is the largest of all points.
func (p *judging) estimates() []Estimate {
	p.addCaveat(p.Remarks...)
	var all []Estimate
	for _, q := range p.Quantities {
		if !p.Best {
			all = append(all, p.estimate(q))
		}
		p.addCaveat(q.Remarks...)
	}
	switch {
	case p.Best:
		all = []Estimate{p.estimate(p.Quantities...)}
	case p.Worst:
		at := slices.MaxFunc(all, byOutcome)
		if at.Outcome == Reproduced {
			at.P = slices.MaxFunc(all, func(a, b Estimate) int { return cmp.Compare(a.P, b.P) }).P
		}
		all = []Estimate{at}
	}
	for _, e := range all {
		p.addCaveat(e.remarks...)
	}
	return all
}

// byOutcome orders estimates by outcome, the worst last, and then by upper end.
func byOutcome(a, b Estimate) int {
	rank := []string{Reproduced, Inconclusive, NotReproduced}
	return cmp.Or(slices.Index(rank, a.Outcome)-slices.Index(rank, b.Outcome), cmp.Compare(a.Hi, b.Hi))
}

// replicate returns the name of the replicates of an interval.
func replicate(t *observe.Table) string {
	if t.Halvings {
		return "halving"
	}
	return "repeat"
}

// tooLarge returns a message if a number is not finite, otherwise "".
func tooLarge(name string, numbers ...float64) string {
	if finite.Index(numbers) < 0 {
		return ""
	}
	return name + ": the numbers are too large, or too far apart, for a confidence interval"
}

// Outcomes of claims and their parts.
const (
	// Reproduced means that the confidence interval lies inside the claimed range.
	Reproduced = "reproduced"
	// NotReproduced means that the confidence interval lies outside the claimed range.
	NotReproduced = "not reproduced"
	// Inconclusive means that the confidence interval overlaps the end of the claimed range, or that the
	// runs are random and there is only one repeat, possibly with halvings of one test set.
	Inconclusive = "inconclusive"
	// NotRun means that the claim cannot be judged. Reason has the cause.
	NotRun = "not run"
)

// Outcomes lists the outcomes in the order of tables.
func Outcomes() []string { return []string{Reproduced, NotReproduced, Inconclusive, NotRun} }

// Verdict is the outcome of a claim, with its reasons.
type Verdict struct {
	Claim
	// Experiment is the name of the spec, and Profile the name of the profile.
	Experiment string `json:"experiment"`
	Profile    string `json:"profile"`
	// Set lists the changes to the spec, as path=value.
	Set []string `json:"set,omitempty"`
	// Outcome is Reproduced, NotReproduced, Inconclusive or NotRun.
	Outcome string `json:"outcome"`
	// P is the p-value: the smallest error probability at which intervals still decide the same outcome.
	P float64 `json:"p,omitempty"`
	// Reason is one line with the deciding numbers and their confidence intervals.
	Reason string `json:"reason"`
	// Caveats are limitations of the outcome: stand-in data, a scale below the thesis's, missing or
	// unfinished runs.
	Caveats []Caveat `json:"caveats,omitempty"`
	// Doubtful is true if a caveat may change the outcome, in addition to the uncertainty of the intervals.
	Doubtful bool `json:"doubtful,omitempty"`
	// Parts has one entry for each dataset and setting.
	Parts []Part `json:"parts,omitempty"`
}

// WithoutReadings returns the verdicts on claims that are not readings of other claims.
func WithoutReadings(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of != "" })
}

// OnlyReadings returns the verdicts on readings of claims.
func OnlyReadings(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of == "" })
}

// Part is the outcome of a claim on one dataset at one setting of the parameters.
type Part struct {
	Dataset string `json:"dataset"`
	// Setting is the canonical text of the parameters that distinguish parts, such as "k=4". It is "" if
	// there is only one setting.
	Setting string `json:"setting,omitempty"`
	StandIn bool   `json:"stand_in,omitempty"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	// Estimates are the judged quantities.
	Estimates []Estimate `json:"estimates,omitempty"`
	Caveats   []Caveat   `json:"caveats,omitempty"`
}

// Estimate is a quantity with its confidence interval and the claimed range.
type Estimate struct {
	// Name is a description, such as "sbp / pegasos, error over kernel_evals".
	Name string `json:"name"`
	// Value is the estimate from N repeats or halvings, and [Lo, Hi] its interval at the confidence level
	// Level. Lo and Hi equal Value if the quantity is exact. Exact has the reason.
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	N     int     `json:"n"`
	Exact string  `json:"exact,omitempty"`
	// Wanted is the claimed range in words, such as "at most 1". Between has its numbers.
	Wanted string `json:"wanted"`
	observe.Between
	Outcome string `json:"outcome"`
	// P is the smallest error probability, corrected for several parts and comparisons, at which the
	// outcome is still decided. It is 0 if the quantity is exact.
	P float64 `json:"p,omitempty"`
	// remarks apply to any outcome, and doubts to an inconclusive one.
	remarks, doubts []observe.Remark
}

// Origin describes the experiment of a set of tables.
type Origin struct {
	// Experiment and Profile are the names of the spec and the profile. Set lists the changes to the spec.
	Experiment, Profile string
	Set                 []string
	// Metric is the default metric of curves; "" means "error".
	Metric string
	// Missing counts the planned runs that are not on record.
	Missing []observe.Missing
	// Shortfalls lists the ways in which the runs are below the scale of the thesis.
	Shortfalls []Shortfall
}

// Input has the records from which claims are judged.
type Input struct {
	Origin
	// Choice has the runs with the selected parameters.
	Choice *selection.Choice
	// Deterministic lists the deterministic series. One run of such a series suffices for a verdict.
	Deterministic []DatasetSeries
	// Laws are the power laws of the spec's tables.
	Laws []observe.PowerLaws
}

// DatasetSeries is a series on a dataset.
type DatasetSeries struct{ Dataset, Series string }

// Shortfall is a way in which an experiment is smaller than at the profile "paper".
type Shortfall struct {
	// Dataset is the id of the dataset and Series the series concerned; "" means all.
	Dataset string `json:"dataset,omitempty"`
	Series  string `json:"series,omitempty"`
	// Text describes the shortfall, such as "3 of 10 repeats".
	Text string `json:"text"`
}
