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

// A repeat is what a side ran of one repeat: a run of every candidate of its grid, in their order.
// Where repeats change sides all of it does, whatever its runs came to.
type repeat []*record.Run

// unit is what the runs of a repeat, and paired repeats, have in common: the data, the
// split and its repeat, and the seed of all random streams.
func unit(r *record.Run) string { return fmt.Sprint(r.DatasetHash, " ", r.Seed, " ", r.Repeat) }

// repeats sorts the runs of a group that are not skipped by repeat, in an order of their own. Where
// candidates are chosen among, a repeat that lacks one of them is left out: what it would have
// contributed to the choice is not known, and that it is missing need not be chance.
func (g *group) repeats(side string) (out []repeat, details []string) {
	skipped, twice, reason := 0, 0, ""
	of := map[string]repeat{}
	for _, r := range g.all {
		if !started(r) {
			skipped, reason = skipped+1, r.Reason
			continue
		}
		row := of[unit(r)]
		if row == nil {
			row = make(repeat, len(g.grid))
			of[unit(r)] = row
		}
		j := g.candidate(r)
		if o := row[j]; o != nil && refOf(o) != refOf(r) {
			twice++
			if o.Key+o.Extent > r.Key+r.Extent { // whatever the order of the runs
				r = o
			}
		}
		row[j] = r
	}
	for _, row := range of {
		if !slices.Contains(row, nil) {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b repeat) int {
		return cmp.Or(cmp.Compare(a[0].DatasetHash, b[0].DatasetHash), cmp.Compare(a[0].Seed, b[0].Seed), a[0].Repeat-b[0].Repeat)
	})
	if skipped > 0 {
		details = append(details, fmt.Sprintf("skipped and left out: %s of the %s (%s)", words.Count(skipped, "run"), side, reason))
	}
	if twice > 0 {
		details = append(details, fmt.Sprintf("left out, because others have the same data, repeat and seed: %s of the %s", words.Count(twice, "run"), side))
	}
	if len(of) > len(out) {
		details = append(details, fmt.Sprintf("left out, because they lack candidates of the grid: %d of %s of the %s",
			len(of)-len(out), words.Count(len(of), "repeat"), side))
	}
	return out, details
}

// pairUp pairs the repeats of the same data, repeat and seed, and leaves out those without
// a counterpart, which then do not choose either. If that leaves out more than half of the
// smaller side, the sides are independent samples, which may be of unequal size; apart says
// why then. Runs that were skipped, for lack of an external solver, are left out. The order of
// the outcome does not depend on that of the runs.
func pairUp(base, cand *group) (rows [2][]repeat, apart string, details []string) {
	b, details := base.repeats(sideNames[0])
	c, more := cand.repeats(sideNames[1])
	details = append(details, more...)
	at := map[string]repeat{}
	for _, r := range c {
		at[unit(r[0])] = r
	}
	for _, r := range b {
		if other := at[unit(r[0])]; other != nil {
			rows[0], rows[1] = append(rows[0], r), append(rows[1], other)
		}
	}
	n := len(rows[0])
	if n > 0 && 2*n >= min(len(b), len(c)) {
		if n < max(len(b), len(c)) {
			details = append(details, fmt.Sprintf("%d of %d runs of the baseline and %d of %d of the candidate have no counterpart and are left out",
				len(b)-n, len(b), len(c)-n, len(c)))
		}
		return rows, "", details
	}
	apart = "the runs have no data split, repeat and seed in common"
	seedsB, seedsC := distinct(base.all, seedOf), distinct(cand.all, seedOf)
	switch {
	case n > 0:
		apart = "fewer than half of the runs have a counterpart"
	case !slices.Equal(seedsB, seedsC):
		apart = fmt.Sprintf("the sides have different seeds (%s / %s)", words.List(seedsB, mostListed), words.List(seedsC, mostListed))
	}
	return [2][]repeat{b, c}, apart + ": compared as independent samples", details
}

// table is the pool of a cell with the texts of its columns and the runs at its places:
// none where a side's grid lacks the candidate.
type table struct {
	stats.Pool
	columns []string
	runs    []*record.Run
}

// newTable lays out the repeats of both sides. Where each side has a single candidate these
// are of one column, whatever their parameters.
func newTable(groups [2]*group, rows [2][]repeat, paired bool) (*table, error) {
	base, cand := groups[0], groups[1]
	t := &table{columns: base.grid}
	t.Rows, t.Paired = [2]int{len(rows[0]), len(rows[1])}, paired
	single := len(base.grid) == 1 && len(cand.grid) == 1
	if !single {
		tuned := maps.Clone(base.tuned)
		maps.Copy(tuned, cand.tuned)
		t.columns = sorted(tuned, slices.Concat(base.by.Tune, cand.by.Tune))
		t.Approximate = !slices.Equal(base.grid, cand.grid) || !sameWay(base.by, cand.by)
	}
	t.Candidates = len(t.columns)
	var splits [2]string
	for side, g := range groups {
		at := make([]int, len(g.grid))
		for j, text := range g.grid {
			at[j] = max(slices.Index(t.columns, text), 0)
		}
		var err error
		if splits[side], err = t.add(g.by, rows[side], at); err != nil {
			return nil, err
		}
	}
	t.Approximate = t.Approximate || splits[0] != splits[1] && splits[0] != "" && splits[1] != ""
	return t, nil
}

// sameWay reports whether two sides choose in the same way.
func sameWay(a, b selection.Rule) bool {
	return a.By == b.By && a.Metric == b.Metric && a.Over == b.Over && slices.Equal(a.Tune, b.Tune)
}

// add adds the rows of a side, whose candidate j is in the column at[j], and returns the split
// that scores were read from.
func (t *table) add(by selection.Rule, repeats []repeat, at []int) (split string, err error) {
	if len(at) > 1 {
		if split, err = by.SplitOf(slices.Concat(repeats...)); err != nil {
			return "", err
		}
	}
	var scored []*record.Run
	var places []int
	for _, r := range repeats {
		first := len(t.runs)
		t.runs = append(t.runs, make([]*record.Run, t.Candidates)...)
		t.Scores = append(t.Scores, slices.Repeat([]float64{stats.Ineligible}, t.Candidates)...)
		for j, run := range r {
			place := first + at[j]
			t.runs[place] = run
			switch {
			case !by.Chooses(), len(at) == 1 && run.Status == record.StatusFinished:
				t.Scores[place] = 0
			case run.Status == record.StatusFinished:
				scored, places = append(scored, run), append(places, place)
			}
		}
	}
	losses, err := by.Losses(scored, split)
	for i, place := range places {
		t.Scores[place] = losses[i]
	}
	return split, err
}

func (t *table) chosen(side int) (runs []*record.Run) {
	for _, place := range t.SelectedIndices()[side] {
		runs = append(runs, t.runs[place])
	}
	return runs
}
