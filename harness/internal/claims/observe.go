package claims

import (
	"fmt"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/parallel"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Observe reads the tables that decide valid claims from the records, in the order of the claims.
func Observe(list []Claim, in Input) []observe.Table {
	var tables []observe.Table
	for i := range list {
		c := &list[i]
		if !c.judgedAt(in.Profile) {
			continue
		}
		whole := part{Claim: c, in: &in, series: c.Series()}
		whole.tradeoffs = in.Choice.BySize() && slices.Contains(c.named("cost"), observe.CostSupport)
		if of, ok := c.Check.predicate().(interface{ scope() scope }); ok {
			whole.scope = of.scope()
		}
		parts := whole.parts()
		parallel.Each(len(parts), func(i int) {
			if p := parts[i]; !p.table.StandIn || c.Data != dataReal {
				p.fill()
			}
		})
		for _, p := range parts {
			tables = append(tables, *p.table)
		}
	}
	return tables
}

// scope selects the runs from which the numbers of a table are read.
type scope int

const (
	oneSetting  scope = iota // the runs on a dataset; each series must have one setting
	allSettings              // all runs on a dataset
	everything               // all runs
)

func (p *part) failed() bool { return p.table.Failure != "" }

// fail sets the reason why there are no numbers, unless there is one.
func (p *part) fail(format string, args ...any) {
	if !p.failed() {
		p.table.Failure = fmt.Sprintf(format, args...)
	}
}

// addRemark adds a remark on the part, once.
func (p *part) addRemark(r observe.Remark) {
	if !p.failed() {
		p.table.Remarks = words.AddOnce(p.table.Remarks, r)
	}
}

// addReason adds a reason, once.
func (p *part) addReason(format string, args ...any) {
	if !p.failed() {
		p.table.Reasons = words.AddOnce(p.table.Reasons, fmt.Sprintf(format, args...))
	}
}

// fill reads the numbers of a part into its table.
func (p *part) fill() {
	t, timed := p.table, slices.Contains(p.named("cost"), record.CostCPUSeconds)
	p.sort()
	if p.scope == everything {
		t.Quantities = p.Check.predicate().quantities(p)
		return
	}
	t.Deterministic = !timed && !slices.ContainsFunc(p.series, p.random)
	if p.scope == oneSetting {
		if p.check(); p.failed() {
			return
		}
		p.addScores()
	}
	quantities := p.Check.predicate().quantities(p)
	if p.failed() {
		return
	}
	p.readAgain(quantities)
	t.Quantities = quantities
	t.SomeDiverged = !p.tradeoffs && slices.ContainsFunc(p.samples[p.series[0]].all, diverged)
	t.Losses = p.losses(timed)
}

// random reports whether a series is not deterministic.
func (p *part) random(series string) bool {
	return !slices.Contains(p.in.Deterministic, DatasetSeries{p.table.Dataset, series})
}

// losses returns remarks on runs without a result and on runs that ended at their time limit, which count up to
// that point.
func (p *part) losses(timed bool) []observe.Remark {
	var remarks []observe.Remark
	for _, name := range p.series {
		s := p.samples[name]
		lost := selectRuns(s.all, func(r *record.Run) bool { return !r.HasClassifiers() })
		if len(lost) > 0 {
			remarks = append(remarks, doubt("%d of %s of %s left out: %s", len(lost), words.Count(len(s.all), "run"), name, statusCounts(lost)))
		}
		short := selectRuns(s.all, func(r *record.Run) bool { return r.Status == record.StatusOutOfTime && r.HasClassifiers() })
		if len(short) > 0 {
			remarks = append(remarks, doubt("%s of %s out of time, used up to that point", words.Count(len(short), "run"), name))
		}
		if timed && len(s.runs) == 1 && len(p.rows) > 1 {
			remarks = append(remarks, note("%s was timed once", name))
		}
	}
	return remarks
}

// addScores adds the scores of each series whose parameters are selected.
func (p *part) addScores() {
	for _, name := range p.series {
		s := p.samples[name]
		if s.rivals = p.in.Choice.Eligible(s.runs[0]); len(s.rivals) < 2 || len(s.runs) < 2 {
			continue
		}
		scores := observe.Scores{Series: name, Repeats: p.rows}
		for _, repeat := range p.rows {
			var losses []float64
			at := slices.Index(s.rivals[0].Repeats(), repeat)
			for _, c := range s.rivals {
				losses = append(losses, c.Losses[at])
			}
			scores.Losses = append(scores.Losses, losses)
		}
		p.table.Scores = append(p.table.Scores, scores)
	}
}

// readAgain reads quantities with the parameters that resamples of the repeats select. A value with another
// claimed range or another statistic counts as unknown.
func (p *part) readAgain(quantities []observe.Quantity) {
	scores := p.table.Scores
	if scores == nil {
		return
	}
	for _, choice := range resample(scores).Joint {
		text := choiceText(choice)
		q := *p
		q.table, q.samples = &observe.Table{Dataset: p.table.Dataset, Flags: p.table.Flags}, make(map[string]*sample)
		for name, s := range p.samples {
			q.samples[name] = &sample{all: s.all, runs: s.runs}
		}
		for i, s := range scores {
			runs := p.samples[s.Series].rivals[choice[i]].Records
			q.samples[s.Series] = &sample{all: runs, runs: runs}
		}
		q.pair()
		others := p.Check.predicate().quantities(&q)
		if q.failed() {
			continue
		}
		for i := range quantities {
			of := &quantities[i]
			k := slices.IndexFunc(others, func(o observe.Quantity) bool { return o.Key == of.Key })
			if k >= 0 && others[k].Between.String() == of.Between.String() && others[k].Statistic == of.Statistic {
				for _, v := range others[k].Values {
					v.Choice = text
					of.Again = append(of.Again, v)
				}
			}
		}
	}
}
