package claims

import (
	"errors"
	"maps"
	"math"
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
		if list[i].unjudged(in.Profile) == "" {
			j := observing{Claim: &list[i], in: &in, laws: laws, series: list[i].Series()}
			tables = append(tables, j.Check.predicate().observe(&j)...)
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
}

// reader reads the quantities of a predicate off a part.
type reader func(p *part) ([]observe.Quantity, error)

// byPart reads each data set at each setting, whose records have to be of one setting
// of each series.
func (j *observing) byPart(read reader) []observe.Table {
	return j.each(false, func(p *part) ([]observe.Quantity, error) {
		if err := p.check(j.restriction()); err != nil {
			return nil, err
		}
		again := p.readAgain(read)
		quantities, err := read(p)
		for i := range quantities {
			quantities[i].Again = again.of(quantities[i].Key)
		}
		return quantities, err
	})
}

// byDataset reads each data set by the runs of all settings together.
func (j *observing) byDataset(read reader) []observe.Table { return j.each(true, read) }

func (j *observing) each(pooled bool, read reader) []observe.Table {
	var out []observe.Table
	for _, p := range j.parts(pooled) {
		if !p.table.StandIn || j.Data != dataReal {
			j.fill(p, read)
		}
		out = append(out, *p.table)
	}
	return out
}

// fill fills in the table of a part.
func (j *observing) fill(p *part, read reader) {
	t := p.table
	timed := j.over(record.CostSeconds) || j.over(record.CostCPUSeconds)
	t.Deterministic = !p.tradeoff && !timed && !slices.ContainsFunc(p.series, p.random)
	quantities, err := read(p)
	if err != nil {
		var lost *lostError
		t.Failure = err.Error()
		t.Refuted = errors.As(err, &lost) && lost.diverged() && lost.series == j.series[0]
		return
	}
	t.Quantities = quantities
	t.SomeDiverged = !p.tradeoff && slices.ContainsFunc(p.samples[j.series[0]].lost, diverged)
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
		if timed && len(s.runs) == 1 && !p.tradeoff && p.most() > 1 {
			remarks = append(remarks, note("%s was timed once", name))
		}
	}
	return remarks
}

// reread holds the quantities that are read with other parameters: by the text of the joint choice,
// in the order in which these first occur.
type reread struct {
	repeats    []int
	choices    []string
	quantities []map[string]observe.Quantity
}

// readAgain sets the scores of the table, and reads the quantities with the parameters that
// resamples of the repeats select.
func (p *part) readAgain(read reader) (out reread) {
	rivals := p.rivals()
	if len(p.table.Scores) == 0 {
		return out
	}
	out.repeats = p.table.Scores[0].Repeats
	for _, choice := range resample(p.table.Scores).Joint {
		q := *p
		q.table, q.samples = &observe.Table{Dataset: p.table.Dataset, Flags: p.table.Flags}, maps.Clone(p.samples)
		for i, s := range p.table.Scores {
			runs := rivals[i].Runs[choice[i]]
			q.samples[s.Series] = &sample{runs: runs, all: slices.Clone(runs)}
		}
		byKey := map[string]observe.Quantity{}
		if quantities, err := read(&q); err == nil {
			for _, of := range quantities {
				byKey[of.Key] = of
			}
		}
		out.choices, out.quantities = append(out.choices, choiceText(choice)), append(out.quantities, byKey)
	}
	return out
}

// of returns the values of a quantity by joint choice. Those that are to be in another range than
// the first ones are not comparable, and count as unknown.
func (a *reread) of(key string) map[string][]float64 {
	var first *observe.Quantity
	out := map[string][]float64{}
	for i, choice := range a.choices {
		q, ok := a.quantities[i][key]
		if ok && first == nil {
			first = &q
		}
		if !ok || q.Between.String() != first.Between.String() {
			continue
		}
		values := make([]float64, len(a.repeats))
		for j, repeat := range a.repeats {
			values[j] = math.NaN()
			if at := slices.IndexFunc(q.Values, func(v observe.Value) bool { return v.Row == repeat }); at >= 0 {
				values[j] = q.Values[at].Number
			}
		}
		out[choice] = values
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// rivals sets the scores of the series whose parameters are selected, over the repeats that all have,
// and returns their candidates.
func (p *part) rivals() []selection.Rivals {
	if p.in.Choice == nil || p.tradeoff {
		return nil
	}
	var of []selection.Rivals
	var names []string
	var repeats []int
	for _, name := range p.series {
		runs := p.samples[name].runs
		if len(runs) < 2 {
			continue
		}
		r, ok := p.in.Choice.Rivals(runs[0])
		if !ok {
			continue
		}
		if of == nil {
			repeats = r.Repeats
		}
		repeats = slices.DeleteFunc(slices.Clone(repeats), func(id int) bool { return !slices.Contains(r.Repeats, id) })
		of, names = append(of, r), append(names, name)
	}
	if len(repeats) < 2 {
		return nil
	}
	for i, r := range of {
		s := observe.Scores{Series: names[i], Repeats: repeats, Losses: make([][]float64, len(repeats))}
		for k, repeat := range repeats {
			at, _ := slices.BinarySearch(r.Repeats, repeat)
			for _, losses := range r.Losses {
				s.Losses[k] = append(s.Losses[k], losses[at])
			}
		}
		p.table.Scores = append(p.table.Scores, s)
	}
	return of
}
