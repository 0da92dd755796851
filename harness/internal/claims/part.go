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

// unit is a run, or a trade-off with its runs, in the making of parts.
type unit struct {
	// face has the variables that tell units apart.
	face  *record.Run
	runs  []*record.Run
	curve *selection.Series
}

// sample is what is on record of a series in a part.
type sample struct {
	// faces are those of the units, all their runs.
	faces, all []*record.Run
	// runs are those with a curve, by repeat; lost those without, with one that is no result, or with none.
	runs, lost []*record.Run
	// curves hold the trade-off of the series, if the claim is about those: one, or it has several settings.
	curves []*selection.Series
}

// parts sorts the runs of the series into parts. pooled: all settings of a data set are one part.
func (j *observing) parts(pooled bool) []*part {
	units := j.units()
	var vars []string
	if !pooled {
		vars = shared(units, j.series)
	}
	var parts []*part
	for i := range units {
		u := &units[i]
		at := make(record.Params)
		for _, name := range vars {
			at[name] = u.face.Params[name]
		}
		setting := at.String()
		k := slices.IndexFunc(parts, func(p *part) bool { return p.table.Dataset == u.face.Dataset && p.table.Setting == setting })
		if k < 0 {
			k = len(parts)
			parts = append(parts, j.newPart(u.face.Dataset, setting, u.face))
		}
		parts[k].add(u)
	}
	for _, d := range j.Datasets {
		if !slices.ContainsFunc(parts, func(p *part) bool { return p.table.Dataset == d }) {
			parts = append(parts, j.newPart(d, "", &record.Run{}))
		}
	}
	slices.SortFunc(parts, func(a, b *part) int {
		return cmp.Or(slices.Index(j.Datasets, a.table.Dataset)-slices.Index(j.Datasets, b.table.Dataset),
			strings.Compare(a.table.Dataset, b.table.Dataset), observe.CompareParams(a.face.Params, b.face.Params, vars))
	})
	for _, p := range parts {
		for _, s := range p.samples {
			s.sort()
		}
	}
	return parts
}

func (j *observing) newPart(dataset, setting string, face *record.Run) *part {
	t := &observe.Table{Claim: j.ID, Dataset: dataset, Setting: setting, Flags: observe.Flags{Halvings: j.tradeoffs}}
	p := &part{observing: j, table: t, face: face, samples: make(map[string]*sample)}
	for _, s := range j.series {
		p.samples[s] = &sample{}
	}
	return p
}

func (p *part) add(u *unit) {
	s := p.samples[u.face.Series]
	s.faces, s.all = append(s.faces, u.face), append(s.all, u.runs...)
	p.table.StandIn = p.table.StandIn || u.face.StandIn
	if u.curve != nil {
		s.curves = append(s.curves, u.curve)
		p.table.Halvings = p.table.Halvings && len(u.curve.Repeats) < 2
	}
}

func (s *sample) sort() {
	slices.SortStableFunc(s.all, func(a, b *record.Run) int {
		return cmp.Or(a.Repeat-b.Repeat, strings.Compare(a.Params.String(), b.Params.String()), strings.Compare(a.Key, b.Key))
	})
	for _, r := range s.all {
		if r.ClassifiersCount() {
			s.runs = append(s.runs, r)
		} else {
			s.lost = append(s.lost, r)
		}
	}
}

// repeats is the number of repeats that there are curves of.
func (s *sample) repeats() int {
	if len(s.curves) > 0 {
		return len(s.curves[0].Repeats)
	}
	return len(s.runs)
}

// check reports a series without runs, or with runs of several settings.
func (p *part) check() {
	for _, name := range p.series {
		s := p.samples[name]
		several := len(s.curves) > 1 || slices.ContainsFunc(s.faces, func(r *record.Run) bool {
			return r.Params.String() != s.faces[0].Params.String()
		})
		switch {
		case len(s.faces) == 0:
			p.fail("no runs of series %s%s", name, p.restriction())
		case several:
			p.failSeveral(name, varying(s.faces))
		}
		if p.tradeoffs {
			continue
		}
		for i, r := range s.runs[:max(len(s.runs)-1, 0)] {
			if r.Repeat == s.runs[i+1].Repeat {
				p.fail("series %s has two records of repeat %d: they are of different experiments", name, r.Repeat)
			}
		}
		if len(s.runs) == 0 {
			p.failLost(name, s.lost)
		}
	}
}

// failSeveral reports a series with several settings, which differ in parameters.
func (p *part) failSeveral(series string, names []string) {
	if len(names) > 0 {
		p.fail("series %s has several settings of %s: choose one with where", series, strings.Join(names, ", "))
		return
	}
	p.fail("the runs of series %s are of different experiments", series)
}

func (p *part) failLost(series string, runs []*record.Run) {
	if p.failed() {
		return
	}
	p.fail("none of the %s of %s has a result: %s", words.Count(len(runs), "run"), series, happenings(runs))
	p.table.Refuted = series == p.series[0] && !slices.ContainsFunc(runs, func(r *record.Run) bool { return !diverged(r) })
}

// happenings says what became of runs that have no result.
func happenings(runs []*record.Run) string {
	var parts []string
	for _, status := range append(record.Unfinished(), record.StatusFinished) {
		n := 0
		for _, r := range runs {
			if r.Status == status {
				n++
			}
		}
		verb := map[string]string{
			record.StatusFailed: "failed", record.StatusDiverged: "diverged", record.StatusSkipped: "skipped",
			record.StatusOutOfTime: "out of time", record.StatusOutOfMemory: "out of memory", record.StatusFinished: "with an empty curve",
		}[status]
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verb))
		}
	}
	return strings.Join(parts, ", ")
}

// units returns what the claim is about, by the data sets and values that it is restricted to.
func (j *observing) units() []unit {
	var all []unit
	if j.tradeoffs {
		for i := range j.in.Choice.Series {
			s := &j.in.Choice.Series[i]
			all = append(all, unit{curve: s, face: &record.Run{
				Dataset: s.Dataset, Group: s.Group, Series: s.Name, Algorithm: s.Algorithm, Params: s.Params, StandIn: s.StandIn,
			}})
		}
	}
	runs := j.in.Choice.Runs()
	for i := range runs {
		r := &runs[i]
		if !j.tradeoffs {
			all = append(all, unit{face: r, runs: []*record.Run{r}})
			continue
		}
		of := j.in.Choice.Of(r)
		if k := slices.IndexFunc(all, func(u unit) bool { return u.curve == of }); k >= 0 {
			all[k].runs = append(all[k].runs, r)
		}
	}
	all = slices.DeleteFunc(all, func(u unit) bool { return !slices.Contains(j.series, u.face.Series) })
	known := make(map[[2]string]bool) // by series and parameter
	for _, u := range all {
		for name := range u.face.Params {
			known[[2]string{u.face.Series, name}] = true
		}
	}
	return slices.DeleteFunc(all, func(u unit) bool {
		if len(j.Datasets) > 0 && !slices.Contains(j.Datasets, u.face.Dataset) {
			return true
		}
		where := make(observe.Where, len(j.Where))
		for name, v := range j.Where {
			if isVariable(name) || known[[2]string{u.face.Series, name}] {
				where[name] = v
			}
		}
		return !where.Matches(u.face)
	})
}

// isVariable reports whether a name is that of a variable of all runs.
func isVariable(name string) bool {
	return slices.Contains([]string{record.VarDataset, record.VarGroup, record.VarSeries, record.VarAlgorithm}, name)
}

// shared returns the variables that tell parts apart: parameters that all series
// have and that take several values in one, as few as tell its runs apart, unless
// each series has values of its own.
func shared(units []unit, series []string) []string {
	var vars []string
	for _, s := range series {
		var faces []record.Run
		for _, u := range units {
			if u.face.Series == s {
				faces = append(faces, *u.face)
			}
		}
		for _, name := range observe.Distinguish(faces) {
			if name != record.VarDataset && !slices.Contains(vars, name) && common(units, name) {
				vars = append(vars, name)
			}
		}
	}
	slices.SortFunc(vars, observe.CompareVariables)
	return vars
}

// common reports whether all series have a parameter, and a value of it in common.
func common(units []unit, name string) bool {
	present := make(map[string]bool)
	with := make(map[string]map[string]bool) // the series by value
	for _, u := range units {
		v, ok := u.face.Params[name]
		if !ok {
			return false
		}
		text := record.FormatParam(v)
		if with[text] == nil {
			with[text] = make(map[string]bool)
		}
		with[text][u.face.Series], present[u.face.Series] = true, true
	}
	for _, series := range with {
		if len(series) == len(present) {
			return true
		}
	}
	return false
}

// varying lists the parameters that differ between runs.
func varying(runs []*record.Run) []string {
	var names []string
	for _, r := range runs {
		for _, name := range r.Params.Names() {
			if !slices.Contains(names, name) && slices.ContainsFunc(runs, func(o *record.Run) bool {
				return record.FormatValue(o.Params[name]) != record.FormatValue(r.Params[name])
			}) {
				names = append(names, name)
			}
		}
	}
	slices.SortFunc(names, observe.CompareVariables)
	return names
}
