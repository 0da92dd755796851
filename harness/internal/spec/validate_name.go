package spec

import "slices"

// keptFolders are the folders of results/ that are part of the project: a results folder
// of one of these names would lie among its code, or in place of its records.
var keptFolders = []string{"analysis", "compare", "gallery", "paper", "record", "reference", "words"}

// name checks that the results folder can have the name of the specification. One that
// was run already is left alone: it may lie elsewhere.
func (c *validator) name() {
	if !c.recorded && slices.Contains(keptFolders, c.spec.Name) {
		c.fail(rawPath("name"), "the project already has a folder results/%s; choose another name", c.spec.Name)
	}
}
