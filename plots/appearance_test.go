package plots

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/selection"
)

func TestAppearanceOfAFigure(t *testing.T) {
	t.Parallel()
	lo, hi := 2.0, 1e-3
	fig := figReal
	fig.Style = Appearance{
		LineWidth: 1.1, Notes: Omitted, PanelTitles: []string{"first"}, X: []*float64{&lo, nil}, Y: []*float64{&hi, nil},
		Series: map[string]SeriesStyle{"msg": {Label: "Ours", Color: "#aa0000", Dash: "dotted"}, "saa": {Width: 3}},
	}
	in := Input{Catalog: knownPCA, Choice: selection.All(realData(2, true)), Notes: []string{"PARTIAL: 1 of 2 runs"}}
	plain, err := Compose(figReal, in)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compose(fig, in)
	if err != nil {
		t.Fatal(err)
	}
	key := func(c *Chart, series string) ChartKey {
		return c.Keys[slices.IndexFunc(c.Keys, func(k ChartKey) bool { return k.Series == series })]
	}
	ours, original := key(c, "msg"), key(plain, "msg")
	if want := (Style{Color: "#aa0000", Dash: []float64{1, 2}, Width: 1.1, Glyph: original.Glyph}); ours.Label != "Ours" || !reflect.DeepEqual(ours.Style, want) {
		t.Errorf("style of msg: %+v", ours)
	}
	if saa := key(c, "saa"); saa.Width != 3 || saa.Color != key(plain, "saa").Color || saa.Label != key(plain, "saa").Label {
		t.Errorf("style of saa: %+v", saa)
	}
	order := func(c *Chart) (ids []string) {
		for _, k := range c.Keys {
			ids = append(ids, k.Series)
		}
		return ids
	}
	if got, want := order(c), order(plain); !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	p := c.Panels[0][0]
	if p.X.Min != lo || p.X.Max != plain.Panels[0][0].X.Max || p.Y.Min != hi || p.Y.Floor != 0 {
		t.Errorf("axes %+v, %+v", p.X, p.Y)
	}
	if p.Title != "first · "+standInMark || c.Panels[0][1].Title != plain.Panels[0][1].Title {
		t.Errorf("panels %q, %q", p.Title, c.Panels[0][1].Title)
	}
	if !strings.Contains(c.Caption, StandInData) || !strings.Contains(c.Caption, "PARTIAL") {
		t.Errorf("caption %q", c.Caption)
	}
	warned := strings.Join(c.Warnings, "\n")
	for _, want := range []string{"not drawn because of notes: none: PARTIAL", "style.panel_titles has 1 titles"} {
		if !strings.Contains(warned, want) {
			t.Errorf("warnings %q, want %q", warned, want)
		}
	}
}

func TestAppearanceOverridesAnother(t *testing.T) {
	t.Parallel()
	a := Appearance{Width: "84mm", Title: "T", PanelTitles: []string{"p"}, Series: map[string]SeriesStyle{"a": {Color: "#000000", Width: 1}}}
	b := Appearance{Title: Omitted, Notes: Omitted, PanelTitles: []string{}, Series: map[string]SeriesStyle{"a": {Width: 2}, "b": {Dash: "solid"}}}
	want := Appearance{
		Width: "84mm", Title: Omitted, Notes: Omitted, PanelTitles: []string{},
		Series: map[string]SeriesStyle{"a": {Color: "#000000", Width: 2}, "b": {Dash: "solid"}},
	}
	if got := a.With(b); !reflect.DeepEqual(got, want) || len(a.Series) != 1 || a.Series["a"].Width != 1 {
		t.Errorf("%+v of %+v", got, a)
	}
	if mm, in := Points("84mm"), Points("3.5in"); math.Abs(mm-238.1102) > 1e-4 || in != 252 {
		t.Errorf("%v, %v points", mm, in)
	}
}

func TestFewerTicksHaveFewerLabels(t *testing.T) {
	t.Parallel()
	for _, a := range []ChartAxis{
		{Max: 2.5e6}, {Min: 1e-12, Max: 1, Log: true}, {Min: 1, Max: 50, Log: true}, {Max: 0.17, Percent: true}, {Min: 3, Max: 4, Log: true},
	} {
		most := math.MaxInt
		for fewer := range MaxFewer + 1 {
			labels := 0
			for _, tick := range a.FewerTicks(fewer) {
				if tick.Label != "" {
					labels++
				}
			}
			if labels > most || labels < 1 {
				t.Errorf("%+v: %d labels, %d with one fewer", a, labels, most)
			}
			most = labels
		}
	}
}
