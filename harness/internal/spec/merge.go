package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// merge returns base with over merged over it. Mappings merge key by key,
// lists of mappings with ids item by item; anything else is replaced as a
// whole, and so are grids, the budget, and the check of a claim that is of another
// kind, of which only one key can be given.
func merge(base, over *node) *node { return mergeAt(base, over, "") }

func mergeAt(base, over *node, key string) *node {
	switch {
	case base.kind != over.kind, base.isGrid(), over.isGrid(), key == "budget", key == "check" && !base.sameKeys(over):
		return over
	case base.kind == mapping:
		return mergeMappings(base, over)
	case base.kind == sequence && base.identified() && over.identified():
		return mergeItems(base, over)
	}
	return over
}

func mergeMappings(base, over *node) *node {
	n := &node{kind: mapping, pos: base.pos, fields: slices.Clone(base.fields)}
	for _, f := range over.fields {
		if old := n.field(f.key); old != nil {
			*old = field{f.key, f.pos, mergeAt(old.value, f.value, f.key)}
		} else {
			n.fields = append(n.fields, f)
		}
	}
	return n
}

func mergeItems(base, over *node) *node {
	n := &node{kind: sequence, pos: base.pos, items: slices.Clone(base.items)}
	// An identity met twice in over is a mistake that must stay visible.
	merged := make(map[string]bool)
	for _, item := range over.items {
		id := item.identity()
		if i := n.indexOf(id); i >= 0 && !merged[id] {
			n.items[i] = mergeAt(n.items[i], item, "")
		} else {
			n.items = append(n.items, item)
		}
		merged[id] = true
	}
	return n
}

func (n *node) indexOf(identity string) int {
	return slices.IndexFunc(n.items, func(item *node) bool { return item.identity() == identity })
}

// identified reports whether n is a list of mappings with ids.
func (n *node) identified() bool {
	return len(n.items) > 0 && !slices.ContainsFunc(n.items, func(item *node) bool {
		return item.kind != mapping || item.get("id") == nil || item.identity() == ""
	})
}

// sameKeys reports whether all keys of one mapping are keys of another.
func (n *node) sameKeys(over *node) bool {
	return !slices.ContainsFunc(over.fields, func(f field) bool { return n.get(f.key) == nil })
}

// isGrid reports whether n is a mapping such as {pow2: [0, 5]}.
func (n *node) isGrid() bool {
	return n.kind == mapping && len(n.fields) > 0 &&
		!slices.ContainsFunc(n.fields, func(f field) bool { return !isGridForm(f.key) })
}

// applySet returns root changed as a --set option "dotted.path=yaml" says.
// Components of the path address keys of mappings, and items of lists by id
// or, where no id fits, by index from 0. Missing keys are created.
func applySet(root *node, option string, rep *reporter) *node {
	origin := Position{Set: option}
	path, text, found := strings.Cut(option, "=")
	switch {
	case !found || path == "":
		rep.at(origin, "want dotted.path=value, as in repeats=3")
		return root
	case strings.TrimSpace(text) == "":
		rep.at(origin, "there is no value after =")
		return root
	}
	value := parse([]byte(text), origin, rep)
	if value == nil {
		return root
	}
	names := strings.Split(path, ".")
	if names[0] == "profiles" {
		rep.at(origin, "profiles cannot be set: set what the profile sets")
		return root
	}
	changed, err := setAt(root, names, nil, value, origin)
	if err != nil {
		rep.at(origin, "%s", err)
		return root
	}
	return changed
}

// setAt returns n with the value at the path names; done is the path to n.
func setAt(n *node, names, done []string, value *node, origin Position) (*node, error) {
	if len(names) == 0 {
		return value, nil
	}
	name, where := names[0], strings.Join(done, ".")
	if name == "" {
		return nil, fmt.Errorf("the path has an empty component")
	}
	if where == "" {
		where = "the specification"
	}
	next := append(slices.Clone(done), name)
	c := *n
	switch n.kind {
	case mapping:
		c.fields = slices.Clone(n.fields)
		f := c.field(name)
		if f == nil {
			c.fields = append(c.fields, field{key: name, value: &node{kind: mapping, pos: origin}})
			f = &c.fields[len(c.fields)-1]
		}
		f.pos = origin
		v, err := setAt(f.value, names[1:], next, value, origin)
		if err != nil {
			return nil, err
		}
		f.value = v
	case sequence:
		i := n.indexOf(name)
		if i < 0 {
			if k, err := strconv.Atoi(name); err == nil && 0 <= k && k < len(n.items) {
				i = k
			}
		}
		if i < 0 {
			var ids []string
			for _, item := range n.items {
				if id := item.identity(); id != "" {
					ids = append(ids, id)
				}
			}
			return nil, fmt.Errorf("there is no %q in %s%s", name, where, Hint(name, ids))
		}
		v, err := setAt(n.items[i], names[1:], next, value, origin)
		if err != nil {
			return nil, err
		}
		c.items = slices.Clone(n.items)
		c.items[i] = v
	default:
		return nil, fmt.Errorf("%s has no parts: it is %s", where, n.describe())
	}
	return &c, nil
}
