package plots

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Algorithm holds the name and the style of an algorithm, or of a series with its own name and style.
type Algorithm struct {
	ID, Name string
	Style    Style
	// Crowded makes the colours of variants lighter, because its figures have many curves.
	Crowded bool
	// Rank is the label of axes of its ranks, "" for the usual label.
	Rank string
	// Clock describes its recorded times if it runs another program.
	Clock string
	// Label is the new name of a series, in an entry without other fields.
	Label string
}

// Catalog lists algorithms in the order of legends and tables. An id may have a second entry, which has a Label and
// renames it.
type Catalog []Algorithm

// find returns the index of the own entry of an id, or -1.
func (c Catalog) find(id string) int {
	return slices.IndexFunc(c, func(a Algorithm) bool { return a.ID == id && a.Label == "" })
}

// algorithm returns the entry of an id, or an empty entry.
func (c Catalog) algorithm(id string) Algorithm {
	if i := c.find(id); i >= 0 {
		return c[i]
	}
	return Algorithm{}
}

// Name returns the name of a series or algorithm: its Label, or else its listed name. Without both, it is the name of
// the longest listed prefix with the rest in brackets, such as "Perceptron (last)" for "perceptron-last". Without such
// a prefix it is the id.
func (c Catalog) Name(id string) string {
	if i := slices.IndexFunc(c, func(a Algorithm) bool { return a.ID == id && a.Label != "" }); i >= 0 {
		return c[i].Label
	}
	if i := c.find(id); i >= 0 {
		return c[i].Name
	}
	for end := len(id) - 2; end > 0; end-- { // the longest prefix first
		if id[end] != '-' {
			continue
		}
		if i := c.find(id[:end]); i >= 0 {
			return withQualifier(c[i].Name, strings.ReplaceAll(id[end+1:], "-", " "))
		}
	}
	return id
}

// withQualifier adds a qualifier in brackets to a name, which may already have brackets.
func withQualifier(name, qualifier string) string {
	if open, ok := strings.CutSuffix(name, ")"); ok {
		return open + ", " + qualifier + ")"
	}
	return name + " (" + qualifier + ")"
}

// seriesID identifies a series by its id and that of its algorithm.
type seriesID struct{ id, algorithm string }

func seriesOf(r *record.Run) seriesID { return seriesID{r.Series, r.Algorithm} }

// compare orders series by the catalog entry of the series, else of its algorithm. Unlisted series come last. Ties are
// ordered by id.
func (c Catalog) compare(a, b seriesID) int {
	rank := func(s seriesID) int {
		if i := c.find(s.id); i >= 0 {
			return 2 * i
		}
		if i := c.find(s.algorithm); i >= 0 {
			return 2*i + 1
		}
		return 2 * len(c)
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a.id, b.id), strings.Compare(a.algorithm, b.algorithm))
}

// extraColors holds the colours of unlisted series: Paul Tol's "muted" scheme without hues close to listed ones.
var extraColors = []uint32{0x332288, 0x882255, 0x117733, 0x999933, 0x661100, 0x6699CC, 0xAA4499, 0x555555}

// extraDashes holds the dashes of series of one colour. They differ from the dashes of listed algorithms.
var extraDashes = [][]float64{
	{3, 3}, {10, 3, 2, 3}, {6, 3, 3, 3}, {1, 3}, {12, 5}, {4, 4, 1, 4}, {8, 4}, {2, 2, 2, 5},
}

// extraShares holds the shares of white in the colours of variants of Crowded algorithms.
var extraShares = []float64{0.5, 0.25, 0.65}

// styles lists the styles for the curves of a series, in order of preference. The first is its listed style. A series
// that is not listed begins with the colour of its algorithm and various dashes. Other colours are last. The order of
// dashes and colours depends on the id, so that series of one algorithm have different styles.
func (c Catalog) styles(series seriesID) []Style {
	h := fnv.New32a()
	h.Write([]byte(series.id))
	start := int(h.Sum32() % (1 << 16))
	var listed, variants, others []Style
	for k, dash := range extraDashes {
		s := Style{Dash: dash, Width: 1.4, Glyph: GlyphRing}
		if i := c.find(series.algorithm); i >= 0 {
			s.Color = c[i].Style.Color
			if c[i].Crowded {
				s.Color = blended(s.Color, "#ffffff", extraShares[k%len(extraShares)])
			}
			variants = append(variants, s)
		}
		for _, rgb := range extraColors {
			s.Color = hex(rgb)
			others = append(others, s)
		}
	}
	if i := c.find(series.id); i >= 0 {
		listed, variants = []Style{c[i].Style}, nil
	}
	return slices.Concat(listed, rotate(variants, start), rotate(others, start))
}

// rotate returns the styles from index n on, and then those before it. n may exceed their number.
func rotate(s []Style, n int) []Style {
	n %= max(len(s), 1)
	return slices.Concat(s[n:], s[:n])
}

// referenceName is the name of the classifier that is not sparse, in legends and notes.
const referenceName = "Reference SVM"

var referenceStyle = Style{Color: "#303030", Dash: []float64{1, 2.2}, Width: 1.1, Glyph: GlyphCross}

// labelOf returns the text of a curve in the legend.
func (c Catalog) labelOf(id curveID) string {
	return joinParts(", ", c.Name(id.series.id), id.setting)
}

func newKey(label, series string, style Style) ChartKey {
	return ChartKey{Key: label, Label: label, Series: series, Style: style}
}

// keys returns the entries of the legend, ordered by series and setting. Every label has a different style.
func (c Catalog) keys(ids []curveID) []ChartKey {
	ids = slices.Clone(ids)
	slices.SortStableFunc(ids, func(a, b curveID) int { return c.compare(a.series, b.series) })
	var keys []ChartKey
	taken := make(map[string]bool)
	for _, id := range ids {
		label := c.labelOf(id)
		if slices.ContainsFunc(keys, func(k ChartKey) bool { return k.Label == label }) {
			continue
		}
		styles := c.styles(id.series)
		s := styles[max(slices.IndexFunc(styles, func(s Style) bool { return !taken[s.signature()] }), 0)]
		taken[s.signature()] = true
		keys = append(keys, newKey(label, id.series.id, s))
	}
	return keys
}

// signature returns the colour and dashes, which distinguish styles.
func (s Style) signature() string { return fmt.Sprint(s.Color, s.Dash) }

// applyStyle sets the style of a curve to that of its entry of the legend. Single runs and eigenvalues have a fainter
// style. A curve that has a style keeps it.
func (cv *ChartCurve) applyStyle(key ChartKey, eigenvalue bool) {
	cv.Key = key.Key
	switch {
	case cv.Style.Color != "":
	case eigenvalue:
		cv.Style = Style{Color: key.Color, Width: 0.8, Glyph: key.Glyph, Radius: 0.7}
	case cv.Thin:
		cv.Style = key.Style.Faint()
	default:
		cv.Style = key.Style
	}
}

// legend returns the entries of the legend, and sets the styles of all curves.
func (l layout) legend(catalog Catalog, style Appearance) []ChartKey {
	var ids []curveID
	references := false
	for _, c := range slices.Concat(l...) {
		first := len(ids)
		for _, cv := range c.Curves {
			ids = append(ids, cv.curveID)
		}
		if c.isTradeoff() || c.illustrates() { // their first curve is on top
			slices.Reverse(ids[first:])
		}
		references = references || c.isTradeoff() && len(c.Lines) > 0 && len(c.Curves) > 0
	}
	keys := catalog.keys(ids)
	for k := range keys {
		keys[k].PointsOnly = true
		keys[k].Style = style.styleOf(keys[k].Series, keys[k].Style)
	}
	for _, c := range slices.Concat(l...) {
		for i := range c.Curves {
			cv := &c.Curves[i]
			label := catalog.labelOf(cv.curveID)
			key := &keys[slices.IndexFunc(keys, func(key ChartKey) bool { return key.Label == label })]
			cv.applyStyle(*key, c.spec.Y == observe.Spectrum)
			key.PointsOnly = key.PointsOnly && cv.Points
			key.Glyphs = key.Glyphs || cv.Points && !cv.Thin
			key.Epochs = key.Epochs || cv.Dashed != nil
		}
	}
	for k := range keys {
		if keys[k].Epochs { // dashes mark later epochs
			keys[k].Dash = nil
		}
	}
	if references {
		keys = append(keys, newKey(referenceName, "", referenceStyle))
	}
	return keys
}
