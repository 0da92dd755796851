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

// part is what a claim is judged by on one data set, at one setting.
type part struct {
	in    *Input
	table *observe.Table
	// face has the values of the setting, nil where there are no runs.
	face *record.Run
	// series are those of the claim, in the order in which it names them.
	series  []string
	samples map[string]*sample
	// tradeoff: the curves are trade-offs between support size and error.
	tradeoff bool
}

// remark and because add to what is said of the part, once.
func (p *part) remark(r observe.Remark) {
	if !slices.Contains(p.table.Remarks, r) {
		p.table.Remarks = append(p.table.Remarks, r)
	}
}

func (p *part) because(text string) { p.table.Reasons = words.AddOnce(p.table.Reasons, text) }

// sample is what is on record of a series in a part.
type sample struct {
	// runs are those with a curve, by repeat; lost those without, with one that is no
	// result, or with none.
	runs []*record.Run
	lost []*record.Run
	// curves hold the trade-off of the series, if the claim is about those: one, or it
	// has several settings.
	curves []*selection.Series
	// all are the runs whatever their setting.
	all []*record.Run
}

// parts sorts the runs of the series into parts. pooled: all settings of a data
// set are one part.
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
		parts[k].table.StandIn = parts[k].table.StandIn || u.face.StandIn
		parts[k].samples[u.face.Series].add(u)
	}
	for _, d := range j.Datasets {
		if !slices.ContainsFunc(parts, func(p *part) bool { return p.table.Dataset == d }) {
			parts = append(parts, j.newPart(d, "", nil))
		}
	}
	slices.SortFunc(parts, func(a, b *part) int {
		return cmp.Or(slices.Index(j.Datasets, a.table.Dataset)-slices.Index(j.Datasets, b.table.Dataset),
			strings.Compare(a.table.Dataset, b.table.Dataset), compareFaces(a.face, b.face, vars))
	})
	for _, p := range parts {
		p.settle()
	}
	return parts
}

func (j *observing) newPart(dataset, setting string, face *record.Run) *part {
	t := &observe.Table{Claim: j.ID, Dataset: dataset, Setting: setting}
	p := &part{in: j.in, table: t, face: face, series: j.series, samples: make(map[string]*sample), tradeoff: j.tradeoff()}
	for _, s := range j.series {
		p.samples[s] = &sample{}
	}
	return p
}

func (s *sample) add(u *unit) {
	if u.curve != nil {
		s.curves = append(s.curves, u.curve)
	}
	s.all = append(s.all, u.runs...)
}

// settle sorts the runs of each series.
func (p *part) settle() {
	p.table.Halvings = p.tradeoff
	for _, name := range p.series {
		s := p.samples[name]
		slices.SortStableFunc(s.all, func(a, b *record.Run) int {
			return cmp.Or(a.Repeat-b.Repeat, strings.Compare(a.Params.String(), b.Params.String()), strings.Compare(a.Key, b.Key))
		})
		for _, r := range s.all {
			if (r.Status == record.StatusFinished || r.Status == record.StatusOutOfTime) && r.Points() > 0 {
				s.runs = append(s.runs, r)
			} else {
				s.lost = append(s.lost, r)
			}
		}
		for _, c := range s.curves {
			p.table.Halvings = p.table.Halvings && len(c.Repeats) < 2
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

// check reports what is amiss with the records of the part: a series without
// runs, or with runs of several settings. where is what the claim is restricted to.
func (p *part) check(where string) error {
	for _, name := range p.series {
		s := p.samples[name]
		faces := s.all
		several := slices.ContainsFunc(s.all, func(r *record.Run) bool { return r.Params.String() != s.all[0].Params.String() })
		if p.tradeoff {
			faces, several = nil, len(s.curves) > 1
			for _, c := range s.curves {
				faces = append(faces, &record.Run{Params: c.Params})
			}
		}
		switch {
		case len(s.all) == 0 && len(s.curves) == 0:
			return fmt.Errorf("no runs of series %s%s", name, where)
		case several:
			if names := varying(faces); len(names) > 0 {
				return fmt.Errorf("series %[2]s has several settings of %[1]s: choose one with where", strings.Join(names, ", "), name)
			}
			return fmt.Errorf("the runs of series %s are of different experiments", name)
		case p.tradeoff:
			continue
		}
		for i, r := range s.runs[:max(len(s.runs)-1, 0)] {
			if r.Repeat == s.runs[i+1].Repeat {
				return fmt.Errorf("series %[2]s has two records of repeat %[1]d: they are of different experiments", r.Repeat, name)
			}
		}
		if len(s.runs) == 0 {
			return &lostError{name, s.lost}
		}
	}
	return nil
}

// lostError: none of the runs of a series has a result.
type lostError struct {
	series string
	runs   []*record.Run
}

func (e *lostError) Error() string {
	return fmt.Sprintf("none of the %s of %s has a result: %s", words.Count(len(e.runs), "run"), e.series, happenings(e.runs))
}

// diverged reports whether all the runs diverged.
func (e *lostError) diverged() bool {
	return !slices.ContainsFunc(e.runs, func(r *record.Run) bool { return !diverged(r) })
}

// happenings says what became of runs that have no result.
func happenings(runs []*record.Run) string {
	var parts []string
	for _, status := range append(record.Unfinished(), record.StatusFinished) {
		var of []*record.Run
		for _, r := range runs {
			if r.Status == status {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		verb := map[string]string{
			record.StatusFailed: "failed", record.StatusDiverged: "diverged", record.StatusSkipped: "skipped",
			record.StatusOutOfTime: "out of time", record.StatusOutOfMemory: "out of memory", record.StatusFinished: "with an empty curve",
		}[status]
		parts = append(parts, fmt.Sprintf("%d %s", len(of), verb))
	}
	return strings.Join(parts, ", ")
}

// unit is a run, or the trade-off of a cell, in the making of parts.
type unit struct {
	// face has the variables that tell units apart.
	face  *record.Run
	runs  []*record.Run
	curve *selection.Series
}

// tradeoff reports whether the claim is judged by trade-offs between support size and error.
func (j *observing) tradeoff() bool { return j.in.Choice.BySize() && j.over(costSupport) }

// units returns what the claim is about, by the data sets and values that it is
// restricted to.
func (j *observing) units() []unit {
	var all []unit
	if j.tradeoff() {
		for i := range j.in.Choice.Series {
			h := &j.in.Choice.Series[i]
			if !slices.Contains(j.series, h.Setting.Series) {
				continue
			}
			u := unit{curve: h, face: &record.Run{
				Dataset: h.Dataset, Group: h.Group, Series: h.Setting.Series, Algorithm: h.Algorithm, Params: h.Params, StandIn: h.StandIn,
			}}
			runs := j.in.Choice.Runs()
			for k := range runs {
				if j.in.Choice.Of(&runs[k]) == h {
					u.runs = append(u.runs, &runs[k])
				}
			}
			all = append(all, u)
		}
	} else {
		runs := j.in.Choice.Runs()
		for i := range runs {
			if r := &runs[i]; slices.Contains(j.series, r.Series) {
				all = append(all, unit{face: r, runs: []*record.Run{r}})
			}
		}
	}
	type param struct{ series, name string }
	known := make(map[param]bool)
	for _, u := range all {
		for name := range u.face.Params {
			known[param{u.face.Series, name}] = true
		}
	}
	return slices.DeleteFunc(all, func(u unit) bool {
		if len(j.Datasets) > 0 && !slices.Contains(j.Datasets, u.face.Dataset) {
			return true
		}
		where := make(observe.Where, len(j.Where))
		for name, v := range j.Where {
			if isVariable(name) || known[param{u.face.Series, name}] {
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

// common reports whether all series have a parameter, and have values of it in
// common.
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

// compareFaces orders by the values of parameters.
func compareFaces(a, b *record.Run, vars []string) int {
	if a == nil || b == nil {
		return 0
	}
	return observe.CompareParams(a.Params, b.Params, vars)
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
