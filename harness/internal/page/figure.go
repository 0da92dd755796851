package page

import (
	"html/template"
	"strings"

	"stochopt/plots"
	"stochopt/plots/draw"
)

// dataPoints is the number of points of a panel in the data of the script. imagePoints is their number in the image,
// where readers cannot distinguish more. See plots.Chart.Reduced.
const dataPoints, imagePoints = 2000, 1000

// newFigure composes and draws a figure for a page.
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

// urlEscaper escapes characters with a meaning in a data URL in single quotes.
var urlEscaper = strings.NewReplacer("%", "%25", "#", "%23", "&", "%26", "'", "%27", "\n", " ", "\t", " ")

// imageOf returns the src attribute of an image in SVG.
func imageOf(svg []byte) template.HTMLAttr {
	return template.HTMLAttr("src='data:image/svg+xml," + urlEscaper.Replace(string(svg)) + "'")
}

// chartData is the input of the script for a figure.
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

// Data returns the input of the script. It is nil if the script cannot draw the figure.
func (f *Figure) Data() *chartData {
	data, hasCurves := &chartData{Keys: f.Keys}, false
	for _, row := range f.Panels {
		var panels []*panelData
		for _, p := range row {
			if p.Static {
				return nil
			}
			hasCurves = hasCurves || len(p.Curves) > 0
			panels = append(panels, &panelData{p, p.X.Ticks(), p.Y.Ticks()})
		}
		data.Panels = append(data.Panels, panels)
	}
	if !hasCurves {
		return nil
	}
	return data
}
