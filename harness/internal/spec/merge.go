package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// merge returns base with the values of over. It merges mappings key by key, and lists of mappings with ids item by
// item. It replaces anything else, also grids, budgets, and the check of a claim if its predicate changes.
func merge(base, over *node) *node {
	if base.kind != over.kind || base.isGrid() || over.isGrid() {
		return over
	}
	n := &node{kind: base.kind, pos: base.pos, fields: slices.Clone(base.fields), items: slices.Clone(base.items)}
	switch {
	case base.kind == mapping:
		for _, f := range over.fields {
			switch old := n.field(f.key); {
			case old == nil:
				n.fields = append(n.fields, f)
			case f.key == "budget" || f.key == "check" && !old.value.hasKeys(f.value):
				*old = f
			default:
				*old = field{f.key, f.pos, merge(old.value, f.value)}
			}
		}
		return n
	case base.identified() && over.identified():
		// An id that occurs twice in over is a mistake, which is reported later.
		merged := make(map[string]bool)
		for _, item := range over.items {
			id := item.identity()
			if i := n.indexOf(id); i >= 0 && !merged[id] {
				n.items[i] = merge(n.items[i], item)
			} else {
				n.items = append(n.items, item)
			}
			merged[id] = true
		}
		return n
	}
	return over
}

func (n *node) indexOf(identity string) int {
	return slices.IndexFunc(n.items, func(item *node) bool { return item.identity() == identity })
}

// identified reports whether n is a list of mappings with ids.
func (n *node) identified() bool {
	return len(n.items) > 0 && !slices.ContainsFunc(n.items, func(item *node) bool {
		return item.get("id") == nil || item.identity() == ""
	})
}

// hasKeys reports whether n has all keys of over.
func (n *node) hasKeys(over *node) bool {
	return !slices.ContainsFunc(over.fields, func(f field) bool { return n.get(f.key) == nil })
}

// isGrid reports whether n is a mapping such as {pow2: [0, 5]}.
func (n *node) isGrid() bool {
	other := func(f field) bool { return !slices.Contains(gridKeys, f.key) }
	form := func(f field) bool { return f.key != countKey }
	return slices.ContainsFunc(n.fields, form) && !slices.ContainsFunc(n.fields, other)
}

// applySet applies a --set option "dotted.path=yaml" to root. A component of the path is the key of a mapping, or
// the id or index of a list item. Missing keys are created.
func applySet(root *node, option string, rep *reporter) {
	origin := Position{Set: option}
	text, value, found := strings.Cut(option, "=")
	path := strings.Split(text, ".")
	switch {
	case !found || text == "":
		rep.failAt(origin, "want dotted.path=value, such as repeats=3")
	case strings.TrimSpace(value) == "":
		rep.failAt(origin, "there is no value after =")
	case path[0] == "profiles":
		rep.failAt(origin, "profiles cannot be set: set the keys that the profile sets")
	case slices.Contains(path, ""):
		rep.failAt(origin, "the path has an empty component")
	default:
		if v := parse([]byte(value), origin, rep); v != nil {
			if err := root.set(path, v); err != nil {
				rep.failAt(origin, "%s", err)
			}
		}
	}
}

// set sets the value at a path.
func (n *node) set(path []string, value *node) error {
	target := &n // the part of the tree at path[:i]
	for i, name := range path {
		n, where := *target, cmp.Or(strings.Join(path[:i], "."), "the specification")
		switch n.kind {
		case mapping:
			f := n.field(name)
			if f == nil {
				n.fields = append(n.fields, field{key: name, value: &node{kind: mapping, pos: value.pos}})
				f = &n.fields[len(n.fields)-1]
			}
			f.pos, target = value.pos, &f.value
		case sequence:
			k := n.indexOf(name)
			if number, err := strconv.Atoi(name); k < 0 && err == nil && number < len(n.items) {
				k = number
			}
			if k < 0 {
				ids := slices.DeleteFunc(names(n.items, (*node).identity), func(id string) bool { return id == "" })
				return fmt.Errorf("there is no %q in %s%s", name, where, Hint(name, ids))
			}
			target = &n.items[k]
		default:
			return fmt.Errorf("%s has no parts: it is %s", where, n.describe())
		}
	}
	*target = value
	return nil
}
