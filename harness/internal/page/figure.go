package page

import (
	"html/template"
	"strings"

	"stochopt/plots"
	"stochopt/plots/draw"
)

// The script draws a panel from as many points as readers may want to read off; the image
// has as many as can be seen.
const dataPoints, imagePoints = 2000, 1000

func newFigure(f plots.Figure, in plots.Input) (*Figure, error) {
	f.Style = f.Style.ForPages()
	chart, err := plots.Compose(f, in)
	if err != nil {
		return nil, err
	}
	svg, err := draw.SVG(chart.Reduced(imagePoints))
	if err != nil {
		return nil, err
	}
	return &Figure{Chart: chart.Reduced(dataPoints), Image: imageOf(svg)}, nil
}

// escaped replaces what would end a URL in single quotes, or has a meaning in it.
var escaped = strings.NewReplacer("%", "%25", "#", "%23", "&", "%26", "'", "%27", "\n", " ", "\t", " ")

// imageOf is the attribute of an image that holds a drawing.
func imageOf(svg []byte) template.HTMLAttr {
	return template.HTMLAttr("src='data:image/svg+xml," + escaped.Replace(string(svg)) + "'")
}

// chartData is what the script draws a figure from.
type chartData struct {
	Keys   []plots.ChartKey `json:"keys"`
	Panels [][]*panelData   `json:"panels"`
}

// panelData is a panel with the ticks of its axes.
type panelData struct {
	*plots.ChartPanel
	XTicks []plots.Tick `json:"xTicks"`
	YTicks []plots.Tick `json:"yTicks"`
}

// Data is what the script draws the figure from, nil if only the image shows it.
func (f *Figure) Data() *chartData {
	data, some := &chartData{Keys: f.Keys}, false
	for _, row := range f.Panels {
		var panels []*panelData
		for _, p := range row {
			if p.Static {
				return nil
			}
			some = some || len(p.Curves) > 0
			panels = append(panels, &panelData{p, p.X.Ticks(), p.Y.Ticks()})
		}
		data.Panels = append(data.Panels, panels)
	}
	if !some {
		return nil
	}
	return data
}

// Columns is the greatest number of panels in a row.
func (f *Figure) Columns() (n int) {
	for _, row := range f.Panels {
		n = max(n, len(row))
	}
	return n
}
