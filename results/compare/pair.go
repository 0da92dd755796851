package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/results/record"
	"stochopt/results/words"
)

// pairing is which runs of a cell are compared, and how: pair by pair, base[i]
// with cand[i], or as independent samples.
type pairing struct {
	base, cand []record.Run
	paired     bool
	notes      []string
}

// unit is what paired runs have in common: the data, the split and its repeat,
// and the seed of all random streams.
type unit struct {
	hash   string
	seed   uint64
	repeat int
}

func unitOf(r record.Run) unit { return unit{r.DatasetHash, r.Seed, r.Repeat} }

// pairUp pairs the runs of the same data, repeat and seed. If that leaves out more
// than half of the smaller side, the sides are independent samples. Runs that were
// skipped, for want of an external solver, are left out. The order of the outcome
// does not depend on that of the runs.
func pairUp(base, cand []record.Run) pairing {
	var p pairing
	var b, c []record.Run
	b, p.notes = usable(base, "baseline", p.notes)
	c, p.notes = usable(cand, "candidate", p.notes)
	at := map[unit]int{}
	twice := false
	for i, r := range c {
		_, known := at[unitOf(r)]
		twice = twice || known
		at[unitOf(r)] = i
	}
	seen := map[unit]bool{}
	for _, r := range b {
		twice = twice || seen[unitOf(r)]
		seen[unitOf(r)] = true
		if i, ok := at[unitOf(r)]; ok {
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
	why := "few runs have a counterpart"
	switch {
	case twice:
		why = "several runs have the same data, repeat and seed"
	case n == 0:
		why = "the runs have no data split, repeat and seed in common"
		seed := func(r record.Run) string { return fmt.Sprint(r.Seed) }
		if sb, sc := distinct(b, seed), distinct(c, seed); !slices.Equal(sb, sc) {
			why = fmt.Sprintf("the runs are of other seeds (%s / %s)", words.List(sb, mostListed), words.List(sc, mostListed))
		}
	}
	p.notes = append(p.notes, why+": compared as independent samples")
	return p
}

// usable returns the runs that are not skipped, in an order of their own.
func usable(runs []record.Run, side string, notes []string) ([]record.Run, []string) {
	var out []record.Run
	seen := map[ref]bool{}
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
	slices.SortStableFunc(out, func(a, b record.Run) int {
		return cmp.Or(cmp.Compare(a.DatasetHash, b.DatasetHash), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Extent, b.Extent))
	})
	return out, notes
}
