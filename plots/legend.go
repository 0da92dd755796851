package plots

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// Algorithm is what figures and tables know of an algorithm, or of a series that has a
// name and a look of its own.
type Algorithm struct {
	ID, Name string
	Style    Style
	// Crowded: its figures have many curves, most of them dashed, so that its variants
	// are told apart by lighter colours too.
	Crowded bool
	// Rank is what axes call its ranks if it counts something else.
	Rank string
	// Clock says what its recorded times are if it runs another program.
	Clock string
	// Label renames a series, in an entry that says nothing else.
	Label string
}

// Catalog lists the algorithms in the order in which legends and tables have them. An id is in it once,
// and may be in a second entry with a Label.
type Catalog []Algorithm

func (c Catalog) find(id string) int {
	return slices.IndexFunc(c, func(a Algorithm) bool { return a.ID == id && a.Label == "" })
}

// algorithm returns the entry of an id, an empty one if it is not listed.
func (c Catalog) algorithm(id string) Algorithm {
	if i := c.find(id); i >= 0 {
		return c[i]
	}
	return Algorithm{}
}

// Name returns the human name of a series or algorithm: its Label; the one listed; that of a
// listed one with what follows it in brackets, such as "Perceptron (last)" for
// "perceptron-last"; or the id itself.
func (c Catalog) Name(id string) string {
	if i := slices.IndexFunc(c, func(a Algorithm) bool { return a.ID == id && a.Label != "" }); i >= 0 {
		return c[i].Label
	}
	if i := c.find(id); i >= 0 {
		return c[i].Name
	}
	for end := len(id) - 2; end > 0; end-- { // the longest first
		if id[end] != '-' {
			continue
		}
		if i := c.find(id[:end]); i >= 0 {
			return bracket(c[i].Name, strings.ReplaceAll(id[end+1:], "-", " "))
		}
	}
	return id
}

func bracket(name, more string) string {
	if open, ok := strings.CutSuffix(name, ")"); ok {
		return open + ", " + more + ")"
	}
	return name + " (" + more + ")"
}

type seriesID struct{ series, algorithm string }

func seriesOf(r *record.Run) seriesID { return seriesID{r.Series, r.Algorithm} }

// compare orders series as the catalog does: by the series' own entry, else by its
// algorithm's, else after all that are listed; ties by name.
func (c Catalog) compare(a, b seriesID) int {
	rank := func(s seriesID) int {
		if i := c.find(s.series); i >= 0 {
			return 2 * i
		}
		if i := c.find(s.algorithm); i >= 0 {
			return 2*i + 1
		}
		return 2 * len(c)
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a.series, b.series), strings.Compare(a.algorithm, b.algorithm))
}

// extraColors are for series that the catalog does not list (after Paul Tol's
// "muted" scheme, without the hues close to those of algorithms).
var extraColors = []uint32{0x332288, 0x882255, 0x117733, 0x999933, 0x661100, 0x6699CC, 0xAA4499, 0x555555}

// extraDashes are the dashes, other than those of algorithms, that tell series of one colour apart.
var extraDashes = [][]float64{
	{3, 3}, {10, 3, 2, 3}, {6, 3, 3, 3}, {1, 3}, {12, 5}, {4, 4, 1, 4}, {8, 4}, {2, 2, 2, 5},
}

// extraShares are the shares of white in the colours of the variants of an algorithm whose figures are crowded.
var extraShares = []float64{0.5, 0.25, 0.65}

// looks lists the looks open to the curves of a series, in the order in which they take them: its own
// if it is listed, the colour of its algorithm, lighter where figures are crowded, with other dashes,
// and then other colours. The name of the series picks where in each list it starts.
func (c Catalog) looks(id seriesID) []Style {
	h := fnv.New32a()
	h.Write([]byte(id.series))
	start := int(h.Sum32() % (1 << 16))
	var listed, own, pool []Style
	for k, dash := range extraDashes {
		s := Style{Dash: dash, Width: 1.4, Glyph: GlyphRing}
		if i := c.find(id.algorithm); i >= 0 {
			s.Color = c[i].Style.Color
			if c[i].Crowded {
				s.Color = blended(s.Color, "#ffffff", extraShares[k%len(extraShares)])
			}
			own = append(own, s)
		}
		for _, rgb := range extraColors {
			s.Color = hex(rgb)
			pool = append(pool, s)
		}
	}
	if i := c.find(id.series); i >= 0 {
		listed, own = []Style{c[i].Style}, nil
	}
	return slices.Concat(listed, rotate(own, start), rotate(pool, start))
}

func rotate(s []Style, n int) []Style {
	n %= max(len(s), 1)
	return slices.Concat(s[n:], s[:n])
}

// referenceName is what legends and notes call the classifier that is not sparse.
const referenceName = "Reference SVM"

var referenceStyle = Style{Color: "#303030", Dash: []float64{1, 2.2}, Width: 1.1, Glyph: GlyphCross}

func (c Catalog) labelOf(id identity) string {
	return joinParts(", ", c.Name(id.series.series), id.extra)
}

func newKey(label, series string, style Style) ChartKey {
	return ChartKey{Key: label, Label: label, Series: series, Style: style}
}

// keys returns the entries of the legend by series, then by what else tells curves apart. Every
// label has a look of its own.
func (c Catalog) keys(ids []identity) []ChartKey {
	ids = slices.Clone(ids)
	slices.SortStableFunc(ids, func(a, b identity) int { return c.compare(a.series, b.series) })
	var keys []ChartKey
	taken := make(map[string]bool)
	for _, id := range ids {
		label := c.labelOf(id)
		if slices.ContainsFunc(keys, func(k ChartKey) bool { return k.Label == label }) {
			continue
		}
		looks := c.looks(id.series)
		s := looks[max(slices.IndexFunc(looks, func(s Style) bool { return !taken[s.look()] }), 0)]
		taken[s.look()] = true
		keys = append(keys, newKey(label, id.series.series, s))
	}
	return keys
}

func (s Style) look() string { return fmt.Sprint(s.Color, s.Dash) }

// wear gives a curve the look of its entry of the legend. Single runs and eigenvalues are
// fainter and finer, and some curves have a look of their own.
func (cv *ChartCurve) wear(key ChartKey, eigenvalue bool) {
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

// legend gives all curves their looks and lists these once each, and the references'.
func (l layout) legend(catalog Catalog, style Appearance) []ChartKey {
	var ids []identity
	references := false
	for _, c := range slices.Concat(l...) {
		first := len(ids)
		for _, cv := range c.Curves {
			ids = append(ids, cv.identity)
		}
		if c.tradesOff() || c.illustrates() { // the first is on top
			slices.Reverse(ids[first:])
		}
		references = references || c.tradesOff() && len(c.Lines) > 0 && len(c.Curves) > 0
	}
	keys := catalog.keys(ids)
	for k := range keys {
		keys[k].PointsOnly, keys[k].Style = true, style.of(keys[k].Series, keys[k].Style)
	}
	for _, c := range slices.Concat(l...) {
		for i := range c.Curves {
			cv := &c.Curves[i]
			label := catalog.labelOf(cv.identity)
			key := &keys[slices.IndexFunc(keys, func(key ChartKey) bool { return key.Label == label })]
			cv.wear(*key, c.spec.Y == ySpectrum)
			key.PointsOnly = key.PointsOnly && cv.Points
			key.Glyphs = key.Glyphs || cv.Points && !cv.Thin
			key.Epochs = key.Epochs || cv.Dashed != nil
		}
	}
	for k := range keys {
		if keys[k].Epochs { // the dashes say something else
			keys[k].Dash = nil
		}
	}
	if references {
		keys = append(keys, newKey(referenceName, "", referenceStyle))
	}
	return keys
}
