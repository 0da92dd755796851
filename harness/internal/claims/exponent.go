package claims

import (
	"fmt"
	"slices"

	"stochopt/results/analysis"
	"stochopt/results/record"
)

// exponent judges an exponent of a power law that a table of the specification
// fits, over all data sets at once.
func (c *Claim) exponent(in *Input, laws []analysis.PowerLaws) *Part {
	x := c.Check.Exponent
	i := slices.IndexFunc(laws, func(l analysis.PowerLaws) bool { return l.Table == x.Table })
	if i < 0 {
		return &Part{Outcome: NotRun, Reason: fmt.Sprintf("the specification has no table %s", x.Table)}
	}
	units := c.units(in, []string{x.Series}, false)
	runs := make([]record.Run, len(units))
	part := &Part{Outcome: NotRun}
	for j, u := range units {
		runs[j] = *u.face
		part.StandIn = part.StandIn || u.face.StandIn
	}
	switch {
	case len(units) == 0:
		part.Reason = "no runs of series " + x.Series
		return part
	case part.StandIn && c.Data == dataReal:
		part.Reason = ReasonStandIn
		return part
	}
	slices.SortStableFunc(runs, compareRuns)
	law, err := laws[i].Fit(x.Column, x.Series, runs)
	if err != nil {
		part.Reason = err.Error()
		return part
	}
	v, w := law.Exponents[0], between(x.Between)
	e := Estimate{
		Name: fmt.Sprintf("%s, %s", x.Series, x.Column), Value: v.Value, Lo: v.Lo, Hi: v.Hi, Level: law.Level, N: law.Clusters,
		Wanted: w.String(), Outcome: w.judge(v.Lo, v.Hi, v.Lo, v.Hi),
	}
	if part.Outcome = e.Outcome; v.Lo == v.Hi {
		e.Exact = fmt.Sprintf("the same whichever of the %d problems is left out", law.Clusters)
	}
	part.Estimates = []Estimate{e}
	part.Reason = e.String()
	return part
}
