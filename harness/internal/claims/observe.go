package claims

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Observe reads off the records what decides claims: tables, in the order of the claims.
func Observe(list []Claim, in Input) []observe.Table {
	var tables []observe.Table
	for i := range list {
		c := &list[i]
		if c.unjudged(in.Profile) != "" {
			continue
		}
		j := &observing{Claim: c, in: &in, quantities: c.Check.predicate().quantities, series: c.Series()}
		j.tradeoffs = in.Choice.BySize() && slices.Contains(c.named(KindCost), costSupport)
		if of, ok := c.Check.predicate().(interface{ scope() scope }); ok {
			j.scope = of.scope()
		}
		for _, p := range j.parts() {
			if !p.table.StandIn || c.Data != dataReal {
				p.fill()
			}
			tables = append(tables, *p.table)
		}
	}
	return tables
}

// observing is a claim with what it is judged by.
type observing struct {
	*Claim
	in         *Input
	quantities func(p *part) []observe.Quantity
	// series are those of the claim, the one that it is about first.
	series []string
	// tradeoffs: the curves are trade-offs between support size and error.
	tradeoffs bool
	scope     scope
}

// scope is what the numbers of a table are read off.
type scope int

const (
	oneSetting  scope = iota // runs on a data set, which must have one setting of each series
	allSettings              // all runs on a data set
	everything               // all runs
)

func (p *part) failed() bool { return p.table.Failure != "" }

// fail says why there are no numbers, unless something failed before.
func (p *part) fail(format string, args ...any) {
	if !p.failed() {
		p.table.Failure = fmt.Sprintf(format, args...)
	}
}

// remark adds a remark on the part, and because a reason; each is kept once.
func (p *part) remark(r observe.Remark) {
	if !p.failed() {
		p.table.Remarks = words.AddOnce(p.table.Remarks, r)
	}
}

func (p *part) because(format string, args ...any) {
	p.table.Reasons = words.AddOnce(p.table.Reasons, fmt.Sprintf(format, args...))
}

// fill reads the numbers of a part.
func (p *part) fill() {
	t, timed := p.table, slices.Contains(p.named(KindCost), record.CostCPUSeconds)
	p.sort()
	if p.scope == everything {
		t.Quantities = p.quantities(p)
		return
	}
	t.Deterministic = !p.tradeoffs && !timed && !slices.ContainsFunc(p.series, p.random)
	if p.scope == oneSetting {
		if p.check(); p.failed() {
			return
		}
		p.addScores()
		p.pair()
	}
	quantities := p.quantities(p)
	if p.failed() {
		return
	}
	p.readAgain(quantities)
	t.Quantities = quantities
	t.SomeDiverged = !p.tradeoffs && slices.ContainsFunc(p.samples[p.series[0]].lost(), diverged)
	t.Lone = strings.Join(p.lone(), ", ")
	t.Losses = p.losses(timed)
}

// random reports whether random numbers enter a series.
func (p *part) random(series string) bool {
	return !slices.Contains(p.in.Deterministic, Cell{p.table.Dataset, series})
}

// lone lists the series of which there is one repeat but several of others, though random numbers
// enter: what varies between repeats of theirs is not known.
func (p *part) lone() []string {
	return slices.DeleteFunc(slices.Clone(p.series), func(s string) bool {
		return p.table.Halvings || len(p.samples[s].runs) != 1 || p.most() < 2 || !p.random(s)
	})
}

// most returns the largest number of repeats of a series.
func (p *part) most() int {
	most := 0
	for _, s := range p.samples {
		most = max(most, len(s.runs))
	}
	return most
}

// losses reports runs without a result, and those that ran out of time and count as far as they got.
func (p *part) losses(timed bool) []observe.Remark {
	var remarks []observe.Remark
	for _, name := range p.series {
		s := p.samples[name]
		lost := s.lost()
		if len(lost) > 0 {
			remarks = append(remarks, doubt("%d of %s of %s left out: %s", len(lost), words.Count(len(s.all), "run"), name, happenings(lost)))
		}
		short := those(s.all, func(r *record.Run) bool { return r.Status == record.StatusOutOfTime && r.ClassifiersCount() })
		if len(short) > 0 {
			remarks = append(remarks, doubt("%s of %s out of time, used up to that point", words.Count(len(short), "run"), name))
		}
		if timed && len(s.runs) == 1 && p.most() > 1 {
			remarks = append(remarks, note("%s was timed once", name))
		}
	}
	return remarks
}

// addScores adds the scores of the series whose parameters are selected, over the repeats that all have.
func (p *part) addScores() {
	var scores []observe.Scores
	var repeats []int
	for _, name := range p.series {
		s := p.samples[name]
		if len(s.runs) < 2 {
			continue
		}
		var ok bool
		if s.rivals, ok = p.in.Choice.Rivals(s.runs[0]); ok {
			if scores == nil {
				repeats = s.rivals.Repeats
			}
			repeats = both(repeats, s.rivals.Repeats)
			scores = append(scores, observe.Scores{Series: name})
		}
	}
	if len(repeats) < 2 {
		return
	}
	for i := range scores {
		s := &scores[i]
		r := p.samples[s.Series].rivals
		s.Repeats = repeats
		for _, repeat := range repeats {
			var row []float64
			for _, losses := range r.Losses {
				row = append(row, losses[slices.Index(r.Repeats, repeat)])
			}
			s.Losses = append(s.Losses, row)
		}
	}
	p.table.Scores = scores
}

// readAgain reads quantities with the parameters that resamples of the repeats select. A value
// that should be in another range is not comparable, and counts as unknown.
func (p *part) readAgain(quantities []observe.Quantity) {
	scores := p.table.Scores
	if scores == nil {
		return
	}
	for _, choice := range resample(scores).Joint {
		q := *p
		q.table, q.samples = &observe.Table{Dataset: p.table.Dataset, Flags: p.table.Flags}, make(map[string]*sample)
		for name, s := range p.samples {
			q.samples[name] = &sample{all: s.all, runs: s.runs}
		}
		for i, s := range scores {
			runs := p.samples[s.Series].rivals.Runs[choice[i]]
			q.samples[s.Series] = &sample{all: runs, runs: runs}
		}
		q.pair()
		others := p.quantities(&q)
		if q.failed() {
			continue
		}
		for i := range quantities {
			of := &quantities[i]
			k := slices.IndexFunc(others, func(o observe.Quantity) bool { return o.Key == of.Key })
			if k >= 0 && others[k].Between.String() == of.Between.String() {
				for _, v := range others[k].Values {
					of.SetAgain(choiceText(choice), v, scores[0].Repeats)
				}
			}
		}
	}
}
