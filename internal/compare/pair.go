package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// repeat is what a side ran of one repeat: a run of every candidate of its grid. Where
// repeats change sides all of it does, whatever its runs came to.
type repeat struct {
	unit
	// runs are those of the group's candidates, in their order.
	runs []*record.Run
}

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
func (g *group) repeats(side string, notes []string) ([]repeat, []string) {
	runs, notes := usable(g.all, side, notes)
	if !g.by.Chooses() {
		out := make([]repeat, len(runs))
		for i := range runs {
			out[i] = repeat{unitOf(runs[i]), runs[i : i+1]}
		}
		return out, notes
	}
	column := map[string]int{}
	for j, c := range g.candidates {
		column[c.String()] = j
	}
	var out []repeat
	of := map[unit][]int{}
	for _, r := range runs {
		u := unitOf(r)
		j := column[g.parting.Of(r.Params).TunedText]
		i := slices.IndexFunc(of[u], func(at int) bool { return out[at].runs[j] == nil })
		if i < 0 {
			i = len(of[u])
			of[u] = append(of[u], len(out))
			out = append(out, repeat{u, make([]*record.Run, len(g.candidates))})
		}
		out[of[u][i]].runs[j] = r
	}
	n := len(out)
	out = slices.DeleteFunc(out, func(r repeat) bool { return slices.Contains(r.runs, nil) })
	if n > len(out) {
		notes = append(notes, fmt.Sprintf("left out, because they lack candidates of the grid: %d of %s of the %s",
			n-len(out), words.Count(n, "repeat"), side))
	}
	return out, notes
}

// pairing is which repeats of a cell are compared, and how: pair by pair, base[i]
// with cand[i], or as independent samples.
type pairing struct {
	base, cand []repeat
	paired     bool
	notes      []string
}

// pairUp pairs the repeats of the same data, repeat and seed, and leaves out those without
// a counterpart, which then do not choose either. If that leaves out more than half of the
// smaller side, the sides are independent samples, which may be of unequal size. Runs that
// were skipped, for want of an external solver, are left out. The order of the outcome
// does not depend on that of the runs.
func pairUp(base, cand *group) pairing {
	var p pairing
	var b, c []repeat
	b, p.notes = base.repeats("baseline", p.notes)
	c, p.notes = cand.repeats("candidate", p.notes)
	at := map[unit]int{}
	twice := false
	for i, r := range c {
		_, known := at[r.unit]
		twice = twice || known
		at[r.unit] = i
	}
	seen := map[unit]bool{}
	for _, r := range b {
		twice = twice || seen[r.unit]
		seen[r.unit] = true
		if i, ok := at[r.unit]; ok {
			p.base, p.cand = append(p.base, r), append(p.cand, c[i])
		}
	}
	n, less, more := len(p.base), min(len(b), len(c)), max(len(b), len(c))
	if n > 0 && 2*n >= less && !twice {
		p.paired = true
		if n < more {
			p.notes = append(p.notes, fmt.Sprintf("%d of %d runs of the baseline and %d of %d of the candidate have no counterpart and are left out",
				len(b)-n, len(b), len(c)-n, len(c)))
		}
		return p
	}
	p.base, p.cand = b, c
	if less == 0 {
		return p
	}
	why := "fewer than half of the runs have a counterpart"
	switch {
	case twice:
		why = "several runs have the same data, repeat and seed"
	case n == 0:
		why = "the runs have no data split, repeat and seed in common"
		seeds := func(repeats []repeat) []string {
			var texts []string
			for _, r := range repeats {
				texts = append(texts, fmt.Sprint(r.seed))
			}
			return unique(texts)
		}
		if sb, sc := seeds(b), seeds(c); !slices.Equal(sb, sc) {
			why = fmt.Sprintf("the sides have different seeds (%s / %s)", words.List(sb, mostListed), words.List(sc, mostListed))
		}
	}
	p.notes = append(p.notes, why+": compared as independent samples")
	return p
}

// usable returns the runs that are not skipped, in an order of their own.
func usable(runs []record.Run, side string, notes []string) ([]*record.Run, []string) {
	var out []*record.Run
	seen := make(map[ref]bool, len(runs))
	skipped := ""
	n := 0
	for i := range runs {
		r := &runs[i]
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
