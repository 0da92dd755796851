package spec

import (
	"errors"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// LoadOptions says how a specification is resolved.
type LoadOptions struct {
	// Profile names the profile to merge over the specification; "" for none.
	Profile string
	// Sets holds options "dotted.path=yaml", applied in order after the
	// profile. A component of a path addresses a list item by its "as" or
	// "id": "algorithms.msg.step.c=[1, 2]".
	Sets []string
	// Recorded says that the specification is the resolved one of a results folder, at
	// a profile that it does not name: what its claims are restricted to may be none of
	// its values, as it is of those of other profiles.
	Recorded bool
	// Catalog knows the algorithms and dataset sources. It is required.
	Catalog *Catalog
}

// Load reads a specification from a file. Mistakes in the specification are returned
// as Errors, all of them at once.
func Load(file string, o LoadOptions) (*Spec, error) {
	data, err := ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, o)
}

// Parse is Load on a file that has been read already.
func Parse(name string, data []byte, o LoadOptions) (*Spec, error) {
	if o.Catalog == nil {
		return nil, errors.New("spec: LoadOptions.Catalog is missing")
	}
	rep := &reporter{}
	root := parseRoot(name, data, rep)
	if root == nil {
		return nil, rep.err()
	}
	root, profiles := applyProfile(root, o, rep)
	for _, option := range o.Sets {
		applySet(root, option, rep)
	}

	s := &Spec{catalog: o.Catalog}
	d := &decoder{rep: rep, catalog: o.Catalog, places: map[string]place{"": {value: root.pos, key: root.pos}}}
	d.decode(root, reflect.ValueOf(s).Elem(), path{})
	s.task = o.Catalog.Task(s.Task)
	s.fillDefaults()
	v := validator{spec: s, cat: o.Catalog, task: s.task, rep: rep, places: d.places, profile: o.Profile, recorded: o.Recorded}
	v.profiles = profiles
	v.validate()
	if err := rep.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// parseRoot parses a document, nil if it is not a mapping.
func parseRoot(name string, data []byte, rep *reporter) *node {
	n := parse(data, Position{File: name}, rep)
	if n != nil && n.kind != mapping {
		rep.at(n.pos, "a specification is a mapping of keys to values, got %s", n.describe())
		return nil
	}
	return n
}

// applyProfile returns root with the profile of the options merged over it and without its
// profiles, whose names it returns. The form of all profiles is checked, asked for or
// not.
func applyProfile(root *node, o LoadOptions, rep *reporter) (_ *node, names []string) {
	name := o.Profile
	profiles := root.get("profiles")
	if profiles == nil {
		profiles = &node{kind: mapping, pos: root.pos}
	}
	root = root.without("profiles")
	if profiles.kind != mapping {
		rep.at(profiles.pos, "profiles must map names to partial specifications, got %s", profiles.describe())
		return root, nil
	}
	for _, f := range profiles.fields {
		names = append(names, f.key)
		profile := checkProfile(f, o.Catalog, rep)
		if f.key == name && profile != nil {
			root = merge(root, profile)
		}
	}
	if name != "" && !slices.Contains(names, name) {
		known := Hint(name, names)
		if len(names) == 0 {
			known = ": this specification has none"
		}
		rep.at(profiles.pos, "there is no profile %q%s", name, known)
	}
	return root, names
}

// checkProfile reports what a profile must not say; nil if it is no mapping.
func checkProfile(f field, catalog *Catalog, rep *reporter) *node {
	n := f.value
	if n.kind == scalar && n.value == nil {
		n = &node{kind: mapping, pos: n.pos}
	}
	if n.kind != mapping {
		rep.at(n.pos, "profiles.%s: want a mapping, got %s", f.key, n.describe())
		return nil
	}
	for _, key := range [...]string{"version", "profiles"} {
		if inner := n.field(key); inner != nil {
			rep.at(inner.pos, "profiles.%s: a profile cannot change %s", f.key, key)
			n = n.without(key)
		}
	}
	// What is wrong with the profile asked for will be met again, at the same
	// place with the same message, and be reported once.
	d := &decoder{rep: &reporter{}, catalog: catalog, partial: true, places: make(map[string]place)}
	d.decode(n, reflect.ValueOf(new(Spec)).Elem(), path{})
	for _, err := range d.rep.errs {
		rep.at(err.Pos, "%s", err.Msg)
	}
	return n
}

// MarshalYAML implements yaml.Marshaler. It returns the resolved specification
// in canonical form, without profiles, which Parse reads back as the same.
func (s *Spec) MarshalYAML() (any, error) {
	type plain Spec // without this method
	p := plain(*s)
	p.Profiles = nil
	return &p, nil
}

var _ yaml.Marshaler = (*Spec)(nil)
