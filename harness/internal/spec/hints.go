package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"stochopt/internal/closest"
	"stochopt/internal/words"
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
	keys, known := p.components(), c.keyPlaces()
	written := keys[len(keys)-1]
	name := written
	if closeTo(name, here) == "" && known[name] == nil {
		name = closeTo(name, slices.Sorted(maps.Keys(known)))
	}
	// Where there is a place in the same part of the specification, it is meant.
	all := slices.DeleteFunc(slices.Clone(known[name]), func(place string) bool {
		return strings.HasSuffix(place, "with."+written) && slices.Contains(keys, "with")
	})
	places := slices.DeleteFunc(slices.Clone(all), func(place string) bool { return !strings.HasPrefix(place, keys[0]+".") })
	if len(places) == 0 {
		places = all
	}
	if len(places) == 0 || len(places) > maxPlaces {
		return Hint(written, here)
	}
	return fmt.Sprintf(" (did you mean %s?)", strings.Join(places, " or "))
}

// keyPlaces returns where a specification may have each key, as paths without indices.
func (c *Catalog) keyPlaces() map[string][]string {
	places := make(map[string][]string)
	add := func(prefix string, params []Param) {
		for _, p := range params {
			key, step := strings.CutPrefix(p.Name, stepPrefix)
			if place := prefix + "." + key; !step {
				places[key] = words.AddOnce(places[key], place)
			}
		}
	}
	for _, s := range c.Sources {
		add("datasets.with", s.Params)
	}
	for _, params := range c.Formats {
		add("datasets.with", params)
	}
	for _, t := range c.Tasks {
		for _, a := range t.Algorithms {
			add("datasets.problem", a.Params)
			add("algorithms.with", a.Params)
		}
	}
	var walk func(t reflect.Type, at string)
	walk = func(t reflect.Type, at string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || strings.Count(at, ".") > 2 {
			return
		}
		for _, r := range fieldRules(t) {
			places[r.name] = words.AddOnce(places[r.name], at+r.name)
			walk(t.FieldByIndex(r.index).Type, at+r.name+".")
		}
	}
	walk(reflect.TypeFor[Spec](), "")
	return places
}
