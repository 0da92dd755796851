package cli

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"stochopt/results/compare"
	"stochopt/results/words"
)

var compareColumns = []string{
	"experiment", "dataset", "series", "params", "changed", "stand_in", "baseline_runs", "candidate_runs", "pairs", "cell_verdict", "reason",
	"metric", "split", "cost", "kind", "at", "baseline", "candidate", "ratio", "ratio_lo", "ratio_hi", "p", "p_adjusted", "verdict", "repeats_needed", "baseline_reached", "candidate_reached", "halvings",
}

// writeCSV writes a row a measure, with a single row of a cell that has none.
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
		measures := cell.Measures
		if len(measures) == 0 {
			measures = []compare.Measure{{}}
		}
		for j := range measures {
			row := append(lead[:len(lead):len(lead)], measureColumns(&measures[j])...)
			halvings := ""
			if cell.Halvings > 0 {
				halvings = strconv.Itoa(cell.Halvings)
			}
			if err := cw.Write(append(row, halvings)); err != nil {
				return err
			}
		}
	}
	cw.Flush()
	return cw.Error()
}

// measureColumns are those from "kind" on, empty where there is nothing.
func measureColumns(m *compare.Measure) []string {
	if m.Kind == "" {
		return make([]string, 13)
	}
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return words.Exact(*v)
	}
	columns := []string{m.Kind, "", number(m.Baseline), number(m.Candidate), "", "", "", number(m.P), number(m.Adjusted), m.Verdict, "", "", ""}
	if m.Kind != compare.Area {
		columns[1] = number(&m.At)
	}
	if r := m.Ratio; r != nil {
		columns[4], columns[5], columns[6] = number(&r.Value), number(&r.Lo), number(&r.Hi)
	}
	if m.Needed > 0 {
		columns[10] = strconv.Itoa(m.Needed)
	}
	if m.Reached != nil {
		columns[11], columns[12] = strconv.Itoa(m.Reached[0]), strconv.Itoa(m.Reached[1])
	}
	return columns
}
