package claims

import (
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

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
