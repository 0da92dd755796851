package spec

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

// keptFolders are the folders of results/ that are part of the project: a results folder
// of one of these names would take the place of its records.
var keptFolders = []string{"gallery", "paper", "reference"}

// name checks that the results folder can have the name of the specification. One that
// was run already is left alone: it may lie elsewhere.
func (c *validator) name() {
	if !c.recorded && slices.Contains(keptFolders, c.spec.Name) {
		c.fail(rawPath("name"), keptName, c.spec.Name)
	}
}

const keptName = "the project already has a folder results/%s; choose another name"

// CheckName reports why a specification cannot have a name.
func CheckName(name string) error {
	info := find(structFields(reflect.TypeFor[Spec]()), "name", func(f fieldInfo) string { return f.name })
	switch pattern := info.rules["pattern"][0]; {
	case !regexp.MustCompile(pattern).MatchString(name):
		return fmt.Errorf("the name %q does not match %s", name, pattern)
	case len(name) > info.size("maxLength"):
		return fmt.Errorf("the name has %d characters, more than %d", len(name), info.size("maxLength"))
	case slices.Contains(keptFolders, name):
		return fmt.Errorf(keptName, name)
	}
	return nil
}
