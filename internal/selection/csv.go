package selection

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// WriteCSV writes the selection as CSV. The columns are
//
//	dataset, group, stand_in, series, algorithm, params
//
// and scoreColumns, or sizeColumns if the selection is made at each support size. Series are in order of first
// appearance. The warnings of a series are written once. With ByNone, WriteCSV writes only the header.
func (s *Choice) WriteCSV(w io.Writer) error {
	columns, rows := scoreColumns, s.scoreRows
	if s.BySize() {
		columns, rows = sizeColumns, s.sizeRows
	}
	out := csv.NewWriter(w)
	out.Write(slices.Concat([]string{"dataset", "group", "stand_in", "series", "algorithm", "params"}, columns))
	for i := range s.Series {
		c := &s.Series[i]
		head := []string{c.Dataset, c.Group, strconv.FormatBool(c.StandIn), c.Name, c.Algorithm, c.Params.String()}
		for _, row := range rows(c) {
			out.Write(slices.Concat(head, row))
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("results: cannot write the selection: %w", err)
	}
	return nil
}

var scoreColumns = []string{
	"candidate", "by", "split", "metric", "over", "score", "standard_error",
	"finished", "diverged", "failed", "skipped", "selected", "edge", "problems", "warnings",
}

// scoreRows returns a row for each candidate, ordered by parameters. An ineligible candidate has no score, and fewer
// than two repeats have no standard_error. Only the selected row has edge. The selected row has the warnings, or the
// first row if no candidate is selected.
func (s *Choice) scoreRows(c *Series) (rows [][]string) {
	for i, cand := range c.Candidates {
		var score, se, edge, warnings string
		if cand.Scored {
			score = words.Exact(cand.Score)
			if cand.Finished > 1 {
				se = words.Exact(cand.SE)
			}
		}
		if cand.Selected {
			edge = c.Edge
		}
		if cand.Selected || !c.OK && i == 0 {
			warnings = strings.Join(c.Warnings, "; ")
		}
		rows = append(rows, []string{
			cand.Params.String(), s.By, c.Split, s.Metric, s.Over, score, se,
			strconv.Itoa(cand.Finished), strconv.Itoa(cand.Diverged), strconv.Itoa(cand.Failed), strconv.Itoa(cand.Skipped),
			strconv.FormatBool(cand.Selected), edge, strings.Join(cand.Problems, "; "), warnings,
		})
	}
	return rows
}

var sizeColumns = []string{
	"by", "over", "halvings", "repeats", "test_rows", "support_size", "error", "deviation_over_halvings",
	"deviation_over_repeats", "validation_error", "chosen", "chosen_share", "choices", "warnings",
}

// sizeRows returns a row for each support size. chosen is the most frequent choice of the tuned
// parameters, chosen_share its share; choices lists all with their counts. halvings is empty for a
// selection on the validation split, deviation_over_halvings for a single halving, and
// deviation_over_repeats for a single repeat. The first row has the warnings. A series without
// classifiers has one row without a size.
func (s *Choice) sizeRows(c *Series) (rows [][]string) {
	halvings := strconv.Itoa(s.Halvings)
	if s.By == ByValidation {
		halvings = ""
	}
	head := []string{s.By, s.Over, halvings, strconv.Itoa(len(c.Repeats)), strconv.FormatInt(c.TestRows, 10)}
	warnings := strings.Join(c.Warnings, "; ")
	if len(c.Sizes) == 0 {
		return [][]string{append(head, "", "", "", "", "", "", "", "", warnings)}
	}
	for i, size := range c.Sizes {
		var overHalvings, overRepeats string
		if s.Halvings > 1 {
			overHalvings = words.Exact(c.SD[i])
		}
		if len(c.Repeats) > 1 {
			overRepeats = words.Exact(math.Sqrt(stats.Variance(c.ErrorsAt(i), c.Error[i])))
		}
		rows = append(rows, slices.Concat(head, []string{
			strconv.Itoa(size), words.Exact(c.Error[i]), overHalvings, overRepeats, words.Exact(c.Validation[i]),
			c.Votes[i][0].Params.String(), words.Exact(c.Share(i)), votesText(c.Votes[i]), warnings,
		}))
		warnings = ""
	}
	return rows
}

// votesText formats votes as "eta=1 63, eta=4 37".
func votesText(votes []Votes) string {
	parts := make([]string, len(votes))
	for i, v := range votes {
		parts[i] = strings.TrimSpace(fmt.Sprintf("%s %d", v.Params, v.Count))
	}
	return strings.Join(parts, ", ")
}
