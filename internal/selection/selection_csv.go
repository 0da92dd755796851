package selection

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// WriteCSV writes one row a candidate, cells in order of first appearance and
// candidates by their parameters, with the columns
//
//	dataset, group, stand_in, series, algorithm, params, candidate, by, split,
//	metric, over, score, standard_error, finished, diverged, failed, skipped,
//	selected, edge, problems, warnings
//
// Score is empty for a candidate out of the race, standard_error for fewer than
// two repeats; edge is set in the selected row only. Problems are those of the
// candidate, warnings those of its cell, given once: in the selected row, or in
// the first if none is selected. With ByNone there is only the header. With choices at each
// support size the columns are those of writeSizes.
func (s *Choice) WriteCSV(w io.Writer) error {
	if s.BySize() {
		return s.writeSizes(w)
	}
	out := csv.NewWriter(w)
	out.Write([]string{
		"dataset", "group", "stand_in", "series", "algorithm", "params", "candidate", "by", "split",
		"metric", "over", "score", "standard_error", "finished", "diverged", "failed", "skipped", "selected", "edge", "problems", "warnings",
	})
	for _, c := range s.Series {
		for i, cand := range c.Candidates {
			var score, se, edge, warnings string
			if cand.Scored {
				score = record.FormatFloat(cand.Score)
				if cand.Finished > 1 {
					se = record.FormatFloat(cand.SE)
				}
			}
			if cand.Selected {
				edge = c.Edge
			}
			if cand.Selected || !c.OK && i == 0 {
				warnings = strings.Join(c.Warnings, "; ")
			}
			out.Write([]string{
				c.Dataset, c.Group, strconv.FormatBool(c.StandIn), c.Series, c.Algorithm, c.Params.String(), cand.Params.String(),
				s.By, c.Split, s.Metric, s.Over, score, se,
				strconv.Itoa(cand.Finished), strconv.Itoa(cand.Diverged), strconv.Itoa(cand.Failed), strconv.Itoa(cand.Skipped),
				strconv.FormatBool(cand.Selected), edge, strings.Join(cand.Problems, "; "), warnings,
			})
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("results: cannot write the selection: %w", err)
	}
	return nil
}
