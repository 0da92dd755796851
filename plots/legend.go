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
	// Remarks are what it adds to the footnotes of columns, by their ids.
	Remarks map[string]string
}

// Catalog lists the algorithms in the order in which legends and tables have them. An id is in it once.
type Catalog []Algorithm

func (c Catalog) find(id string) int {
	return slices.IndexFunc(c, func(a Algorithm) bool { return a.ID == id })
}

// algorithm returns the entry of an id, an empty one if it is not listed.
func (c Catalog) algorithm(id string) Algorithm {
	if i := c.find(id); i >= 0 {
		return c[i]
	}
	return Algorithm{}
}

// Name returns the human name of a series or algorithm: the one listed; that of a
// listed one with what follows it in brackets, such as "Perceptron (last)" for
// "perceptron-last"; or the id itself.
func (c Catalog) Name(id string) string {
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
	{3, 3}, {12, 2, 2, 2}, {6, 1.5, 3, 1.5}, {1, 3}, {14, 3}, {4, 4, 1, 4}, {9, 1}, {2, 1, 2, 4},
}

// stylesOf gives every series its look. A series that is listed has its own. Any other
// series that runs a listed algorithm has the algorithm's colour, lighter where figures
// are crowded, with dashes picked by its name; of the rest, the name picks both. Within
// one call no two series look the same (for up to 64 beyond the catalog): where a pick
// is taken, the later by compare moves on to the next free one, of a colour not yet
// seen if there is one.
func (c Catalog) stylesOf(ids []seriesID) map[string]Style {
	ids = slices.SortedFunc(slices.Values(ids), c.compare)
	styles := make(map[string]Style, len(ids))
	taken := make(map[string]bool) // colours and looks
	for _, id := range ids {
		if _, done := styles[id.series]; done {
			continue
		}
		if i := c.find(id.series); i >= 0 {
			styles[id.series] = c[i].Style
			continue
		}
		candidates := c.extraStyles(id)
		i := slices.IndexFunc(candidates, func(s Style) bool { return !taken[s.Color] })
		if i < 0 || c.find(id.algorithm) >= 0 {
			i = slices.IndexFunc(candidates, func(s Style) bool { return !taken[s.look()] })
		}
		s := candidates[max(i, 0)]
		taken[s.Color], taken[s.look()] = true, true
		styles[id.series] = s
	}
	return styles
}

// extraStyles lists the looks open to a series without an entry of its own, in
// the order in which it would take them.
func (c Catalog) extraStyles(id seriesID) []Style {
	h := fnv.New32a()
	h.Write([]byte(id.series))
	start := int(h.Sum32() % (1 << 16))
	var own, pool []Style
	for k, dash := range extraDashes {
		s := Style{Dash: dash, Width: 1.4, Glyph: GlyphRing}
		if i := c.find(id.algorithm); i >= 0 {
			s.Color = c[i].Style.Color
			if c[i].Crowded {
				s.Color = lightened(s.Color, extraShares[k%len(extraShares)])
			}
			own = append(own, s)
		}
		for _, rgb := range extraColors {
			s.Color = hex(rgb)
			pool = append(pool, s)
		}
	}
	return slices.Concat(rotate(own, start), rotate(pool, start))
}

// extraShares are the shares of white in the colours of the variants of an algorithm whose figures are crowded.
var extraShares = []float64{0.5, 0.25, 0.65}

func rotate(s []Style, n int) []Style {
	if len(s) == 0 {
		return nil
	}
	n %= len(s)
	return slices.Concat(s[n:], s[:n])
}

// referenceName is what legends and notes call the classifier that is not sparse.
const referenceName = "Reference SVM"

var referenceStyle = Style{Color: "#303030", Dash: []float64{1, 2.2}, Width: 1.1, Glyph: GlyphCross}

// looks assigns the curves of a figure their styles and legend labels: the
// same look means the same thing in every panel.
type looks struct {
	Catalog
	// color is the variable that colours stand for.
	color string
	// order lists the series, values the values of the colour variable.
	order           []seriesID
	values          []any
	styles, byValue map[string]Style
}

// looksOf takes all the curves of a figure into account.
func looksOf(c Catalog, color string, curves []*ChartCurve) looks {
	l := looks{Catalog: c, color: color, byValue: make(map[string]Style)}
	for _, cv := range curves {
		if !slices.Contains(l.order, cv.series) {
			l.order = append(l.order, cv.series)
		}
		if l.position(cv.color) < 0 {
			l.values = append(l.values, cv.color)
		}
	}
	slices.SortFunc(l.order, c.compare)
	l.styles = c.stylesOf(l.order)
	slices.SortFunc(l.values, func(a, b any) int { return cmp.Or(compareNumbers(a, b), strings.Compare(format(a), format(b))) })
	for i, v := range l.values {
		l.byValue[format(v)] = sequential(i, len(l.values))
	}
	return l
}

func (l looks) position(value any) int {
	return slices.IndexFunc(l.values, func(v any) bool { return format(v) == format(value) })
}

// base is the look that the series and the colour's value ask for. Where the
// colour stands for another variable than the series, the dashes tell series
// apart.
func (l looks) base(id identity) Style {
	if l.color == varSeries {
		return l.styles[id.series.series]
	}
	s := l.byValue[format(id.color)]
	if len(l.order) > 1 {
		s.Dash = l.styles[id.series.series].Dash
	}
	return s
}

func (l looks) labelOf(id identity) string {
	label := l.Name(id.series.series)
	if l.color != varSeries && id.color != nil {
		value := l.label(l.color, id.color)
		if len(l.order) == 1 {
			label = value
		} else {
			label += ", " + value
		}
	}
	return joinParts(", ", label, id.extra)
}

func newKey(label, series string, style Style) ChartKey {
	return ChartKey{Key: plainText(label), Label: Text(label), Series: series, Style: style}
}

// keys returns the entries of the legend by series, then by value of the colour variable,
// then by what else tells curves apart. Every label has a look of its own. Where the one
// that its series and value ask for is taken, the dashes change, and when these run out the
// colour darkens.
func (l looks) keys(curves []*ChartCurve) []ChartKey {
	var variants []identity
	for _, cv := range curves {
		same := func(id identity) bool { return l.labelOf(id) == l.labelOf(cv.identity) }
		if !slices.ContainsFunc(variants, same) {
			variants = append(variants, cv.identity)
		}
	}
	slices.SortStableFunc(variants, func(a, b identity) int {
		return cmp.Or(slices.Index(l.order, a.series)-slices.Index(l.order, b.series), l.position(a.color)-l.position(b.color))
	})
	var keys []ChartKey
	taken := make(map[string]bool)
	for _, id := range variants {
		s := l.base(id)
		for k := 0; taken[s.look()] && k < 4*len(extraDashes); k++ {
			s.Dash = extraDashes[k%len(extraDashes)]
			if k > 0 && k%len(extraDashes) == 0 {
				s.Color = darker(s.Color)
			}
		}
		taken[s.look()] = true
		keys = append(keys, newKey(l.labelOf(id), id.series.series, s))
	}
	return keys
}

func (s Style) look() string { return fmt.Sprint(s.Color, s.Dash) }

// wear gives a curve the look of its entry of the legend. Single runs and eigenvalues are
// fainter and finer, and some curves have a look of their own.
func (cv *ChartCurve) wear(key ChartKey, eigenvalue bool) {
	cv.Key = key.Key
	switch {
	case cv.Look.Color != "":
	case eigenvalue:
		cv.Look = Style{Color: key.Color, Width: 0.8, Glyph: key.Glyph, Radius: 0.7}
	case cv.Thin:
		cv.Look = Style{Color: faded(key.Color, 0x70), Width: 0.5, Glyph: key.Glyph, Radius: 1.5}
	default:
		cv.Look = key.Style
	}
}

// legend gives all curves their looks and lists these once each, and the references'.
func (l layout) legend(catalog Catalog, color string) []ChartKey {
	var curves []*ChartCurve
	references := false
	for c := range l.all() {
		first := len(curves)
		for i := range c.Curves {
			curves = append(curves, &c.Curves[i])
		}
		if c.tradesOff() || c.illustrates() { // the first is on top
			slices.Reverse(curves[first:])
		}
		references = references || len(c.Lines) > 0 && len(c.Curves) > 0
	}
	looks := looksOf(catalog, color, curves)
	keys := looks.keys(curves)
	lone := make([]int, len(keys)) // the number of curves that are lone points, -1 if another is not
	for c := range l.all() {
		for i := range c.Curves {
			cv := &c.Curves[i]
			label := Text(looks.labelOf(cv.identity))
			k := slices.IndexFunc(keys, func(key ChartKey) bool { return key.Label == label })
			cv.wear(keys[k], c.spec.Y == ySpectrum)
			switch {
			case cv.Thin && c.spec.Y != ySpectrum:
			case cv.Thin || !cv.lone():
				lone[k] = -1
			case lone[k] >= 0:
				lone[k]++
			}
			keys[k].Glyphs = keys[k].Glyphs || cv.Marked || cv.lone() && !cv.Thin
			keys[k].Epochs = keys[k].Epochs || cv.Dashed != nil
		}
	}
	for k := range keys {
		keys[k].Bare = lone[k] > 0
		if keys[k].Epochs { // the dashes say something else
			keys[k].Dash = nil
		}
	}
	if references {
		keys = append(keys, newKey(referenceName, "", referenceStyle))
	}
	return keys
}
