package plots

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/results"
)

// The axes of a trade-off.
const (
	xSupport  = "support"
	testSplit = "test"
)

// Facts of the classifier that sparse ones are compared with: its error on the
// test split and its number of support vectors.
const (
	factReferenceError   = "reference_error"
	factReferenceSupport = "reference_support"
)

// tradesOff reports whether the panel shows test errors against support sizes.
func (c *cell) tradesOff() bool { return c.panel.Draw == DrawTradeoff }

// withAxes sets what the axes of a trade-off show. given holds the fields of the
// panel that are not defaults.
func (p Panel) withAxes(given Panel) Panel {
	if p.Draw != DrawTradeoff {
		return p
	}
	if given.X == "" {
		p.X = xSupport
	}
	if given.Y == "" {
		p.Y = yError
	}
	if given.Split == "" {
		p.Split = testSplit
	}
	if given.Log == nil {
		p.Log = []string{"x"}
	}
	return p
}

// validateTradeoff reports fields that do not suit what is drawn.
func (p Panel) validateTradeoff() error {
	switch {
	case p.Draw != DrawTradeoff && p.Band == BandHalvings:
		return fmt.Errorf("the band %s is for panels that draw %s", BandHalvings, DrawTradeoff)
	case p.Draw != DrawTradeoff:
		return nil
	case p.X != xSupport || p.Y != yError || p.Split != testSplit:
		return fmt.Errorf("%s has axes of its own, the number of support vectors and the test error: drop x, y and split", DrawTradeoff)
	case len(p.FirstEpoch) > 0:
		return fmt.Errorf("first_epoch is not for panels that draw %s", DrawTradeoff)
	}
	return nil
}

// tradesOff reports whether any panel of the figure shows trade-offs.
func (f Figure) tradesOff() bool {
	return slices.ContainsFunc(f.panels(), func(p Panel) bool { return p.Draw == DrawTradeoff })
}

// checkHalved reports why the figure's trade-offs cannot be drawn from what was
// selected.
func (f Figure) checkHalved(h *results.Halved) error {
	for _, p := range f.panels() {
		if p.Draw != DrawTradeoff {
			continue
		}
		if err := halvedWhere(h, p.Where); err != nil {
			return fmt.Errorf("plots: figure %s draws %s: %w", f.ID, DrawTradeoff, err)
		}
	}
	return nil
}

// halvedWhere checks that there is a selection, and that no condition takes the
// choice out of its hands.
func halvedWhere(h *results.Halved, where map[string]any) error {
	if h == nil {
		return errors.New("the parameters must be selected at each support size: set select: {by: halvings, tune: […]}")
	}
	for _, name := range h.Options.Tune {
		if _, ok := where[name]; ok {
			return fmt.Errorf("where names %q, which is selected at each support size: drop it there or from select.tune", name)
		}
	}
	return nil
}

// tradeoffsOf makes the curves of a panel from the selection by halvings.
func tradeoffsOf(c *cell, color string) content {
	out := content{splits: []string{testSplit}, references: referencesOf(c.runs)}
	if len(c.runs) == 0 {
		out.why = joinParts(" of ", "no runs", c.where)
		out.warnings = append(out.warnings, warning{text: "no data: " + out.why})
		return out
	}
	own := halvedOf(c.halved, c.runs)
	var shown []results.Run
	for _, h := range own {
		shown = append(shown, h.example())
	}
	for i, h := range own {
		if len(h.Sizes) == 0 {
			continue
		}
		same := filter(shown, func(r *results.Run) bool { return r.Series == h.Series && r.Algorithm == h.Algorithm })
		vars := distinguish(same)
		cv := curve{
			series: seriesID{h.Series, h.Algorithm}, color: valueOf(&shown[i], color), extra: describe(&shown[i], vars),
			mean: polyline{floatsOf(h.Sizes), h.Error}, repeats: len(h.Repeats), marked: true,
		}
		cv.spreadBy(c.panel.Band, h)
		out.curves = append(out.curves, cv)
	}
	slices.SortStableFunc(out.curves, func(a, b curve) int { return compareSeries(a.series, b.series) })
	for _, n := range lostNotes(c.runs, c.halved.Options.Tune) {
		out.warn(c, "%s", n)
		out.notes = append(out.notes, n)
	}
	for _, h := range own {
		finished := slices.ContainsFunc(c.runs, func(r results.Run) bool { return h.Of(&r) && r.Status == results.StatusFinished })
		if len(h.Sizes) == 0 && finished { // else the notes have said so
			out.warn(c, "%s on %s has no classifier to show", DisplayName(h.Series), h.Dataset)
			out.notes = append(out.notes, fmt.Sprintf("%s has no classifier to show on %s", DisplayName(h.Series), h.Dataset))
		}
	}
	for _, s := range c.panel.Series {
		if !slices.ContainsFunc(c.runs, func(r results.Run) bool { return r.Series == s }) {
			out.warn(c, "no runs of series %q", s)
		}
	}
	if len(out.curves) == 0 {
		out.why = "no run has a classifier to show"
	}
	return out
}

// halvedCurve is a curve of the selection that runs belong to.
type halvedCurve struct{ *results.HalvedCurve }

// halvedOf returns the curves of the selection that have any of the runs.
func halvedOf(h *results.Halved, runs []results.Run) []halvedCurve {
	var own []halvedCurve
	for i := range h.Curves {
		hc := &h.Curves[i]
		if slices.ContainsFunc(runs, func(r results.Run) bool { return hc.Of(&r) }) {
			own = append(own, halvedCurve{hc})
		}
	}
	return own
}

// example returns a run with the parameters that are not tuned, to name the curve
// by.
func (h halvedCurve) example() results.Run {
	return results.Run{Dataset: h.Dataset, Group: h.Group, StandIn: h.StandIn, Series: h.Series, Algorithm: h.Algorithm, Params: h.Params}
}

// spreadBy sets the band of the curve.
func (cv *curve) spreadBy(band string, h halvedCurve) {
	if band == BandHalvings {
		for i, m := range h.Error {
			cv.lo, cv.hi = append(cv.lo, max(m-h.SD[i], 0)), append(cv.hi, m+h.SD[i])
		}
		return
	}
	if len(h.ByRepeat) < 2 || band == BandNone {
		return
	}
	if band == BandRuns {
		for _, errors := range h.ByRepeat {
			cv.thin = append(cv.thin, polyline{cv.mean.x, errors})
		}
		return
	}
	lo, hi := 0.1, 0.9
	if band == BandMinMax {
		lo, hi = 0, 1
	}
	for i, m := range h.Error {
		l, u := h.Quantiles(i, lo, hi)
		cv.lo, cv.hi = append(cv.lo, min(l, m)), append(cv.hi, max(u, m))
	}
}

func floatsOf(v []int) []float64 {
	f := make([]float64, len(v))
	for i := range v {
		f[i] = float64(v[i])
	}
	return f
}

// reference is a classifier that is not sparse.
type reference struct{ error, support float64 }

// referencesOf returns the references on record, each once.
func referencesOf(runs []results.Run) []reference {
	var refs []reference
	for i := range runs {
		e, ok := runs[i].Facts[factReferenceError]
		s, also := runs[i].Facts[factReferenceSupport]
		if r := (reference{e, s}); ok && also && !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return refs
}

// lostNotes says which runs did not finish, a line a data set, series, status and
// reason.
func lostNotes(runs []results.Run, tune []string) []string {
	type group struct {
		head, reason string
		settings     []string
		all          bool
	}
	var groups []*group
	count := make(map[string]int)
	for i := range runs {
		r := &runs[i]
		count[r.Series+"\x00"+r.Dataset]++
	}
	lost := make(map[string]int)
	keyOf := make(map[*group]string)
	for _, status := range unfinished {
		for i := range runs {
			r := &runs[i]
			if r.Status != status {
				continue
			}
			head := fmt.Sprintf("%s: %s on %s", DisplayName(r.Series), condition(status), r.Dataset)
			j := slices.IndexFunc(groups, func(g *group) bool { return g.head == head && g.reason == r.Reason })
			if j < 0 {
				j = len(groups)
				groups = append(groups, &group{head: head, reason: r.Reason})
				keyOf[groups[j]] = r.Series + "\x00" + r.Dataset
			}
			var setting []string
			for _, name := range tune {
				if v := valueOf(r, name); v != nil {
					setting = append(setting, label(name, v))
				}
			}
			if s := strings.Join(setting, ", "); s != "" && !slices.Contains(groups[j].settings, s) {
				groups[j].settings = append(groups[j].settings, s)
			}
			lost[groups[j].head]++
			groups[j].all = lost[groups[j].head] == count[keyOf[groups[j]]]
		}
	}
	notes := make([]string, len(groups))
	for i, g := range groups {
		notes[i] = g.head
		if n := len(g.settings); n > 0 && !g.all {
			notes[i] += " for " + strings.Join(g.settings[:min(n, mostSettings)], "; ")
			if n > mostSettings {
				notes[i] += fmt.Sprintf(" and %d more", n-mostSettings)
			}
		}
		if g.reason != "" {
			notes[i] += " (" + g.reason + ")"
		}
	}
	return notes
}

// mostSettings is the number of settings that a note lists.
const mostSettings = 6
