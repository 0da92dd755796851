package spec

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"stochopt/internal/closest"
)

// Hint returns ` (did you mean "…"?)` if one of the names is close to what was
// written, else a list of the names if they are few, else nothing. It starts
// with a space unless it is empty.
func Hint(written string, names []string) string {
	if best := closeTo(written, names); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	if len(names) == 0 || len(names) > 20 {
		return ""
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(names, ", "))
}

// closeTo returns the name from which a third of the letters or fewer differ, "" if there is none.
func closeTo(written string, names []string) string {
	return closest.Name(written, names, min(3, (len(written)+1)/3))
}

// maxPlaces is how many places a hint names: a name that is known in more places gets no such hint.
const maxPlaces = 3

// keyHint is Hint for the last key of a path. If that is known in other places, these come first.
func (c *Catalog) keyHint(p path, here []string) string {
	keys := p.components()
	written := keys[len(keys)-1]
	known := keyPlaces()
	if here := closeTo(written, here); here == "" && known[written] == nil {
		written = cmp.Or(closeTo(written, slices.Sorted(maps.Keys(known))), written)
	}
	places := slices.Clone(known[written])
	param := func(p Param) bool { return strings.TrimPrefix(p.Name, stepPrefix) == written }
	data := slices.ContainsFunc(c.Sources, func(s Source) bool { return slices.ContainsFunc(s.Params, param) })
	for _, params := range c.Formats {
		data = data || slices.ContainsFunc(params, param)
	}
	if data {
		places = append(places, "datasets.with."+written)
	}
	for _, t := range c.Tasks {
		for _, a := range t.Algorithms {
			switch i := slices.IndexFunc(a.Params, param); {
			case i < 0:
				continue
			case a.Params[i].Name != written:
				places = append(places, "algorithms."+a.Params[i].Name)
			case keys[0] == "datasets":
				places = append(places, "datasets.problem."+written)
			case !slices.Contains(keys, "with"):
				places = append(places, "algorithms.with."+written)
			}
		}
	}
	slices.Sort(places)
	places = slices.DeleteFunc(slices.Compact(places), func(place string) bool { return place == plainPlace(keys) })
	near := func(place string) bool { return strings.HasPrefix(place, keys[0]+".") }
	if slices.ContainsFunc(places, near) {
		places = slices.DeleteFunc(places, func(place string) bool { return !near(place) })
	}
	if len(places) == 0 || len(places) > maxPlaces {
		return Hint(keys[len(keys)-1], here)
	}
	return fmt.Sprintf(" (did you mean %s?)", strings.Join(places, " or "))
}

// plainPlace writes the keys of a path without indices.
func plainPlace(keys []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key[:min(1, len(key))] < "A" }), ".")
}

// keyPlaces returns where a specification may have each key, as paths without indices.
var keyPlaces = sync.OnceValue(func() map[string][]string {
	places := make(map[string][]string)
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || strings.Count(at, ".") > 2 {
			return
		}
		for _, r := range fieldRules(t) {
			places[r.name] = append(places[r.name], at+r.name)
			walk(t.FieldByIndex(r.index).Type, at+r.name+".")
		}
	}
	walk(reflect.TypeFor[Spec](), "")
	return places
})
