package experiment

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// Unplanned counts the completed records of a folder that a plan does not ask for.
type Unplanned struct {
	// Budget counts those of runs of the plan with another budget, Record those with the same
	// budget and other points or measurements, and Other those of other runs.
	Budget, Record, Other int
}

// NewUnplanned compares what is completed with a plan.
func NewUnplanned(completed iter.Seq[record.ID], plan []record.ID) Unplanned {
	var k Unplanned
	asked := make(map[string]bool, len(plan))
	budgets := make(map[string][]string, len(plan))
	for _, id := range plan {
		asked[id.Text()] = true
		budgets[id.Key] = append(budgets[id.Key], record.ParseExtent(id.Extent).Budget)
	}
	for id := range completed {
		if asked[id.Text()] {
			continue
		}
		asked[id.Text()] = true // once
		planned, ok := budgets[id.Key]
		switch {
		case !ok:
			k.Other++
		case slices.Contains(planned, record.ParseExtent(id.Extent).Budget):
			k.Record++
		default:
			k.Budget++
		}
	}
	return k
}

// String says it in words, or is empty if there is nothing to say.
func (k Unplanned) String() string {
	var parts []string
	verb := " are"
	if k.Budget+k.Record+k.Other == 1 {
		verb = " is"
	}
	for _, c := range []struct {
		n    int
		what string
	}{{k.Budget, "of another budget"}, {k.Record, "with other settings of record"}, {k.Other, "of other runs"}} {
		switch {
		case c.n == 0:
			continue
		case parts != nil:
		case c.n == 1:
			c.what = "record " + c.what
		default:
			c.what = "records " + c.what
		}
		parts = append(parts, strconv.Itoa(c.n)+" "+c.what)
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + verb + " kept for other plans"
}
