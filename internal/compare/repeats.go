package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
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
type unit struct {
	hash   string
	seed   uint64
	repeat int
}

func unitOf(r *record.Run) unit { return unit{r.DatasetHash, r.Seed, r.Repeat} }

// repeats sorts the usable runs of a group by repeat. Several runs of one candidate and
// unit are of several repeats. Where candidates are chosen among, a repeat that lacks one
// of them is left out: what it would have contributed to the choice is not known, and that
// it is missing need not be chance.
func (g *group) repeats(side string) (out []repeat, notes []string) {
	runs, notes := usable(g.all, side)
	column := map[string]int{}
	for j, c := range g.candidates {
		column[c.String()] = j
	}
	of := map[unit][]int{}
	for _, r := range runs {
		u := unitOf(r)
		j := column[g.tuned(r)]
		i := slices.IndexFunc(of[u], func(at int) bool { return out[at][j] == nil })
		if i < 0 {
			i = len(of[u])
			of[u] = append(of[u], len(out))
			out = append(out, make(repeat, len(g.candidates)))
		}
		out[of[u][i]][j] = r
	}
	n := len(out)
	out = slices.DeleteFunc(out, func(r repeat) bool { return slices.Contains(r, nil) })
	if n > len(out) {
		notes = append(notes, fmt.Sprintf("left out, because they lack candidates of the grid: %d of %s of the %s",
			n-len(out), words.Count(n, "repeat"), side))
	}
	return out, notes
}

// usable returns the runs that are not skipped, in an order of their own.
func usable(runs []*record.Run, side string) (out []*record.Run, notes []string) {
	seen := make(map[ref]bool, len(runs))
	skipped := ""
	n := 0
	for _, r := range runs {
		if seen[refOf(r)] {
			continue
		}
		seen[refOf(r)] = true
		if r.Status == record.StatusSkipped {
			n++
			skipped = r.Reason
			continue
		}
		out = append(out, r)
	}
	if n > 0 {
		notes = append(notes, fmt.Sprintf("skipped and left out: %s of the %s (%s)", words.Count(n, "run"), side, skipped))
	}
	slices.SortStableFunc(out, func(a, b *record.Run) int {
		return cmp.Or(cmp.Compare(a.DatasetHash, b.DatasetHash), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent))
	})
	return out, notes
}

// pairUp pairs the repeats of the same data, repeat and seed, and leaves out those without
// a counterpart, which then do not choose either. If that leaves out more than half of the
// smaller side, the sides are independent samples, which may be of unequal size. Runs that
// were skipped, for want of an external solver, are left out. The order of the outcome
// does not depend on that of the runs.
func pairUp(base, cand *group) (rows [2][]repeat, paired bool, notes []string) {
	b, notesB := base.repeats(sideNames[0])
	c, notesC := cand.repeats(sideNames[1])
	notes = slices.Concat(notesB, notesC)
	at := map[unit]int{}
	twice := false
	for i, r := range c {
		_, known := at[unitOf(r[0])]
		twice = twice || known
		at[unitOf(r[0])] = i
	}
	seen := map[unit]bool{}
	for _, r := range b {
		u := unitOf(r[0])
		twice = twice || seen[u]
		seen[u] = true
		if i, ok := at[u]; ok {
			rows[0], rows[1] = append(rows[0], r), append(rows[1], c[i])
		}
	}
	n, less, more := len(rows[0]), min(len(b), len(c)), max(len(b), len(c))
	if n > 0 && 2*n >= less && !twice {
		if n < more {
			notes = append(notes, fmt.Sprintf("%d of %d runs of the baseline and %d of %d of the candidate have no counterpart and are left out",
				len(b)-n, len(b), len(c)-n, len(c)))
		}
		return rows, true, notes
	}
	if less > 0 {
		notes = append(notes, unpaired(b, c, n, twice)+": compared as independent samples")
	}
	return [2][]repeat{b, c}, false, notes
}

// unpaired says why repeats, n of which have counterparts, are not compared pair by pair.
func unpaired(b, c []repeat, n int, twice bool) string {
	seeds := func(repeats []repeat) []string {
		var texts []string
		for _, r := range repeats {
			texts = append(texts, fmt.Sprint(r[0].Seed))
		}
		return unique(texts)
	}
	switch sb, sc := seeds(b), seeds(c); {
	case twice:
		return "several runs have the same data, repeat and seed"
	case n > 0:
		return "fewer than half of the runs have a counterpart"
	case !slices.Equal(sb, sc):
		return fmt.Sprintf("the sides have different seeds (%s / %s)", words.List(sb, mostListed), words.List(sc, mostListed))
	}
	return "the runs have no data split, repeat and seed in common"
}

// table is the pool of a cell with the parameters of its columns and the runs at its places:
// none where a side's grid lacks the candidate.
type table struct {
	stats.Pool
	columns []record.Params
	runs    []*record.Run
}

// newTable lays out the repeats of both sides. Where each side has a single candidate these
// are of one column, whatever their parameters.
func newTable(groups [2]*group, rows [2][]repeat, paired bool) (*table, error) {
	base, cand := groups[0], groups[1]
	t := &table{columns: base.candidates}
	t.Rows, t.Paired = [2]int{len(rows[0]), len(rows[1])}, paired
	single := len(base.candidates) == 1 && len(cand.candidates) == 1
	t.Approximate = !single && !(slices.Equal(base.grid(), cand.grid()) && sameWay(base.by, cand.by))
	if t.Approximate {
		t.columns = slices.Concat(base.candidates, cand.candidates)
		slices.SortStableFunc(t.columns, func(a, b record.Params) int { return observe.CompareParams(a, b, base.by.Tune) })
		t.columns = slices.CompactFunc(t.columns, func(a, b record.Params) bool { return a.String() == b.String() })
	}
	t.Candidates = len(t.columns)
	var splits []string
	for side, g := range groups {
		at := make([]int, len(g.candidates))
		for j, c := range g.candidates {
			if !single {
				at[j] = slices.IndexFunc(t.columns, func(p record.Params) bool { return p.String() == c.String() })
			}
		}
		split, err := t.add(g.by, rows[side], at)
		if err != nil {
			return nil, err
		}
		if split != "" {
			splits = append(splits, split)
		}
	}
	t.Approximate = t.Approximate || len(unique(splits)) > 1
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

// takeAll makes the runs to compare those of what a side chooses by all repeats that have all its
// candidates, and returns its name; empty if that is nothing.
func (g *group) takeAll() (string, error) {
	repeats, _ := g.repeats("")
	t, err := newTable([2]*group{g, g}, [2][]repeat{repeats}, false)
	if err != nil {
		return "", err
	}
	chosen := t.chosen(0)
	if g.take(chosen); len(chosen) == 0 {
		return "", nil
	}
	return g.tuned(chosen[0]), nil
}
