package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

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

func closeTo(written string, names []string) string {
	return closest.Name(written, names, min(3, (len(written)+3)/3))
}

// elsewhere says for names that are known in places nearby what to write there. A place
// may be said of a name more than once.
type elsewhere map[string][]string

func (e elsewhere) add(name, write string) {
	if !slices.Contains(e[name], write) {
		e[name] = append(e[name], write)
	}
}

// maxPlaces is how many places a hint names: of a name that is known in more it says nothing.
// Names shorter than minClose are close to too many.
const maxPlaces, minClose = 3, 4

// hint is Hint for a name of which there may be one in places nearby: the same name there
// comes before one that is close here, and that before one that is close there.
func (e elsewhere) hint(written string, here []string) string {
	name := written
	if len(e[name]) == 0 && len(written) >= minClose && closeTo(written, here) == "" {
		name = closeTo(written, slices.Sorted(maps.Keys(e)))
	}
	if places := e[name]; len(places) > 0 && len(places) <= maxPlaces {
		return fmt.Sprintf(" (write %s)", strings.Join(places, " or "))
	}
	return Hint(written, here)
}

// around adds the keys of the mapping that a key is in.
func (e elsewhere) around(t reflect.Type, key, where string) {
	for _, f := range structFields(t) {
		e.add(f.name, fmt.Sprintf("%s: …%s beside %s, not in it", f.name, where, key))
	}
}

// inside adds the keys of the mappings that the keys of a mapping have for values.
func (e elsewhere) inside(t reflect.Type) {
	for _, f := range structFields(t) {
		of, list := t.FieldByIndex(f.index).Type, false
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			list = list || of.Kind() == reflect.Slice
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			continue
		}
		for _, inner := range structFields(of) {
			if list {
				e.add(inner.name, fmt.Sprintf("%s: … in an entry of %s", inner.name, f.name))
			} else {
				e.add(inner.name, fmt.Sprintf("%s: {%s: …}", f.name, inner.name))
			}
		}
	}
}

// params adds parameters that a key of a mapping has for its keys.
func (e elsewhere) params(key string, params []Param) {
	for _, name := range withNames(params) {
		e.add(name, fmt.Sprintf("%s: {%s: …}", key, name))
	}
}

var (
	datasetType   = reflect.TypeFor[DatasetEntry]()
	algorithmType = reflect.TypeFor[AlgorithmEntry]()
	defaultsType  = reflect.TypeFor[Defaults]()
)

// keyHint is the hint for a key that the type of the mapping at a path does not have. It does
// not depend on the other keys there, so that it is the same for a profile by itself and
// merged.
func (d *decoder) keyHint(written string, here []string, t reflect.Type, at path) string {
	e := make(elsewhere)
	if n := len(d.around); n > 0 {
		e.around(d.around[n-1], at.key(), "")
	}
	e.inside(t)
	if d.catalog != nil {
		switch t {
		case datasetType:
			e.params("with", d.catalog.allSourceParams())
			e.params("problem", d.catalog.allParams())
		case algorithmType, defaultsType:
			e.params("with", d.catalog.allParams())
		}
	}
	return e.hint(written, here)
}

// key returns the last key of a path, which an entry of a list has none of by itself.
func (p path) key() string {
	keys := strings.Split(p.raw, sep)
	for len(keys) > 1 {
		if _, err := strconv.Atoi(keys[len(keys)-1]); err != nil {
			break
		}
		keys = keys[:len(keys)-1]
	}
	return keys[len(keys)-1]
}

// datasetHint is the hint for a name in the mapping at a key of a dataset's entry, "with" or
// "problem", which does not know it: it may be a key of the entry, or belong to the other of
// the two, whose parameters are given.
func (c *validator) datasetHint(written string, here []string, d *DatasetEntry, key string, others []Param) string {
	e := make(elsewhere)
	where := ""
	if d.Pos.Line > 0 {
		where = fmt.Sprintf(" in the entry of line %d,", d.Pos.Line)
	}
	e.around(datasetType, key, where)
	other := map[string]string{"with": "problem", "problem": "with"}[key]
	if len(e[written]) == 0 {
		e.params(other, others)
	}
	return e.hint(written, here)
}

// withHint is the hint for a name in the "with" of the entry of an algorithm, or of the defaults,
// that none of its algorithms has for a parameter.
func withHint(written string, here []string, t reflect.Type) string {
	e := make(elsewhere)
	e.around(t, "with", "")
	return e.hint(written, here)
}

// allSourceParams returns the parameters of all sources and formats, allParams those of all
// algorithms.
func (c *Catalog) allSourceParams() (all []Param) {
	for _, s := range c.Sources {
		all = append(all, s.Params...)
	}
	for _, format := range slices.Sorted(maps.Keys(c.Formats)) {
		all = append(all, c.Formats[format]...)
	}
	return all
}

func (c *Catalog) allParams() (all []Param) {
	for _, t := range c.Tasks {
		for _, a := range t.Algorithms {
			all = append(all, a.Params...)
		}
	}
	return all
}
