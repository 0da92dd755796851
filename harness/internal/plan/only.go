package plan

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/harness/internal/spec"
	"stochopt/internal/words"
)

// Only picks some of the runs of plans: those that fit any of its choices, all if it has
// none. It changes no plan, and so no key.
type Only []choice

// choice has the names that a run must have, by what they name.
type choice map[string]string

// chosenBy are the kinds of names that runs are picked by.
var chosenBy = []struct {
	name string
	of   func(*Item) string
}{
	{"dataset", func(it *Item) string { return it.Problem.Entry.ID }},
	{"series", func(it *Item) string { return it.Series }},
	{"algorithm", func(it *Item) string { return it.Algorithm.ID }},
}

// ParseOnly reads choices, each such as "dataset=adult,series=sbp".
func ParseOnly(texts []string) (Only, error) {
	var kinds []string
	for _, k := range chosenBy {
		kinds = append(kinds, k.name)
	}
	var only Only
	for _, text := range texts {
		c := make(choice)
		for part := range strings.SplitSeq(text, ",") {
			kind, name, found := strings.Cut(strings.TrimSpace(part), "=")
			switch {
			case !found || name == "":
				return nil, fmt.Errorf("%q: want dataset=NAME, series=NAME or algorithm=NAME, or several of them with commas between", text)
			case !slices.Contains(kinds, kind):
				return nil, fmt.Errorf("%q: there is no %q to choose by%s", text, kind, spec.Hint(kind, kinds))
			case c[kind] != "":
				return nil, fmt.Errorf("%q: a run has only one %s; repeat the flag for %s=%s", text, kind, kind, name)
			}
			c[kind] = name
		}
		only = append(only, c)
	}
	return only, nil
}

// Has reports whether a run is picked.
func (o Only) Has(it *Item) bool {
	return len(o) == 0 || slices.ContainsFunc(o, func(c choice) bool { return c.has(it) })
}

func (c choice) has(it *Item) bool {
	for _, k := range chosenBy {
		if want := c[k.name]; want != "" && k.of(it) != want {
			return false
		}
	}
	return true
}

// Of returns the runs of a plan that are picked, in its order.
func (o Only) Of(p *Plan) []*Item {
	return slices.DeleteFunc(slices.Clone(p.Items), func(it *Item) bool { return !o.Has(it) })
}

// Check reports a choice that no run of the plans fits.
func (o Only) Check(plans []*Plan) error {
	for _, c := range o {
		if slices.ContainsFunc(plans, func(p *Plan) bool { return slices.ContainsFunc(p.Items, c.has) }) {
			continue
		}
		for _, k := range chosenBy {
			var known []string
			for _, p := range plans {
				for _, it := range p.Items {
					known = words.AddOnce(known, k.of(it))
				}
			}
			if name := c[k.name]; name != "" && !slices.Contains(known, name) {
				return fmt.Errorf("%s=%s: no run has this %s%s", k.name, name, k.name, spec.Hint(name, known))
			}
		}
		return fmt.Errorf("%s: no run has all of these names", c)
	}
	return nil
}

// String writes a choice as it is given.
func (c choice) String() string {
	var parts []string
	for _, k := range chosenBy {
		if c[k.name] != "" {
			parts = append(parts, k.name+"="+c[k.name])
		}
	}
	return strings.Join(parts, ",")
}
