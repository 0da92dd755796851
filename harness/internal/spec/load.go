package spec

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"stochopt/internal/disk"
)

// LoadOptions are the options of Load.
type LoadOptions struct {
	// Profile is the name of the profile that is merged over the specification, or "".
	Profile string
	// Sets holds options "dotted.path=yaml", applied in order after the profile. A component of a path
	// addresses a list item by its "as" or "id": "algorithms.msg.step.c=[1, 2]".
	Sets []string
	// Catalog holds the known algorithms and dataset sources. It is required.
	Catalog *Catalog
}

// Load reads a specification from a file. Mistakes in it are returned as Errors.
func Load(file string, o LoadOptions) (*Spec, error) {
	data, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, o)
}

// ReadFile reads the file of a specification. It is an error if the file is too long.
func ReadFile(path string) ([]byte, error) {
	data, err := disk.ReadFile(path, maxBytes)
	if errors.Is(err, disk.ErrTooLong) {
		err = fmt.Errorf("%s:1:1: %s", path, tooLong)
	}
	return data, err
}

// Parse reads a specification from data, the contents of the file with the given name. It returns mistakes as Errors.
func Parse(name string, data []byte, o LoadOptions) (*Spec, error) {
	rep := &reporter{}
	root := parseRoot(name, data, rep)
	if root == nil {
		return nil, rep.err()
	}
	rep.root = applyProfile(root, o.Profile, rep)
	for _, option := range o.Sets {
		applySet(rep.root, option, rep)
	}
	s := decode(rep.root, rep, o.Catalog, false)
	v := validator{reporter: rep, spec: s}
	v.validate()
	if err := rep.err(); err != nil {
		return nil, err
	}
	for _, f := range each(s.Figures) {
		f.Style = s.Style.With(f.Style)
	}
	return s, nil
}

// parseRoot parses a document, which must be a mapping. After a mistake it returns nil.
func parseRoot(name string, data []byte, rep *reporter) *node {
	n := parse(data, Position{File: name}, rep)
	if n != nil && n.kind != mapping && n.kind != invalid {
		rep.failAt(n.pos, "want a mapping of keys to values, got %s", n.describe())
	}
	if n == nil || n.kind != mapping {
		return nil
	}
	return n
}

// applyProfile returns root without its profiles, after merging the selected one. All profiles are checked.
func applyProfile(root *node, selected string, rep *reporter) *node {
	rep.root = root
	profiles := cmp.Or(root.get("profiles"), &node{kind: mapping, pos: root.pos})
	root = root.without("profiles")
	if profiles.kind != mapping {
		rep.fail(at("profiles"), "want a mapping of names to partial specifications, got %s", profiles.describe())
		return root
	}
	for _, f := range profiles.fields {
		p, profile := at("profiles", f.key), f.value
		if profile.kind == scalar && profile.value == nil {
			profile = &node{kind: mapping, pos: profile.pos}
		}
		if profile.kind != mapping {
			rep.fail(p, "want a mapping, got %s", profile.describe())
			continue
		}
		for _, key := range [...]string{"version", "profiles"} {
			if profile.get(key) != nil {
				rep.failKey(p.in(key), "a profile cannot change %s", key)
				profile = profile.without(key)
			}
		}
		inner := &reporter{root: profile}
		decode(profile, inner, &Catalog{}, true)
		for _, e := range inner.errs {
			rep.failAt(e.Pos, "%s", e.Msg)
		}
		if f.key == selected {
			root = merge(root, profile)
		}
	}
	known := names(profiles.fields, func(f field) string { return f.key })
	if selected != "" && !slices.Contains(known, selected) {
		hint := Hint(selected, known)
		if len(known) == 0 {
			hint = ": this specification has no profiles"
		}
		rep.failAt(profiles.pos, "there is no profile %q%s", selected, hint)
	}
	return root
}

// decode returns the specification of a node, with defaults filled in unless it is partial.
func decode(root *node, rep *reporter, catalog *Catalog, partial bool) *Spec {
	s := &Spec{catalog: catalog}
	d := &decoder{reporter: rep, partial: partial}
	if seed := root.get("seed"); seed != nil {
		d.seed, _ = strconv.ParseUint(fmt.Sprint(seed.value), 10, 64) // decodeScalar reports a wrong seed
	}
	d.decode(root, reflect.ValueOf(s).Elem(), &rules{}, at())
	s.task = catalog.Task(s.Task)
	if !partial {
		s.fillDefaults()
	}
	return s
}
