package spec

import (
	"maps"
	"reflect"
	"slices"

	"stochopt/internal/words"
	"stochopt/plots"
)

// ReadStyle reads a style from a file. It may name the series of any of the specifications. Mistakes are
// returned as Errors.
func ReadStyle(file string, specs []*Spec) (style plots.Appearance, err error) {
	data, err := ReadFile(file)
	if err != nil {
		return style, err
	}
	rep := &reporter{}
	if rep.root = parseRoot(file, data, rep); rep.root == nil {
		return style, rep.err()
	}
	v := validator{reporter: rep}
	for _, s := range specs {
		for _, name := range s.seriesNames() {
			v.series = words.AddOnce(v.series, name)
		}
	}
	d := &decoder{reporter: rep}
	d.decode(rep.root, reflect.ValueOf(&style).Elem(), &rules{}, at())
	v.style(style, at())
	return style, rep.err()
}

// minSize and maxSize bound the width and height of figures, in points.
var minSize, maxSize = plots.Points("20mm"), plots.Points("500mm")

// style checks the sizes and series of a style. Ranges are checked against the axes when a figure is drawn.
func (c *validator) style(a plots.Appearance, p path) {
	for key, size := range map[string]string{"width": a.Width, "height": a.Height} {
		if v := plots.Points(size); size != "" && (v < minSize || v > maxSize) {
			c.fail(p.in(key), "want 20mm to 500mm, got %s", size)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.Series)) {
		c.knownKey(id, "series", c.series, p.in("series"))
	}
}
