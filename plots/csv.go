package plots

import (
	"encoding/csv"
	"io"

	"stochopt/internal/words"
)

// WriteCSV writes the numbers that the chart draws: a row for each point of each curve. A
// straight line has x or the mean only.
func (c *Chart) WriteCSV(w io.Writer) error {
	rows := [][]string{{"panel", "series", "x", "mean", "low", "high"}}
	for _, row := range c.Panels {
		for _, p := range row {
			add := func(series string, numbers ...*float64) {
				row := []string{joinParts(": ", p.Title.String(), p.Y.Label.String()+" against "+p.X.Label.String()), series}
				for _, v := range numbers {
					text := ""
					if v != nil {
						text = words.Exact(*v)
					}
					row = append(row, text)
				}
				rows = append(rows, row)
			}
			for _, l := range p.Lines {
				add(l.Label, l.X, l.Y, nil, nil)
			}
			for _, l := range p.Levels {
				add(l.Text.String(), nil, &l.Y, nil, nil)
			}
			for _, cv := range p.Curves {
				for i := range cv.X {
					numbers := make([]*float64, 4)
					for k, column := range cv.columns() {
						if *column != nil {
							numbers[k] = &(*column)[i]
						}
					}
					add(joinParts(", ", cv.Key, cv.Label), numbers...)
				}
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
