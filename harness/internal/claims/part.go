package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// part is a claim with its observations on one dataset at one setting. Methods that read numbers store
// the first failure in the table.
type part struct {
	*Claim
	in *Input
	// series are the series of the claim, its subject first.
	series []string
	// tradeoffs is true if the curves are trade-offs between support size and error.
	tradeoffs bool
	scope     scope

	table *observe.Table
	// setting has the parameters that distinguish parts.
	setting record.Params
	samples map[string]*sample
	// rows are the repeats, or halvings, that all series have.
	rows []int
}

// sample has the records of a series in a part, by repeat.
type sample struct {
	// all has all runs. runs has the runs with a curve, or one for each repeat or halving of a trade-off.
	// paired has one run for each row of the part.
	all, runs, paired []*record.Run
	// rivals are the candidates, if parameters are selected.
	rivals []selection.Candidate
}

// selectRuns returns the runs that satisfy a condition.
func selectRuns(runs []*record.Run, are func(r *record.Run) bool) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *record.Run) bool { return !are(r) })
}

// parts divides the runs of the claim into parts.
func (whole part) parts() []*part {
	runs := whole.runs()
	vars := whole.shared(runs)
	var parts []*part
	of := func(dataset string, setting record.Params) *part {
		text := setting.String()
		known := func(p *part) bool { return p.table.Dataset == dataset && p.table.Setting == text }
		if k := slices.IndexFunc(parts, known); k >= 0 {
			return parts[k]
		}
		p := whole
		p.table = &observe.Table{Claim: whole.ID, Dataset: dataset, Setting: text, Flags: observe.Flags{Halvings: whole.tradeoffs}}
		p.setting, p.samples = setting, make(map[string]*sample)
		for _, s := range whole.series {
			p.samples[s] = &sample{}
		}
		parts = append(parts, &p)
		return &p
	}
	for _, r := range runs {
		dataset := r.Dataset
		if whole.scope == everything {
			dataset = ""
		}
		setting, _ := r.Params.Split(vars)
		p := of(dataset, setting)
		p.samples[r.Series].all = append(p.samples[r.Series].all, r)
		p.table.StandIn = p.table.StandIn || r.StandIn
		p.table.Halvings = p.table.Halvings && len(whole.in.Choice.Of(r).Repeats) < 2
	}
	for _, d := range whole.Datasets {
		if whole.scope != everything && !slices.ContainsFunc(parts, func(p *part) bool { return p.table.Dataset == d }) {
			of(d, nil)
		}
	}
	slices.SortFunc(parts, func(a, b *part) int {
		return cmp.Or(slices.Index(whole.Datasets, a.table.Dataset)-slices.Index(whole.Datasets, b.table.Dataset),
			strings.Compare(a.table.Dataset, b.table.Dataset), observe.CompareParams(a.setting, b.setting, vars))
	})
	return parts
}

// runs returns the runs of the claim's series that satisfy its restrictions. For a trade-off, their
// parameters are only those that are not tuned.
func (p *part) runs() []*record.Run {
	var all []*record.Run
	runs := p.in.Choice.Runs()
	for i := range runs {
		r := &runs[i]
		if !slices.Contains(p.series, r.Series) || len(p.Datasets) > 0 && !slices.Contains(p.Datasets, r.Dataset) {
			continue
		}
		if p.tradeoffs {
			r = new(runs[i])
			r.Params = p.in.Choice.Of(r).Params
		}
		allowed := true
		for name, v := range r.Params {
			allowed = allowed && observe.Where(p.Where).Allows(name, v)
		}
		if allowed {
			all = append(all, r)
		}
	}
	return all
}

// shared returns the variables that distinguish parts: a minimal set of parameters that all series have,
// that distinguish the runs of one series, and of which the series have common values.
func (p *part) shared(runs []*record.Run) []string {
	if p.scope != oneSetting {
		return nil
	}
	var vars []string
	for _, series := range p.series {
		own := selectRuns(runs, func(r *record.Run) bool { return r.Series == series })
		for _, name := range distinguish(own) {
			if name != record.VarDataset && common(runs, name) {
				vars = words.AddOnce(vars, name)
			}
		}
	}
	slices.SortFunc(vars, observe.CompareVariables)
	return vars
}

// distinguish returns the variables that distinguish runs. See observe.Distinguish.
func distinguish(runs []*record.Run) []string {
	list := make([]record.Run, len(runs))
	for i, r := range runs {
		list[i] = *r
	}
	return observe.Distinguish(list)
}

// common reports whether all runs have a parameter and all series have a common value of it.
func common(runs []*record.Run, name string) bool {
	values := make(map[string][]string) // by series
	for _, r := range runs {
		v, ok := r.Params[name]
		if !ok {
			return false
		}
		values[r.Series] = words.AddOnce(values[r.Series], record.FormatParam(v))
	}
	var all []string
	for _, of := range values {
		if all == nil {
			all = of
		}
		all = both(all, of)
	}
	return len(all) > 0
}

// both returns the common elements of two lists, in the order of the first.
func both[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(v T) bool { return !slices.Contains(b, v) })
}

// sort sorts the runs of each series and selects the runs with a curve.
func (p *part) sort() {
	for _, s := range p.samples {
		slices.SortStableFunc(s.all, func(a, b *record.Run) int {
			return cmp.Or(strings.Compare(a.Dataset, b.Dataset), a.Repeat-b.Repeat,
				strings.Compare(a.Params.String(), b.Params.String()), strings.Compare(a.Key, b.Key))
		})
		s.runs = selectRuns(s.all, (*record.Run).HasClassifiers)
	}
}

// check fails if a series has no runs or runs of several settings. Otherwise it pairs the runs.
func (p *part) check() {
	for _, name := range p.series {
		s := p.samples[name]
		if len(s.runs) == 0 {
			p.failLost(name)
			return
		}
		if names := distinguish(s.all); len(names) > 0 {
			p.fail("series %s has several settings of %s: choose one with where", name, strings.Join(names, ", "))
		}
		for i, r := range s.all[1:] {
			of := p.in.Choice.Of
			if before := s.all[i]; p.tradeoffs && of(r) != of(before) || !p.tradeoffs && r.Repeat == before.Repeat {
				p.fail("series %s has runs of different experiments", name)
			}
		}
		if p.tradeoffs {
			p.tradeoff(name)
		}
	}
	if !p.failed() {
		p.pair()
	}
}

// failLost fails because a series has no runs, or none with a result.
func (p *part) failLost(series string) {
	all := p.samples[series].all
	switch {
	case p.failed():
	case len(all) == 0:
		p.fail("no runs of series %s%s", series, p.restriction())
	default:
		p.fail("none of the %s of %s has a result: %s", words.Count(len(all), "run"), series, statusCounts(all))
		several := len(all) > 1 || !p.random(series) // another run of a random method need not diverge
		p.table.Refuted = several && series == p.series[0] && len(selectRuns(all, diverged)) == len(all)
	}
}

func diverged(r *record.Run) bool { return r.Status == record.StatusDiverged }

// statusCounts counts runs without a result by status, in words.
func statusCounts(runs []*record.Run) string {
	n := make(map[string]int)
	for _, r := range runs {
		n[r.Status]++
	}
	var parts []string
	for _, status := range append(record.Unfinished(), record.StatusFinished) {
		what := strings.ReplaceAll(status, "-", " ")
		if status == record.StatusFinished {
			what = "with an empty curve"
		}
		if n[status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[status], what))
		}
	}
	return strings.Join(parts, ", ")
}
