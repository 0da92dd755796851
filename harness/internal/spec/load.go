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

// LoadOptions says how a specification is resolved.
type LoadOptions struct {
	// Profile names the profile to merge over the specification; "" for none.
	Profile string
	// Sets holds options "dotted.path=yaml", applied in order after the
	// profile. A component of a path addresses a list item by its "as" or
	// "id": "algorithms.msg.step.c=[1, 2]".
	Sets []string
	// Recorded says that the specification is the resolved one of a results folder, at
	// a profile that it does not name: its claims may be restricted to values of other
	// profiles.
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

// ReadFile reads a specification: an error if it is too long.
func ReadFile(path string) ([]byte, error) {
	data, err := disk.ReadFile(path, maxBytes)
	if errors.Is(err, disk.ErrTooLong) {
		err = fmt.Errorf("%s:1:1: %s", path, tooLong)
	}
	return data, err
}

// Parse is Load on a file that has been read already.
func Parse(name string, data []byte, o LoadOptions) (*Spec, error) {
	rep := &reporter{}
	root := parseRoot(name, data, rep)
	if root == nil {
		return nil, rep.err()
	}
	var profiles []string
	rep.root, profiles = applyProfile(root, o, rep)
	for _, option := range o.Sets {
		applySet(rep.root, option, rep)
	}
	s := decode(rep.root, rep, o.Catalog, false)
	v := validator{reporter: rep, spec: s, options: o, profiles: profiles}
	v.validate()
	if err := rep.err(); err != nil {
		return nil, err
	}
	for _, f := range each(s.Figures) {
		f.Style = s.Style.With(f.Style)
	}
	return s, nil
}

// parseRoot parses a document, nil if it is not a mapping.
func parseRoot(name string, data []byte, rep *reporter) *node {
	n := parse(data, Position{File: name}, rep)
	if n != nil && n.kind != mapping && n.kind != invalid {
		rep.at(n.pos, "want a mapping of keys to values, got %s", n.describe())
	}
	if n == nil || n.kind != mapping {
		return nil
	}
	return n
}

// applyProfile returns root with the profile of the options merged over it and without its
// profiles, whose names it returns. The form of all profiles is checked, asked for or
// not.
func applyProfile(root *node, o LoadOptions, rep *reporter) (_ *node, names []string) {
	rep.root = root
	profiles := cmp.Or(root.get("profiles"), &node{kind: mapping, pos: root.pos})
	root = root.without("profiles")
	if profiles.kind != mapping {
		rep.fail(at("profiles"), "want a mapping of names to partial specifications, got %s", profiles.describe())
		return root, nil
	}
	for _, f := range profiles.fields {
		names = append(names, f.key)
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
		decode(profile, inner, o.Catalog, true)
		rep.errs = append(rep.errs, inner.errs...)
		if f.key == o.Profile {
			root = merge(root, profile)
		}
	}
	if o.Profile != "" && !slices.Contains(names, o.Profile) {
		known := Hint(o.Profile, names)
		if len(names) == 0 {
			known = ": this specification has no profiles"
		}
		rep.at(profiles.pos, "there is no profile %q%s", o.Profile, known)
	}
	return root, names
}

// decode returns the specification that a node holds, with defaults filled in.
func decode(root *node, rep *reporter, catalog *Catalog, partial bool) *Spec {
	s := &Spec{catalog: catalog, task: &Task{}}
	d := &decoder{reporter: rep, catalog: catalog, partial: partial}
	if seed := root.get("seed"); seed != nil {
		d.seed, _ = strconv.ParseUint(fmt.Sprint(seed.value), 10, 64) // a wrong one is reported below
	}
	d.decode(root, reflect.ValueOf(s).Elem(), &rules{}, at())
	s.task = catalog.Task(s.Task)
	if !partial {
		s.fillDefaults()
	}
	return s
}
