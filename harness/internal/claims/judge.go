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

// Decide judges valid claims by their tables. What cannot be judged is NotRun, for a reason that is
// given.
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

func (c *Claim) decide(in *Origin, tables []observe.Table) Verdict {
	v := Verdict{Claim: *c, Experiment: in.Experiment, Profile: in.Profile, Set: in.Set, Outcome: NotRun}
	v.Kind = v.OfKind()
	series := c.Series()
	if !c.JudgedAt(in.Profile) {
		v.Reason = "needs profile " + c.LeastProfile()
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

// needed returns on how many of its parts the claim must hold, and of how many.
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

// part judges one of several parts, of which a number must hold. If k of n must, the claim is reproduced
// if k are at the level corrected for n - k + 1, and refuted if n - k + 1 are at that for k: then each
// verdict is wrong no more often than that of one part (Benjamini & Heller 2008, "Screening for
// partial conjunction hypotheses").
func (c *Claim) part(t *observe.Table, needed, of int) Part {
	out := Part{Dataset: t.Dataset, Setting: t.Setting, StandIn: t.StandIn, Outcome: NotRun, Reason: t.Failure}
	switch {
	case t.StandIn && c.Data == dataReal:
		out.Reason = standIn.Text
		return out
	case t.Refuted: // what never ends anywhere is not below, does not reach and does not stay
		out.Outcome = NotReproduced
		return out
	case t.Failure != "":
		return out
	}
	lacks := func(q observe.Quantity) bool {
		n := len(q.Values)
		if q.Statistic == observe.PowerLaw {
			n = len(slices.Concat(q.Points...))
		}
		return n == 0 || t.Best && n != len(t.Quantities[0].Values)
	}
	if len(t.Quantities) == 0 || slices.ContainsFunc(t.Quantities, lacks) {
		out.Reason = "the observations lack values: judge the claim from the records again"
		return out
	}
	p := &judging{Table: t, again: resample(t.Scores), shows: of - needed + 1, refutes: needed}
	if !t.Best {
		p.refutes *= len(t.Quantities) // any of which refutes the part
	} else if p.again == nil && !t.Halvings { // resamples choose the rival only
		p.again = stats.Choose([][][]float64{slices.Repeat([][]float64{{0}}, len(t.Quantities[0].Values))})
	}
	estimates := p.estimates()
	for _, e := range estimates {
		if out.Reason = tooLarge(e.Name, e.Value, e.Lo, e.Hi); out.Reason != "" {
			return out
		}
	}
	if t.StandIn {
		p.caveat(standIn)
	}
	p.caveat(t.Losses...)
	out.Estimates, out.Outcome = estimates, worst(estimates)
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
			p.caveat(e.doubts...)
		}
	}
	out.Reason = strings.Join(texts, "; ")
	switch {
	case t.Halvings && t.Deterministic:
		p.caveat(note("the interval is over halvings of one test set, not over repeats"))
	case t.Halvings:
		p.caveat(doubt("the interval is over halvings of one test set and says nothing about another training run: " +
			"run several repeats"))
	}
	if slices.ContainsFunc(estimates, Estimate.single) {
		p.caveat(doubt("one repeat"))
	}
	p.caveat(t.Criteria...)
	out.Caveats = p.caveats
	return out
}

// judging is a table in the course of its judgement.
type judging struct {
	*observe.Table
	again *stats.Choices
	// shows and refutes are the numbers that the levels of its intervals are corrected for.
	shows, refutes int
	caveats        []Caveat
}

func (p *judging) caveat(remarks ...observe.Remark) {
	for _, r := range remarks {
		p.caveats = AddCaveat(p.caveats, r)
	}
}

// estimates returns the estimates that decide: of a bound at each of several points the worst, if it holds
// with the p-value of the point where that is largest.
func (p *judging) estimates() []Estimate {
	p.caveat(p.Remarks...)
	var all []Estimate
	for _, q := range p.Quantities {
		if !p.Best {
			all = append(all, p.estimate(q))
		}
		p.caveat(q.Remarks...)
	}
	switch {
	case p.Best:
		all = []Estimate{p.estimate(p.Quantities...)}
	case p.Worst:
		at := slices.MaxFunc(all, byHarm)
		if at.Outcome == Reproduced {
			at.P = slices.MaxFunc(all, func(a, b Estimate) int { return cmp.Compare(a.P, b.P) }).P
		}
		all = []Estimate{at}
	}
	for _, e := range all {
		p.caveat(e.remarks...)
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

// tooLarge says that numbers are beyond the range of floats, "" if none is.
func tooLarge(name string, numbers ...float64) string {
	if finite.Index(numbers) < 0 {
		return ""
	}
	return name + ": the numbers are too large, or too far apart, for a confidence interval"
}

// Outcomes of a claim, and of its parts.
const (
	// Reproduced: the confidence interval lies inside the claimed range.
	Reproduced = "reproduced"
	// NotReproduced: the confidence interval lies outside the claimed range.
	NotReproduced = "not reproduced"
	// Inconclusive: the confidence interval overlaps the end of the claimed range, or
	// randomness is involved and each series has only one repeat, or halvings of one test set.
	Inconclusive = "inconclusive"
	// NotRun: there are no runs to judge. Reason says why.
	NotRun = "not run"
)

// Verdict is the outcome of a claim, with its reasons.
type Verdict struct {
	Claim
	// Experiment is the name of the specification, Profile that of the profile.
	Experiment string `json:"experiment"`
	Profile    string `json:"profile"`
	// Set lists the changes to the specification, as path=value, that it was run with.
	Set []string `json:"set,omitempty"`
	// Outcome is Reproduced, NotReproduced, Inconclusive or NotRun.
	Outcome string `json:"outcome"`
	// P is the least probability of error at which an outcome that intervals decided is the same.
	P float64 `json:"p,omitempty"`
	// Reason is a line with the numbers that decided, and their confidence intervals.
	Reason string `json:"reason"`
	// Caveats are ways in which the outcome is less than it seems: stand-in data, less
	// than the thesis's scale, runs that are missing or did not finish.
	Caveats []Caveat `json:"caveats,omitempty"`
	// Doubtful: a caveat says that the outcome may be another, beyond what the intervals say.
	Doubtful bool `json:"doubtful,omitempty"`
	// Parts has one entry a data set and setting.
	Parts []Part `json:"parts,omitempty"`
}

// OfClaims returns the verdicts on claims without those on readings.
func OfClaims(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of != "" })
}

// OfReadings returns the verdicts on readings of claims.
func OfReadings(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of == "" })
}

// Part is a claim on one data set, at one setting of the parameters.
type Part struct {
	Dataset string `json:"dataset"`
	// Setting is the canonical text of the parameters that tell parts apart, such
	// as "k=4"; empty where there is one setting only.
	Setting string `json:"setting,omitempty"`
	StandIn bool   `json:"stand_in,omitempty"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	// Estimates are the quantities that were judged.
	Estimates []Estimate `json:"estimates,omitempty"`
	Caveats   []Caveat   `json:"caveats,omitempty"`
}

// Estimate is a quantity with its confidence interval and the claimed range.
type Estimate struct {
	// Name says what it is, such as "sbp / pegasos, error over kernel_evals".
	Name string `json:"name"`
	// Value and its interval at the confidence level Level, over N repeats, or
	// halvings. Lo and Hi equal Value if the quantity is exact: Exact says why.
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	N     int     `json:"n"`
	Exact string  `json:"exact,omitempty"`
	// Wanted is the claimed range in words, such as "at most 1", and Between in numbers.
	Wanted string `json:"wanted"`
	observe.Between
	Outcome string `json:"outcome"`
	// P is the least probability of error at which Outcome, if decided, is the same: at the level
	// corrected for several parts and comparisons. It is 0 if the quantity is exact.
	P float64 `json:"p,omitempty"`
	// remarks go with it, doubts with an outcome that is open.
	remarks, doubts []observe.Remark
}

// Origin says where the tables of claims come from, and what its records lack.
type Origin struct {
	// Experiment and Profile name what was run, Set what was changed of it.
	Experiment, Profile string
	Set                 []string
	// Metric is the one that curves show unless they name another, by default "error".
	Metric string
	// Missing counts the planned runs that are not on record.
	Missing []observe.Missing
	// Shortfalls say in which ways the runs are below the scale of the thesis.
	Shortfalls []Shortfall
}

// Input is what claims are judged from.
type Input struct {
	Origin
	// Choice has the runs of the selected parameters.
	Choice *selection.Choice
	// Deterministic lists the series without randomness: a single run of theirs is enough for a verdict.
	Deterministic []Cell
	// Laws are those of the tables of the specification.
	Laws []observe.PowerLaws
}

// Cell is a series on a data set.
type Cell struct{ Dataset, Series string }

// Shortfall is a way in which an experiment is smaller than at the profile "paper".
type Shortfall struct {
	// Dataset is the id of the data set concerned, empty for all; Series likewise.
	Dataset string `json:"dataset,omitempty"`
	Series  string `json:"series,omitempty"`
	// Text says what is less, such as "3 of 10 repeats".
	Text string `json:"text"`
}
