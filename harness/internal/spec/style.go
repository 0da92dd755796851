package spec

import (
	"maps"
	"reflect"
	"slices"

	"stochopt/internal/words"
	"stochopt/plots"
)

// ReadStyle reads a style from a file, to be applied over those of figures. Its series must each be one
// of some of the specifications. Mistakes are returned as Errors, all of them at once.
func ReadStyle(file string, specs []*Spec) (plots.Appearance, error) {
	data, err := ReadFile(file)
	if err != nil {
		return plots.Appearance{}, err
	}
	var a plots.Appearance
	rep := &reporter{}
	if rep.root = parseRoot(file, data, rep); rep.root == nil {
		return a, rep.err()
	}
	v := validator{reporter: rep}
	for _, s := range specs {
		for _, name := range s.seriesNames() {
			v.series = words.AddOnce(v.series, name)
		}
	}
	d := &decoder{reporter: rep, catalog: &Catalog{}}
	d.decode(rep.root, reflect.ValueOf(&a).Elem(), &rules{}, at())
	v.style(a, at())
	for _, s := range specs {
		for _, f := range s.Figures {
			v.logRanges(f, a, at())
		}
	}
	return a, rep.err()
}

// The least and the greatest width and height of figures, in points.
var leastSize, mostSize = plots.Points("20mm"), plots.Points("500mm")

// style checks what the types of a style cannot say.
func (c *validator) style(a plots.Appearance, p path) {
	for key, size := range map[string]string{"width": a.Width, "height": a.Height} {
		if v := plots.Points(size); size != "" && (v < leastSize || v > mostSize) {
			c.fail(p.in(key), "want 20mm to 500mm, got %s", size)
		}
	}
	for key, ends := range map[string][]*float64{"x": a.X, "y": a.Y} {
		if len(ends) == 2 && ends[0] != nil && ends[1] != nil && *ends[0] >= *ends[1] {
			c.fail(p.in(key), "the range [%v, %v] is empty: give the lower end first", *ends[0], *ends[1])
		}
	}
	labels := make(map[string]string)
	for _, id := range slices.Sorted(maps.Keys(a.Series)) {
		c.knownKey(id, "series", c.series, p.in("series"))
		label := a.Series[id].Label
		if other, taken := labels[label]; taken && label != "" {
			c.fail(p.in("series", id, "label"), "%q is also the label of %q", label, other)
		}
		labels[label] = id
	}
}

// logRanges reports the range of a style, at a path, that a logarithmic axis of a figure cannot have.
func (c *validator) logRanges(f plots.Figure, a plots.Appearance, p path) {
	for key, ends := range map[string][]*float64{"x": a.X, "y": a.Y} {
		log := slices.ContainsFunc(append(f.Panels, f.Panel), func(p plots.Panel) bool { return slices.Contains(p.Log, key) })
		if log && slices.ContainsFunc(ends, func(end *float64) bool { return end != nil && *end <= 0 }) {
			c.fail(p.in(key), "the %s axis of figure %q is logarithmic: give ends above 0, or null", key, f.ID)
		}
	}
}
