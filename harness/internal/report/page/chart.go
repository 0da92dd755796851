package page

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"stochopt/harness/internal/report"
	"stochopt/plots"
)

// figure is a figure with the data that the script draws it from.
type figure struct {
	*report.Figure
	Anchor string
	// Data is the chart as JSON; it is empty if there is nothing to draw but the
	// drawing.
	Data   template.JS
	Facets facets
	// Text is the caption without the alarms and notes that have places of their own.
	Text                   string
	Alarms, Remarks, Notes []string
	Shows                  []*claim
	Keys                   []key
	// Ends are the curves in numbers.
	Ends []panelEnds
	// Solo: its panels are below each other, and there is room beside them.
	Solo   bool
	Curves *report.Link
}

// key is an entry of the legend.
type key struct {
	Key, Label, Series string
	Look               template.CSS
	Dash               string
	Width              float64
}

// newFigure makes the page's form of a figure.
func newFigure(src *report.Figure, e *experiment, names names) (*figure, error) {
	f := &figure{Figure: src, Text: src.Caption, Anchor: names.unique("f-" + e.Name + "-" + src.ID),
		Facets: facets{Experiment: e.Anchor, Datasets: src.Datasets, Series: src.Series}, Curves: e.Curves}
	if src.Chart == nil {
		return f, nil
	}
	f.Text, f.Alarms, f.Remarks, f.Notes = src.Chart.Lead, plain(src.Chart.Alarms), plain(src.Chart.Remarks), plain(src.Chart.Notes)
	if !interactive(src.Chart) {
		return f, nil
	}
	for _, k := range src.Chart.Keys {
		f.Keys = append(f.Keys, key{k.Key, k.Label.String(), k.Series, ink(k.Color), dashes(k.Dash), width(k.Width)})
	}
	f.Ends = endsOf(src.Chart)
	f.Solo = !slices.ContainsFunc(src.Chart.Panels, func(row []*plots.ChartPanel) bool { return len(row) > 1 })
	var err error
	f.Data, err = encode(src.Chart)
	return f, err
}

func plain(texts []plots.Text) []string {
	var out []string
	for _, t := range texts {
		out = append(out, t.String())
	}
	return out
}

// interactive reports whether a chart has a panel that is drawn from curves, and
// none that only the drawing has.
func interactive(c *plots.Chart) bool {
	some := false
	for _, row := range c.Panels {
		for _, p := range row {
			if p != nil && p.Static {
				return false
			}
			some = some || p != nil && len(p.Curves) > 0
		}
	}
	return some
}

// The JSON that the script reads: that of plots.Chart with keys by index, colours for
// both themes, columns of x that several curves share in one place, and numbers to six
// digits. A field stands in place of that of the same name of what it is beside.
type (
	chartData struct {
		Keys   []keyData      `json:"keys"`
		Panels [][]*panelData `json:"panels"`
		Xs     [][]digits     `json:"xs"`
	}
	keyData struct {
		Label string    `json:"label"`
		Paint string    `json:"paint"`
		Dash  []float64 `json:"dash,omitempty"`
		Width float64   `json:"width"`
		Glyph string    `json:"glyph,omitempty"`
	}
	panelData struct {
		Title   string          `json:"title,omitempty"`
		StandIn bool            `json:"standIn,omitempty"`
		X       plots.ChartAxis `json:"x"`
		Y       plots.ChartAxis `json:"y"`
		Curves  []curveData     `json:"curves,omitempty"`
		Lines   []lineData      `json:"lines,omitempty"`
		Empty   string          `json:"empty,omitempty"`
	}
	curveData struct {
		Key int      `json:"key"`
		X   int      `json:"x"`
		Y   []digits `json:"y"`
		Lo  []digits `json:"lo,omitempty"`
		Hi  []digits `json:"hi,omitempty"`
		plots.ChartCurve
	}
	lineData struct {
		Key int `json:"key"`
		plots.ChartLine
	}
)

// digits is a number that is written with six significant digits, NaN and
// infinities as null.
type digits float64

func (d digits) MarshalJSON() ([]byte, error) {
	if v := float64(d); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(d), 'g', 6, 64), nil
}

func encode(c *plots.Chart) (template.JS, error) {
	d := chartData{Keys: []keyData{}, Xs: [][]digits{}}
	index := map[string]int{}
	for i, k := range c.Keys {
		index[k.Key] = i
		d.Keys = append(d.Keys, keyData{k.Label.String(), paint(k.Color), k.Dash, width(k.Width), k.Glyph})
	}
	columns := map[string]int{}
	for _, row := range c.Panels {
		out := []*panelData{}
		for _, p := range row {
			if p == nil {
				out = append(out, nil)
				continue
			}
			q := &panelData{Title: p.Title.String(), StandIn: p.StandIn, X: p.X, Y: p.Y, Empty: p.Empty.String()}
			for _, u := range p.Curves {
				k, ok := index[u.Key]
				if !ok {
					return "", fmt.Errorf("its chart has a curve of %q, which is not in the legend", u.Key)
				}
				if n := len(u.X); len(u.Y) != n || len(u.Lo) != len(u.Hi) || len(u.Lo) != 0 && len(u.Lo) != n {
					return "", fmt.Errorf("its chart has a curve of %q with columns of different lengths", u.Key)
				}
				q.Curves = append(q.Curves, curveData{k, d.column(u.X, columns), short(u.Y), short(u.Lo), short(u.Hi), u})
			}
			for _, l := range p.Lines {
				k, ok := index[l.Key]
				if !ok {
					k = -1
				}
				q.Lines = append(q.Lines, lineData{k, l})
			}
			out = append(out, q)
		}
		d.Panels = append(d.Panels, out)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("its chart: %w", err)
	}
	// Marshal has written <, > and & as escapes, so that it ends no script.
	return template.JS(data), nil
}

// column returns the index of a column of x, adding it if it is new.
func (d *chartData) column(x []float64, known map[string]int) int {
	short := short(x)
	id := fmt.Sprint(short)
	i, ok := known[id]
	if !ok {
		i = len(d.Xs)
		known[id] = i
		d.Xs = append(d.Xs, slices.Clip(short))
	}
	return i
}

func short(values []float64) []digits {
	out := make([]digits, len(values))
	for i, v := range values {
		out[i] = digits(v)
	}
	return out
}

func width(w float64) float64 {
	if w <= 0 {
		return 1.5
	}
	return w
}

func dashes(lengths []float64) string {
	var b []byte
	for i, l := range lengths {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, l, 'g', -1, 64)
	}
	return string(b)
}
