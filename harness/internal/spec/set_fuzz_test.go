package spec

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// An option sets what it names to what it says, once and for all, and leaves what it does
// not name as it was.
func FuzzSet(f *testing.F) {
	for _, option := range []string{
		"repeats=3", "algorithms.msg.step.c=[1, 2]", "algorithms.0.as=x", "datasets.g.problem={k: 2}", "title=a=b", "a.b.c=1", "=", "..=1",
		"algorithms.7.id=x", "budget={iterations: 3}", "algorithms={}", "profiles.x=1", "repeats=&a [*a]", "name.x=1", "seed= # nothing",
	} {
		f.Add(option)
	}
	f.Fuzz(func(t *testing.T, option string) {
		read := func() *node { return parseRoot("base.yaml", []byte(base), &reporter{}) }
		root, rep := read(), &reporter{}
		applySet(root, option, rep)
		text, value, _ := strings.Cut(option, "=")
		if rep.err() != nil {
			return
		}
		path := strings.Split(text, ".")
		got, want := itemAt(t, root, path), parse([]byte(value), Position{Set: option}, &reporter{})
		if got != nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q sets %v, want %v", option, got, want)
		}
		for _, field := range read().fields {
			if field.key != path[0] && !reflect.DeepEqual(root.get(field.key), field.value) {
				t.Fatalf("%q changes %s", option, field.key)
			}
		}
		again := &reporter{}
		if applySet(root, option, again); got != nil && again.err() == nil && !reflect.DeepEqual(itemAt(t, root, path), want) {
			t.Fatalf("%q set again is %v, want %v", option, itemAt(t, root, path), want)
		}
	})
}

// itemAt returns what is at a path, by the name or the position of items.
func itemAt(t *testing.T, n *node, path []string) *node {
	t.Helper()
	for _, name := range path {
		switch n.kind {
		case mapping:
			f := n.field(name)
			if f == nil {
				t.Fatalf("there is no %q in %s", name, n.describe())
			}
			n = f.value
		case sequence:
			k := n.indexOf(name)
			if number, err := strconv.Atoi(name); k < 0 && err == nil && number >= 0 && number < len(n.items) {
				k = number
			}
			if k < 0 {
				return nil // an item renamed by the option itself
			}
			n = n.items[k]
		}
	}
	return n
}
