package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// part is what a claim is judged by on one data set, at one setting.
type part struct {
	in      *Input
	dataset string
	setting string
	standIn bool
	// series are those of the claim, in the order in which it names them.
	series  []string
	samples map[string]*sample
	// halved: the curves are trade-offs of the selection by halvings; halvings: what
	// varies is the halving of the test set, as no series has several repeats.
	halved, halvings bool
	// deterministic: no randomness enters what is compared.
	deterministic bool
	// remarks go with the reason, caveats with the outcome, doubts with one that is open.
	remarks, caveats, doubts []string
}

// sample is what is on record of a series in a part.
type sample struct {
	// runs are those with a curve, by repeat; lost those without, with one that is no
	// result, or with none.
	runs []*record.Run
	lost []*record.Run
	// curves hold the trade-off of the series, if the claim is about those: one, or it
	// has several settings.
	curves []*analysis.HalvedCurve
	// all are the runs whatever their setting.
	all []*record.Run
}

// unit is a run, or the trade-off of a cell, in the making of parts.
type unit struct {
	series string
	// face has the variables that tell units apart.
	face  *record.Run
	runs  []*record.Run
	curve *analysis.HalvedCurve
}

func (u *unit) signature() string { return u.face.Dataset + "\x00" + u.face.Params.String() }

// units returns what the claim is about, by the data sets and values that it is
// restricted to.
func (c *Claim) units(in *Input, series []string, halved bool) []unit {
	var all []unit
	if halved {
		for i := range in.Halved.Curves {
			h := &in.Halved.Curves[i]
			if !slices.Contains(series, h.Series) {
				continue
			}
			u := unit{series: h.Series, curve: h, face: &record.Run{
				Dataset: h.Dataset, Group: h.Group, Series: h.Series, Algorithm: h.Algorithm, Params: h.Params, StandIn: h.StandIn,
			}}
			for j := range in.Runs {
				if h.Of(&in.Runs[j]) {
					u.runs = append(u.runs, &in.Runs[j])
				}
			}
			all = append(all, u)
		}
	} else {
		for i := range in.Runs {
			r := &in.Runs[i]
			all = append(all, unit{series: r.Series, face: r, runs: []*record.Run{r}})
		}
	}
	all = slices.DeleteFunc(all, func(u unit) bool { return !slices.Contains(series, u.series) })
	known := make(map[string]map[string]bool)
	for _, s := range series {
		known[s] = make(map[string]bool)
	}
	for _, u := range all {
		for name := range u.face.Params {
			known[u.series][name] = true
		}
	}
	return slices.DeleteFunc(all, func(u unit) bool {
		if len(c.Datasets) > 0 && !slices.Contains(c.Datasets, u.face.Dataset) {
			return true
		}
		where := make(record.Where, len(c.Where))
		for name, v := range c.Where {
			if isVariable(name) || known[u.series][name] {
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

// parts sorts the runs of the series into parts. pooled: all settings of a data
// set are one part.
func (c *Claim) parts(in *Input, series []string, halved, pooled bool) []*part {
	units := c.units(in, series, halved)
	var vars []string
	if !pooled {
		vars = shared(units, series)
	}
	var parts []*part
	find := func(u *unit) *part {
		at := make(record.Params)
		for _, name := range vars {
			at[name] = u.face.Params[name]
		}
		setting := at.String()
		i := slices.IndexFunc(parts, func(p *part) bool { return p.dataset == u.face.Dataset && p.setting == setting })
		if i < 0 {
			i = len(parts)
			parts = append(parts, newPart(in, u.face.Dataset, setting, series, halved))
		}
		return parts[i]
	}
	first := make(map[*part]*record.Run)
	for i := range units {
		u := &units[i]
		p := find(u)
		p.standIn = p.standIn || u.face.StandIn
		p.samples[u.series].add(u)
		if first[p] == nil {
			first[p] = u.face
		}
	}
	for _, d := range c.Datasets {
		if !slices.ContainsFunc(parts, func(p *part) bool { return p.dataset == d }) {
			parts = append(parts, newPart(in, d, "", series, halved))
		}
	}
	slices.SortFunc(parts, func(a, b *part) int {
		if o := cmp.Or(slices.Index(c.Datasets, a.dataset)-slices.Index(c.Datasets, b.dataset), strings.Compare(a.dataset, b.dataset)); o != 0 {
			return o
		}
		return compareFaces(first[a], first[b], vars)
	})
	for _, p := range parts {
		p.settle()
	}
	return parts
}

func newPart(in *Input, dataset, setting string, series []string, halved bool) *part {
	p := &part{in: in, dataset: dataset, setting: setting, series: series, samples: make(map[string]*sample), halved: halved}
	for _, s := range series {
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
	p.halvings = p.halved
	for _, name := range p.series {
		s := p.samples[name]
		slices.SortStableFunc(s.all, func(a, b *record.Run) int {
			return cmp.Or(a.Repeat-b.Repeat, strings.Compare(a.Params.String(), b.Params.String()), strings.Compare(a.Key, b.Key))
		})
		for _, r := range s.all {
			if (r.Status == record.StatusFinished || r.Status == record.StatusOutOfTime) && r.Curve.Len() > 0 {
				s.runs = append(s.runs, r)
			} else {
				s.lost = append(s.lost, r)
			}
		}
		for _, c := range s.curves {
			p.halvings = p.halvings && len(c.Repeats) < 2
		}
	}
}

// shared returns the variables that tell parts apart: parameters that all series
// have and that take several values in one, as few as tell its runs apart, unless
// each series has values of its own.
func shared(units []unit, series []string) []string {
	var vars []string
	for _, s := range series {
		for _, name := range distinguish(units, s) {
			if !slices.Contains(vars, name) && common(units, series, name) {
				vars = append(vars, name)
			}
		}
	}
	slices.SortFunc(vars, compareNames)
	return vars
}

// common reports whether all series have a parameter, and have values of it in
// common.
func common(units []unit, series []string, name string) bool {
	values := make(map[string]map[string]bool)
	for _, u := range units {
		v, ok := u.face.Params[name]
		if !ok {
			return false
		}
		text := record.FormatParam(v)
		if values[text] == nil {
			values[text] = make(map[string]bool)
		}
		values[text][u.series] = true
	}
	present := make(map[string]bool)
	for _, u := range units {
		present[u.series] = true
	}
	for _, of := range values {
		if len(of) == len(present) {
			return true
		}
	}
	return false
}

// distinguish returns parameters, as few as it finds, that with the data set tell
// the settings of a series apart: k and cap before others, step sizes last, which
// selection gives each setting of its own.
func distinguish(units []unit, series string) []string {
	settings, names := make(map[string]bool), make(map[string]bool)
	var faces []*record.Run
	for i := range units {
		if u := &units[i]; u.series == series {
			settings[u.signature()] = true
			faces = append(faces, u.face)
			for name := range u.face.Params {
				names[name] = true
			}
		}
	}
	classes := func(vars []string) int {
		seen := make(map[string]bool)
		for _, f := range faces {
			text := f.Dataset
			for _, name := range vars {
				text += "\x00" + record.FormatValue(f.Params[name])
			}
			seen[text] = true
		}
		return len(seen)
	}
	var vars []string
	have := classes(nil)
	for _, name := range slices.SortedFunc(mapKeys(names), compareNames) {
		if have >= len(settings) {
			break
		}
		if n := classes(append(slices.Clone(vars), name)); n > have {
			vars, have = append(vars, name), n
		}
	}
	return vars
}

// compareNames orders parameters by how well they name a setting.
func compareNames(a, b string) int {
	rank := func(name string) int {
		if i := slices.Index([]string{"k", "cap"}, name); i >= 0 {
			return i
		}
		if name == "step" || strings.HasPrefix(name, "step.") {
			return 3
		}
		return 2
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

// compareFaces orders by the values of parameters.
func compareFaces(a, b *record.Run, vars []string) int {
	if a == nil || b == nil {
		return 0
	}
	for _, name := range vars {
		x, okX := record.Number(a.Params[name])
		y, okY := record.Number(b.Params[name])
		o := cmp.Compare(x, y)
		if !okX || !okY {
			o = strings.Compare(record.FormatValue(a.Params[name]), record.FormatValue(b.Params[name]))
		}
		if o != 0 {
			return o
		}
	}
	return 0
}

// check reports what is amiss with the records of the part: a series without
// runs, or with runs of several settings. where is what the claim is restricted to.
func (p *part) check(where string) error {
	for _, name := range p.series {
		s := p.samples[name]
		switch {
		case len(s.all) == 0 && len(s.curves) == 0:
			return fmt.Errorf("no runs of series %s%s", name, where)
		case p.halved && len(s.curves) > 1, !p.halved && len(settings(s.all)) > 1:
			faces := s.all
			if p.halved {
				faces = nil
				for _, c := range s.curves {
					faces = append(faces, &record.Run{Params: c.Params})
				}
			}
			if names := varying(faces); len(names) > 0 {
				return fmt.Errorf("several settings of %s in series %s: restrict them with where", strings.Join(names, ", "), name)
			}
			return fmt.Errorf("runs of different experiments in series %s", name)
		case p.halved:
			continue
		}
		for i, r := range s.runs[:max(len(s.runs)-1, 0)] {
			if r.Repeat == s.runs[i+1].Repeat {
				return fmt.Errorf("two records of repeat %d of series %s: they are of different experiments", r.Repeat, name)
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
	return fmt.Sprintf("none of the %s of %s has a result: %s", count(len(e.runs), "run"), e.series, happenings(e.runs))
}

// diverged reports whether all the runs diverged.
func (e *lostError) diverged() bool {
	return !slices.ContainsFunc(e.runs, func(r *record.Run) bool { return r.Status != record.StatusDiverged })
}

func settings(runs []*record.Run) []string {
	var out []string
	for _, r := range runs {
		if s := r.Params.String(); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
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
	slices.SortFunc(names, compareNames)
	return names
}
