package cli

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/compare"
	"stochopt/internal/words"
)

var compareColumns = []string{
	"experiment", "dataset", "series", "params", "changed", "stand_in", "baseline_runs", "candidate_runs", "pairs", "cell_verdict", "reason",
	"metric", "split", "cost", "kind", "at", "baseline", "candidate", "ratio", "ratio_lo", "ratio_hi", "p", "p_adjusted", "verdict", "baseline_reached", "candidate_reached", "halvings",
	"baseline_choice", "candidate_choice", "standing",
}

// writeCSV writes one row per measure, and a single row for a cell without measures.
func (c *comparison) writeCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	if err := cw.Write(compareColumns); err != nil {
		return err
	}
	for i := range c.Cells {
		cell := &c.Cells[i]
		lead := []string{
			cell.Experiment, cell.Dataset, cell.Series, cell.Params, strings.Join(cell.Changed, "; "), strconv.FormatBool(cell.StandIn),
			strconv.Itoa(cell.Baseline), strconv.Itoa(cell.Candidate), strconv.Itoa(cell.Pairs), cell.Verdict, cell.Reason,
			cell.Metric, cell.Split, cell.Cost,
		}
		choice := make([]string, 3)
		if ch := cell.Choice; ch != nil {
			choice = []string{ch.Baseline, ch.Candidate, ch.Standing}
		}
		measures := cell.Measures
		if len(measures) == 0 {
			measures = []compare.Measure{{}}
		}
		for j := range measures {
			if err := cw.Write(slices.Concat(lead, measureColumns(cell, &measures[j]), choice)); err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

// measureColumns are those from "kind" on, empty where there is nothing.
func measureColumns(cell *compare.Cell, m *compare.Measure) []string {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return words.Exact(*v)
	}
	whole := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	var at *float64
	if m.Kind != "" && m.Kind != compare.Area {
		at = &m.At
	}
	ratio := make([]string, 3)
	if r := m.Ratio; r != nil {
		ratio = []string{number(&r.Value), number(&r.Lo), number(&r.Hi)}
	}
	reached := make([]string, 2)
	if r := m.Reached; r != nil {
		reached = []string{strconv.Itoa(r[0]), strconv.Itoa(r[1])}
	}
	return slices.Concat(
		[]string{m.Kind, number(at), number(m.Baseline), number(m.Candidate)}, ratio,
		[]string{number(m.P), number(m.Adjusted), m.Verdict}, reached, []string{whole(cell.Halvings)})
}
