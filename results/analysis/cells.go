package analysis

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
)

// cell is a Choice in the making.
type cell struct {
	choice Choice
	// at finds a candidate by the label of its parameters.
	at map[string]int
}

func cells(runs []record.Run, tune []string) []*cell {
	type id struct {
		dataset, series, algorithm, params, hash string
		seed                                     uint64
	}
	var out []*cell
	at := map[id]*cell{}
	for i, r := range runs {
		tuned, fixed := r.Params.Split(tune)
		key := id{r.Dataset, r.Series, r.Algorithm, fixed.String(), r.DatasetHash, r.Seed}
		c, ok := at[key]
		if !ok {
			c = &cell{
				choice: Choice{
					Dataset: r.Dataset, Group: r.Group, Series: r.Series, Algorithm: r.Algorithm, Params: fixed,
					Seed: r.Seed, DatasetHash: r.DatasetHash,
				},
				at: map[string]int{},
			}
			at[key] = c
			out = append(out, c)
		}
		c.add(i, r, tuned)
	}
	for _, c := range out {
		slices.SortStableFunc(c.choice.Candidates, func(a, b Candidate) int {
			return record.CompareParams(a.Params, b.Params, tune)
		})
	}
	return out
}

func (c *cell) add(i int, r record.Run, tuned record.Params) {
	c.choice.StandIn = c.choice.StandIn || r.StandIn
	label := tuned.String()
	j, ok := c.at[label]
	if !ok {
		j = len(c.choice.Candidates)
		c.at[label] = j
		c.choice.Candidates = append(c.choice.Candidates, Candidate{Params: tuned})
	}
	cand := &c.choice.Candidates[j]
	cand.runs = append(cand.runs, i)
	if !slices.Contains(cand.extents, r.Extent) {
		cand.extents = append(cand.extents, r.Extent)
	}
	switch r.Status {
	case record.StatusDiverged:
		cand.Diverged++
		cand.Problems = append(cand.Problems, fmt.Sprintf("repeat %d diverged: %s", r.Repeat, r.Reason))
	case record.StatusFailed:
		cand.Failed++
		cand.Problems = append(cand.Problems, fmt.Sprintf("repeat %d failed: %s", r.Repeat, r.Reason))
	case record.StatusSkipped:
		cand.Skipped++
		cand.Problems = append(cand.Problems, fmt.Sprintf("repeat %d was skipped: %s", r.Repeat, r.Reason))
	case record.StatusOutOfTime, record.StatusOutOfMemory:
		cand.Limited++
		cand.Problems = append(cand.Problems, fmt.Sprintf("repeat %d is %s: %s", r.Repeat, strings.ReplaceAll(r.Status, "-", " "), r.Reason))
	default:
		cand.Finished++
	}
}
