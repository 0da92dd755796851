package plots

import (
	"encoding/csv"
	"io"

	"stochopt/internal/words"
)

// WriteCSV writes the numbers that the chart draws: a row for each point of each curve. A
// straight line has x or the mean only.
func (c *Chart) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"panel", "series", "x", "mean", "low", "high"})
	for _, row := range c.Panels {
		for _, p := range row {
			p.rows(func(series string, numbers ...*float64) {
				record := []string{joinParts(": ", p.Title.String(), p.Y.Label.String()+" against "+p.X.Label.String()), series}
				for _, v := range numbers {
					text := ""
					if v != nil {
						text = words.Exact(*v)
					}
					record = append(record, text)
				}
				out.Write(record)
			})
		}
	}
	out.Flush()
	return out.Error()
}

// rows passes on the name and the x, mean, low and high of each point.
func (p *ChartPanel) rows(write func(series string, numbers ...*float64)) {
	for _, l := range p.Lines {
		write(l.Label, l.X, l.Y, nil, nil)
	}
	for _, l := range p.Levels {
		write(l.Text.String(), nil, &l.Y, nil, nil)
	}
	for _, cv := range p.Curves {
		for i := range cv.X {
			numbers := make([]*float64, 4)
			for k, column := range cv.columns() {
				if *column != nil {
					numbers[k] = &(*column)[i]
				}
			}
			write(joinParts(", ", cv.Key, cv.Label), numbers...)
		}
	}
}
