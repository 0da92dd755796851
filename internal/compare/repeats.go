package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

var sideNames = [2]string{"baseline", "candidate"}

// repeat has the runs of a repeat on one side: one for each candidate, in the order of the grid. Tests exchange
// whole repeats between the sides.
type repeat []*record.Run

// repeatKey returns a text that is equal for the runs of a repeat, and for paired repeats.
func repeatKey(r *record.Run) string { return fmt.Sprint(r.DatasetHash, " ", r.Seed, " ", r.Repeat) }

// repeats returns the repeats of a group, in an order independent of the order of the runs, and describes what it
// omits: skipped runs, and repeats that lack a candidate, because their effect on the selection is unknown.
func (g *group) repeats() (out []repeat, details []string) {
	skipped, duplicates, reason := 0, 0, ""
	rows := map[string]repeat{}
	for _, r := range g.all {
		if !started(r) {
			skipped, reason = skipped+1, r.Reason
			continue
		}
		row := rows[repeatKey(r)]
		if row == nil {
			row = make(repeat, len(g.grid))
			rows[repeatKey(r)] = row
		}
		j := g.candidate(r)
		if o := row[j]; o != nil && refOf(o) != refOf(r) {
			duplicates++
			if o.Key+o.Extent > r.Key+r.Extent {
				r = o // a choice that does not depend on the order of the runs
			}
		}
		row[j] = r
	}
	for _, row := range rows {
		if !slices.Contains(row, nil) {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b repeat) int {
		x, y := a[0], b[0]
		return cmp.Or(cmp.Compare(x.DatasetHash, y.DatasetHash), cmp.Compare(x.Seed, y.Seed), x.Repeat-y.Repeat)
	})
	if skipped > 0 {
		details = append(details, fmt.Sprintf("%s of the %s omitted: skipped (%s)",
			words.Count(skipped, "run"), g.side, reason))
	}
	if duplicates > 0 {
		details = append(details, fmt.Sprintf("%s of the %s omitted: other runs have the same data, repeat and seed",
			words.Count(duplicates, "run"), g.side))
	}
	if len(rows) > len(out) {
		details = append(details, fmt.Sprintf("%d of %s of the %s omitted: candidates of the grid are missing",
			len(rows)-len(out), words.Count(len(rows), "repeat"), g.side))
	}
	return out, details
}

// pairRepeats pairs the repeats b and c of the groups that have equal data, repeat and seed. It omits repeats without
// a counterpart, which detail describes. If it would omit more than half of the smaller side, it returns all repeats
// as independent samples, with the reason unpaired.
func pairRepeats(groups [2]*group, b, c []repeat) (rows [2][]repeat, unpaired, detail string) {
	counterparts := map[string]repeat{}
	for _, r := range c {
		counterparts[repeatKey(r[0])] = r
	}
	for _, r := range b {
		if other := counterparts[repeatKey(r[0])]; other != nil {
			rows[0], rows[1] = append(rows[0], r), append(rows[1], other)
		}
	}
	n := len(rows[0])
	if n > 0 && 2*n >= min(len(b), len(c)) {
		if n < max(len(b), len(c)) {
			detail = fmt.Sprintf("%d of %d repeats of the baseline and %d of %d of the candidate omitted: "+
				"they have no counterpart", len(b)-n, len(b), len(c)-n, len(c))
		}
		return rows, "", detail
	}
	unpaired = "no run has the data, repeat and seed of a run of the other side"
	seedsB, seedsC := distinct(groups[0].all, seedOf), distinct(groups[1].all, seedOf)
	switch {
	case n > 0:
		unpaired = "fewer than half of the runs have a counterpart"
	case !slices.Equal(seedsB, seedsC):
		unpaired = fmt.Sprintf("the sides have different seeds (%s / %s)",
			words.List(seedsB, mostListed), words.List(seedsC, mostListed))
	}
	return [2][]repeat{b, c}, unpaired + ": compared as independent samples", ""
}

// runPool is the pool of a cell with its runs.
type runPool struct {
	stats.Pool
	// columns has the text of the candidate of each column.
	columns []string
	// runs has the run at each place, nil if the grid of its side lacks the candidate.
	runs []*record.Run
}

// newRunPool returns the pool of the repeats of both sides. If each side has a single candidate, the candidates
// share a column, whatever their parameters.
func newRunPool(groups [2]*group, rows [2][]repeat, paired bool) (*runPool, error) {
	base, cand := groups[0], groups[1]
	p := &runPool{columns: base.grid}
	p.Rows, p.Paired = [2]int{len(rows[0]), len(rows[1])}, paired
	single := len(base.grid) == 1 && len(cand.grid) == 1
	if !single {
		tuned := maps.Clone(base.tuned)
		maps.Copy(tuned, cand.tuned)
		p.columns = sortedGrid(tuned, slices.Concat(base.rule.Tune, cand.rule.Tune))
		p.Approximate = !slices.Equal(base.grid, cand.grid) || !sameRule(base.rule, cand.rule)
	}
	p.Candidates = len(p.columns)
	var splits [2]string
	for side, g := range groups {
		columns := make([]int, len(g.grid))
		for j, text := range g.grid {
			columns[j] = max(slices.Index(p.columns, text), 0)
		}
		var err error
		if splits[side], err = p.add(g.rule, rows[side], columns); err != nil {
			return nil, err
		}
	}
	p.Approximate = p.Approximate || splits[0] != splits[1] && splits[0] != "" && splits[1] != ""
	return p, nil
}

// sameRule reports whether two rules select in the same way.
func sameRule(a, b selection.Rule) bool {
	return a.By == b.By && a.Metric == b.Metric && a.Over == b.Over && slices.Equal(a.Tune, b.Tune)
}

// add adds the repeats of a side as rows, given the columns of its candidates. It returns the split of the scores.
func (p *runPool) add(rule selection.Rule, repeats []repeat, columns []int) (split string, err error) {
	if len(columns) > 1 {
		if split, err = rule.SplitOf(slices.Concat(repeats...)); err != nil {
			return "", err
		}
	}
	var scored []*record.Run
	var places []int
	for _, r := range repeats {
		first := len(p.runs)
		p.runs = append(p.runs, make([]*record.Run, p.Candidates)...)
		p.Scores = append(p.Scores, slices.Repeat([]float64{stats.Ineligible}, p.Candidates)...)
		for j, run := range r {
			place := first + columns[j]
			p.runs[place] = run
			switch {
			case !rule.Chooses(), len(columns) == 1 && finished(run):
				p.Scores[place] = 0
			case finished(run):
				scored, places = append(scored, run), append(places, place)
			}
		}
	}
	losses, err := rule.Losses(scored, split)
	for i, place := range places {
		p.Scores[place] = losses[i]
	}
	return split, err
}

// selected returns the runs that a side selects.
func (p *runPool) selected(side int) (runs []*record.Run) {
	for _, place := range p.SelectedIndices()[side] {
		runs = append(runs, p.runs[place])
	}
	return runs
}
