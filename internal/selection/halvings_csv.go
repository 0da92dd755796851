package selection

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// writeSizes writes one row a cell and support size, in the order of Series, with
// the columns
//
//	dataset, group, stand_in, series, algorithm, params, by, over, halvings,
//	repeats, test_rows, support_size, error, deviation_over_halvings,
//	deviation_over_repeats, validation_error, chosen, chosen_share, choices,
//	warnings
//
// chosen is the most frequent choice of the tuned parameters and chosen_share its
// share, choices how often each was chosen. halvings is empty for a choice by the validation split. deviation_over_halvings is empty for
// a single halving, deviation_over_repeats for a single repeat. The warnings of a
// cell are given once, in its first row; a cell without a classifier has one row
// without a size.
func (h *Choice) writeSizes(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{
		"dataset", "group", "stand_in", "series", "algorithm", "params", "by", "over", "halvings", "repeats",
		"test_rows", "support_size", "error", "deviation_over_halvings",
		"deviation_over_repeats", "validation_error", "chosen", "chosen_share", "choices", "warnings",
	})
	by, halvings := ByHalvings, strconv.Itoa(h.Halvings)
	if h.By == ByValidation {
		by, halvings = ByValidation, ""
	}
	for i := range h.Series {
		c := &h.Series[i]
		head := []string{
			c.Dataset, c.Group, strconv.FormatBool(c.StandIn), c.Series, c.Algorithm, c.Params.String(), by, h.Over,
			halvings, strconv.Itoa(len(c.Repeats)), strconv.FormatInt(c.TestRows, 10),
		}
		all := slices.Clone(c.Warnings)
		for _, e := range c.Edges {
			all = append(all, e.String())
		}
		warnings := strings.Join(all, "; ")
		if len(c.Sizes) == 0 {
			out.Write(append(head, "", "", "", "", "", "", "", "", warnings))
		}
		for j, size := range c.Sizes {
			var overHalvings, overRepeats string
			if h.Halvings > 1 {
				overHalvings = record.FormatFloat(c.SD[j])
			}
			if len(c.ByRepeat) > 1 {
				overRepeats = record.FormatFloat(c.SDOverRepeats(j))
			}
			chosen := c.Votes[j]
			share := float64(chosen[0].Count) / float64(h.Halvings*len(c.Repeats))
			out.Write(append(head[:len(head):len(head)],
				strconv.Itoa(size), record.FormatFloat(c.Error[j]), overHalvings, overRepeats, record.FormatFloat(c.Validation[j]),
				chosen[0].Params.String(), record.FormatFloat(share), votesText(chosen), warnings))
			warnings = ""
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("results: cannot write the selection: %w", err)
	}
	return nil
}
