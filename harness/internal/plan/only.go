package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"
)

// Only selects the runs that match any of its choices; an empty Only selects all runs. Selecting
// runs changes neither the plan nor any key.
type Only []names

// names has the names of a run in the order of kinds. In a choice, "" matches any name.
type names [3]string

var kinds = []string{"dataset", "series", "algorithm"}

func namesOf(it *Item) names { return names{it.Problem.Entry.ID, it.Series, it.Algorithm.ID} }

// ParseOnly parses choices such as "dataset=adult,series=sbp".
func ParseOnly(texts []string) (Only, error) {
	var only Only
	for _, text := range texts {
		var choice names
		for part := range strings.SplitSeq(text, ",") {
			kind, name, found := strings.Cut(strings.TrimSpace(part), "=")
			k := slices.Index(kinds, kind)
			switch {
			case !found || name == "":
				return nil, fmt.Errorf("%q: want dataset=NAME, series=NAME or algorithm=NAME, separated by commas", text)
			case k < 0:
				return nil, fmt.Errorf("%q: unknown key %q%s", text, kind, spec.Hint(kind, kinds))
			case choice[k] != "":
				return nil, fmt.Errorf("%q: a run has only one %s; repeat the flag for %s=%s", text, kind, kind, name)
			}
			choice[k] = name
		}
		only = append(only, choice)
	}
	return only, nil
}

// Has reports whether a run is selected.
func (o Only) Has(it *Item) bool { return o.selects(namesOf(it)) }

func (o Only) selects(of names) bool {
	return len(o) == 0 || slices.ContainsFunc(o, func(choice names) bool { return choice.matches(of) })
}

func (choice names) matches(of names) bool {
	for k, name := range choice {
		if name != "" && name != of[k] {
			return false
		}
	}
	return true
}

// Of returns the selected runs of a plan, in plan order.
func (o Only) Of(p *Plan) []*Item {
	return slices.DeleteFunc(slices.Clone(p.Items), func(it *Item) bool { return !o.Has(it) })
}

// Opener returns an Opener that uses open for the datasets of selected runs and spare for the others.
// If spare fails, the Opener returns nil, nil.
func (o Only) Opener(s *spec.Spec, open, spare Opener) Opener {
	needed := make(map[*spec.DatasetEntry]bool)
	for c := range s.Expand() {
		needed[c.Dataset] = needed[c.Dataset] || o.selects(names{c.Dataset.ID, c.Series, c.Algorithm.ID})
	}
	return func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
		if needed[e] || len(o) == 0 {
			return open(ctx, e)
		}
		data, err := spare(ctx, e)
		if err != nil && ctx.Err() == nil {
			return nil, nil
		}
		return data, err
	}
}

// Check returns an error if a choice matches no run of the plans.
func (o Only) Check(plans []*Plan) error {
	var known [3][]string
	unused := slices.Clone(o)
	for _, p := range plans {
		for _, it := range p.Items {
			of := namesOf(it)
			for k := range known {
				known[k] = words.AddOnce(known[k], of[k])
			}
			unused = slices.DeleteFunc(unused, func(choice names) bool { return choice.matches(of) })
		}
	}
	if len(unused) == 0 {
		return nil
	}
	var parts []string
	for k, name := range unused[0] {
		if name != "" && !slices.Contains(known[k], name) {
			return fmt.Errorf("%s=%s: no run has this %s%s", kinds[k], name, kinds[k], spec.Hint(name, known[k]))
		}
		if name != "" {
			parts = append(parts, kinds[k]+"="+name)
		}
	}
	return fmt.Errorf("%s: no run has all of these names", strings.Join(parts, ","))
}
