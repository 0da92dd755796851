package draw

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"stochopt/plots"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// styled returns a chart of a row of panels with long labels and many ticks.
func styled(panels int, style plots.Appearance) *plots.Chart {
	c := &plots.Chart{
		ID: "f", Title: "Error ‖w‖² ≤ ε", Detail: "Data: Adult · mean of 10 repeats · band: 10 % to 90 % quantile",
		Alarms: []string{"STAND-IN DATA"}, Notes: []string{"curves leave the panel"}, Style: style, Panels: make([][]*plots.ChartPanel, 1),
	}
	for i, name := range []string{"SBP", "Pegasos", "Warmuth & Kuzmin"} {
		look := plots.NewStyle(uint32(i), 1.2, plots.GlyphDisc)
		c.Keys = append(c.Keys, plots.ChartKey{Key: name, Label: name, Style: look})
	}
	for i := range panels {
		c.Panels[0] = append(c.Panels[0], &plots.ChartPanel{
			Title:  []string{"Adult", "MNIST", "Reuters"}[i],
			X:      plots.ChartAxis{Label: "Kernel evaluations", Max: 2.5e6},
			Y:      plots.ChartAxis{Label: "Suboptimality of the regularised objective 10⁻⁴", Min: 1e-9, Max: 1, Log: true},
			Curves: []plots.ChartCurve{{Key: "SBP", X: []float64{0, 2.5e6}, Y: []float64{1, 1e-3}, Style: c.Keys[0].Style}},
		})
	}
	return c
}

// boxes returns the bounding boxes of the recorded texts.
func boxes(tr *recorder.Canvas) (all []vg.Rectangle, texts []string) {
	var offset vg.Point
	rotated := false
	for _, action := range tr.Actions {
		switch a := action.(type) {
		case *recorder.Translate:
			offset = a.Point
		case *recorder.Rotate:
			rotated = true
		case *recorder.Pop:
			offset, rotated = vg.Point{}, false
		case *recorder.FillString:
			w := fonts.Lookup(a.Font, a.Size)
			size := vg.Point{X: w.Width(a.String), Y: 0.7 * a.Size}
			if at := a.Point.Add(offset); rotated { // the text runs upwards
				at = offset.Add(vg.Point{X: -a.Point.Y - size.Y, Y: a.Point.X})
				all = append(all, vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: size.Y, Y: size.X})})
			} else {
				all = append(all, vg.Rectangle{Min: at, Max: at.Add(size)})
			}
			texts = append(texts, a.String)
		}
	}
	return all, texts
}

func TestTextFitsTheGivenSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width, height string
		panels        int
		legend        string
		fontSize      float64
		bare          bool
	}{
		{"84mm", "60mm", 1, "", 8, true}, {"84mm", "60mm", 1, "inside-top-right", 8, true},
		{"3.3in", "70mm", 1, "right", 8, true}, {"174mm", "65mm", 3, "below", 8, true},
		{"174mm", "65mm", 3, "inside-bottom-left", 5, false}, {"174mm", "", 3, "none", 7, true}, {"200mm", "120mm", 2, "", 12, false},
	} {
		style := plots.Appearance{Width: c.width, Height: c.height, Legend: c.legend, FontSize: c.fontSize, Font: "serif"}
		if c.bare {
			style.Title, style.Subtitle, style.Notes = plots.Omitted, plots.Omitted, plots.Omitted
		}
		s, err := NewSheet(styled(c.panels, style))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if math.Abs(s.Width.Points()-plots.Points(c.width)) > 1e-9 || c.height != "" && math.Abs(s.Height.Points()-plots.Points(c.height)) > 1e-9 {
			t.Errorf("%+v: %v x %v points", c, s.Width, s.Height)
		}
		var tr recorder.Canvas
		s.Draw(vgdraw.NewCanvas(&tr, s.Width, s.Height))
		rects, texts := boxes(&tr)
		for i, r := range rects {
			if r.Min.X < 0 || r.Min.Y < 0 || r.Max.X > s.Width || r.Max.Y > s.Height {
				t.Errorf("%+v: %q leaves the page: %v on %v x %v", c, texts[i], r, s.Width, s.Height)
			}
			for j, o := range rects[:i] {
				if r.Min.X < o.Max.X && o.Min.X < r.Max.X && r.Min.Y < o.Max.Y && o.Min.Y < r.Max.Y {
					t.Errorf("%+v: %q %v overlaps %q %v", c, texts[i], r, texts[j], o)
				}
			}
		}
		if found := slices.Contains(texts, "SBP"); found != (c.legend != plots.Omitted) {
			t.Errorf("%+v: legend %v", c, found)
		}
		if found := slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "STAND-IN") }); found == c.bare {
			t.Errorf("%+v: alarm %v", c, found)
		}
	}
}

func TestChartsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for want, style := range map[string]plots.Appearance{
		"no room for 3 panels in a row in a width of 84mm": {Width: "84mm", Height: "60mm"},
		"no room for 1 row of panels in a height of 20mm":  {Width: "174mm", Height: "20mm"},
		"legend: below":                {Width: "174mm", Height: "60mm", Legend: "inside-top-left", FontSize: 14},
		"give the series a shorter la": {Width: "40mm", FontSize: 20},
	} {
		if _, err := Files(styled(3, style)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestPDFHasItsSizeAndText(t *testing.T) {
	t.Parallel()
	chart := styled(1, plots.Appearance{Width: "84mm", Height: "90mm", FontSize: 8})
	chart.Panels[0][0].Title = "Ω \U0001F600"
	files, err := Files(chart)
	if err != nil {
		t.Fatal(err)
	}
	pdf := files[1].Data
	for _, want := range []string{"/MediaBox [0 0 238.11 255.12]", "/BaseFont /SUBSET+LiberationSans\n", "/BaseFont /SUBSET+LiberationSans-Bold\n"} {
		if !bytes.Contains(pdf, []byte(want)) {
			t.Errorf("the PDF lacks %q", want)
		}
	}
	_, page, _ := bytes.Cut(pdf, []byte("stream\n"))
	z, err := zlib.NewReader(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(u >> 8))
			b.WriteByte(byte(u))
		}
		return b.String()
	}
	for _, want := range []string{"(" + text("Warmuth & Kuzmin"), text("≤ ε"), text("Ω �"), " 8.00 Tf", fmt.Sprintf("<FEFF%X>>> BDC", text("Error ‖w‖² ≤ ε"))} {
		if !strings.Contains(string(content), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
