package spec

import (
	"fmt"
	"reflect"
	"strings"

	"stochopt/internal/closest"
)

// Hint returns a hint for an unknown name: ` (did you mean "…"?)` if a known name is similar, otherwise a
// list of at most 20 known names. If there are more, it returns "".
func Hint(name string, known []string) string {
	if best := similar(name, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	if len(known) == 0 || len(known) > 20 {
		return ""
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
}

// similar returns the most similar known name, or "". At most a third of the letters, and at most three, may differ.
func similar(name string, known []string) string {
	return closest.Name(name, known, min(3, (len(name)+1)/3))
}

// maxPlaces is the maximum number of places in a hint.
const maxPlaces = 3

// keyHint returns a hint for an unknown key of a mapping. If no known key is similar, it names the other
// places of a specification that have the key.
func keyHint(key string, known []string) string {
	var places []string
	var walk func(t reflect.Type, prefix string)
	walk = func(t reflect.Type, prefix string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || strings.Count(prefix, ".") > 2 {
			return
		}
		for _, r := range fieldRules(t) {
			if r.name == key {
				places = append(places, prefix+key)
			}
			walk(t.FieldByIndex(r.index).Type, prefix+r.name+".")
		}
	}
	walk(reflect.TypeFor[Spec](), "")
	if similar(key, known) != "" || len(places) == 0 || len(places) > maxPlaces {
		return Hint(key, known)
	}
	return fmt.Sprintf(" (did you mean %s?)", strings.Join(places, " or "))
}
