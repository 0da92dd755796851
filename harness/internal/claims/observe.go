package claims

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// Observe reads off the records what decides claims: tables, in the order of the claims. laws are
// those of the tables of the specification.
func Observe(list []Claim, in Input, laws []observe.PowerLaws) []observe.Table {
	var tables []observe.Table
	for i := range list {
		c := &list[i]
		if c.unjudged(in.Profile) == "" {
			j := &observing{Claim: c, in: &in, laws: laws, series: c.Series()}
			j.tradeoffs = in.Choice.BySize() && c.over(costSupport)
			tables = append(tables, c.Check.predicate().observe(j)...)
		}
	}
	return tables
}

// observing is a claim with what it is judged by.
type observing struct {
	*Claim
	in   *Input
	laws []observe.PowerLaws
	// series are those of the claim, the one that it is about first.
	series []string
	// tradeoffs: the curves are trade-offs between support size and error.
	tradeoffs bool
}

// part is what a claim is judged by on one data set, at one setting. Its methods that read numbers
// record the first failure in the table.
type part struct {
	*observing
	table *observe.Table
	// face has the values of the setting, nil where there are no runs.
	face    *record.Run
	samples map[string]*sample
}

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

// reader reads the quantities of a predicate off a part.
type reader func(p *part) []observe.Quantity

// tables reads each data set: at each setting, whose records must have one setting of each series,
// or, pooled, by the runs of all settings together.
func (j *observing) tables(pooled bool, read reader) []observe.Table {
	var out []observe.Table
	for _, p := range j.parts(pooled) {
		if !p.table.StandIn || j.Data != dataReal {
			p.fill(pooled, read)
		}
		out = append(out, *p.table)
	}
	return out
}

func (p *part) fill(pooled bool, read reader) {
	t := p.table
	timed := p.over(record.CostSeconds) || p.over(record.CostCPUSeconds)
	t.Deterministic = !p.tradeoffs && !timed && !slices.ContainsFunc(p.series, p.random)
	var rivals [][]selection.Candidate
	if !pooled {
		if p.check(); p.failed() {
			return
		}
		rivals = p.rivals()
	}
	quantities := read(p)
	for _, q := range quantities {
		for _, end := range []*float64{q.Least, q.Most} {
			if end != nil {
				t.Failure = cmp.Or(t.Failure, tooLarge(q.Name, *end))
			}
		}
	}
	if p.failed() {
		return
	}
	if rivals != nil {
		p.readAgain(quantities, rivals, read)
	}
	t.Quantities = quantities
	t.SomeDiverged = !p.tradeoffs && slices.ContainsFunc(p.samples[p.series[0]].lost, diverged)
	t.Lone = strings.Join(p.lone(), ", ")
	t.Losses = p.losses(timed)
}

func diverged(r *record.Run) bool { return r.Status == record.StatusDiverged }

// random reports whether random numbers enter a series.
func (p *part) random(series string) bool {
	return !slices.Contains(p.in.Deterministic, Cell{p.table.Dataset, series})
}

// lone lists the series of which there is one repeat but several of others, though random numbers
// enter: what varies between repeats of theirs is not known.
func (p *part) lone() []string {
	return slices.DeleteFunc(slices.Clone(p.series), func(s string) bool {
		return p.table.Halvings || p.samples[s].repeats() != 1 || p.most() < 2 || !p.random(s)
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

// losses reports runs without a result, and those that ran out of time and count as far as they got.
func (p *part) losses(timed bool) []observe.Remark {
	var remarks []observe.Remark
	for _, name := range p.series {
		s := p.samples[name]
		if len(s.lost) > 0 {
			remarks = append(remarks, doubt("%d of %s of %s left out: %s", len(s.lost), words.Count(len(s.all), "run"), name, happenings(s.lost)))
		}
		n := 0
		for _, r := range s.runs {
			if r.Status == record.StatusOutOfTime {
				n++
			}
		}
		if n > 0 {
			remarks = append(remarks, doubt("%s of %s out of time, used up to that point", words.Count(n, "run"), name))
		}
		if timed && len(s.runs) == 1 && !p.tradeoffs && p.most() > 1 {
			remarks = append(remarks, note("%s was timed once", name))
		}
	}
	return remarks
}

// readAgain reads quantities with the parameters that resamples of the repeats select. A value
// that should be in another range is not comparable, and counts as unknown.
func (p *part) readAgain(quantities []observe.Quantity, rivals [][]selection.Candidate, read reader) {
	for _, choice := range resample(p.table.Scores).Joint {
		q := *p
		q.table, q.samples = &observe.Table{Dataset: p.table.Dataset, Flags: p.table.Flags}, maps.Clone(p.samples)
		for i, s := range p.table.Scores {
			runs := rivals[i][choice[i]].Records
			q.samples[s.Series] = &sample{runs: runs, all: runs}
		}
		others := read(&q)
		if q.failed() {
			continue
		}
		for i := range quantities {
			of := &quantities[i]
			k := slices.IndexFunc(others, func(o observe.Quantity) bool { return o.Key == of.Key })
			if k >= 0 && others[k].Between.String() == of.Between.String() {
				for _, v := range others[k].Values {
					v.Choice = choiceText(choice)
					of.Again = append(of.Again, v)
				}
			}
		}
	}
}

// rivals sets the scores of the series whose parameters are selected, over the repeats that all have,
// and returns their candidates, nil if there are none.
func (p *part) rivals() [][]selection.Candidate {
	if p.in.Choice == nil || p.tradeoffs {
		return nil
	}
	var of [][]selection.Candidate
	var names []string
	var repeats []int
	for _, name := range p.series {
		runs := p.samples[name].runs
		if len(runs) < 2 {
			continue
		}
		r := p.in.Choice.Rivals(runs[0])
		if len(r) < 2 {
			continue
		}
		if of == nil {
			repeats = r[0].Repeats()
		}
		repeats = both(repeats, r[0].Repeats())
		of, names = append(of, r), append(names, name)
	}
	if len(repeats) < 2 {
		return nil
	}
	for i, r := range of {
		s := observe.Scores{Series: names[i], Repeats: repeats, Losses: make([][]float64, len(repeats))}
		for k, repeat := range repeats {
			at, _ := slices.BinarySearch(r[0].Repeats(), repeat)
			for _, c := range r {
				s.Losses[k] = append(s.Losses[k], c.Losses[at])
			}
		}
		p.table.Scores = append(p.table.Scores, s)
	}
	return of
}

// both returns what two lists have in common, in the order of the first.
func both(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(v int) bool { return !slices.Contains(b, v) })
}
