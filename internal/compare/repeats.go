package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"stochopt/internal/finite"
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
func (r repeat) unit() string { return fmt.Sprint(r[0].DatasetHash, " ", r[0].Seed, " ", r[0].Repeat) }

// repeats sorts the runs of a group that are not skipped by repeat, in an order of their own. Several
// runs of one candidate and unit are of several repeats. Where candidates are chosen among, a repeat
// that lacks one of them is left out: what it would have contributed to the choice is not known, and
// that it is missing need not be chance.
func (g *group) repeats(side string) (out []repeat, notes []string) {
	runs := slices.SortedStableFunc(slices.Values(g.all), func(a, b *record.Run) int {
		return cmp.Or(cmp.Compare(a.DatasetHash, b.DatasetHash), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent))
	})
	runs = slices.CompactFunc(runs, func(a, b *record.Run) bool { return refOf(a) == refOf(b) })
	skipped, reason := 0, ""
	of := map[string][]repeat{}
	for _, r := range runs {
		if r.Status == record.StatusSkipped {
			skipped, reason = skipped+1, r.Reason
			continue
		}
		u := repeat{r}.unit()
		j := slices.Index(g.grid, g.parting.Of(r.Params).TunedText)
		i := slices.IndexFunc(of[u], func(row repeat) bool { return row[j] == nil })
		if i < 0 {
			i = len(of[u])
			of[u] = append(of[u], make(repeat, len(g.grid)))
			out = append(out, of[u][i])
		}
		of[u][i][j] = r
	}
	if skipped > 0 {
		notes = append(notes, fmt.Sprintf("skipped and left out: %s of the %s (%s)", words.Count(skipped, "run"), side, reason))
	}
	n := len(out)
	out = slices.DeleteFunc(out, func(r repeat) bool { return slices.Contains(r, nil) })
	if n > len(out) {
		notes = append(notes, fmt.Sprintf("left out, because they lack candidates of the grid: %d of %s of the %s",
			n-len(out), words.Count(n, "repeat"), side))
	}
	return out, notes
}

// pairUp pairs the repeats of the same data, repeat and seed, and leaves out those without
// a counterpart, which then do not choose either. If that leaves out more than half of the
// smaller side, the sides are independent samples, which may be of unequal size. Runs that
// were skipped, for want of an external solver, are left out. The order of the outcome
// does not depend on that of the runs.
func pairUp(groups [2]*group) (rows [2][]repeat, paired bool, notes []string) {
	var all [2][]repeat
	var at [2]map[string]repeat
	twice := false
	for side, g := range groups {
		own, left := g.repeats(sideNames[side])
		all[side], notes, at[side] = own, append(notes, left...), map[string]repeat{}
		for _, r := range own {
			at[side][r.unit()] = r
		}
		twice = twice || len(at[side]) < len(own)
	}
	for _, r := range all[0] {
		if other := at[1][r.unit()]; other != nil {
			rows[0], rows[1] = append(rows[0], r), append(rows[1], other)
		}
	}
	n, nb, nc := len(rows[0]), len(all[0]), len(all[1])
	if n > 0 && 2*n >= min(nb, nc) && !twice {
		if n < max(nb, nc) {
			notes = append(notes, fmt.Sprintf("%d of %d runs of the baseline and %d of %d of the candidate have no counterpart and are left out",
				nb-n, nb, nc-n, nc))
		}
		return rows, true, notes
	}
	var seeds [2]string
	for side, g := range groups {
		seeds[side] = words.List(distinct(g.all, seedOf), mostListed)
	}
	why := "the runs have no data split, repeat and seed in common"
	switch {
	case min(nb, nc) == 0:
		return all, false, notes
	case twice:
		why = "several runs have the same data, repeat and seed"
	case n > 0:
		why = "fewer than half of the runs have a counterpart"
	case seeds[0] != seeds[1]:
		why = fmt.Sprintf("the sides have different seeds (%s / %s)", seeds[0], seeds[1])
	}
	return all, false, append(notes, why+": compared as independent samples")
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
		t.columns = sorted(tuned, base.by.Tune)
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
	if err != nil {
		return "", err
	}
	for i, place := range places {
		if t.Scores[place] = losses[i]; !finite.Is(losses[i]) {
			return "", fmt.Errorf("compare: the score of %s is not finite", scored[i].Name())
		}
	}
	return split, nil
}

func (t *table) chosen(side int) (runs []*record.Run) {
	if column := t.Choice()[side]; column >= 0 {
		for row := range t.Rows[side] {
			runs = append(runs, t.runs[(side*t.Rows[0]+row)*t.Candidates+column])
		}
	}
	return runs
}
