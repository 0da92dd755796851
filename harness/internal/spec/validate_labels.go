package spec

// own is a field that belongs to some specifications only, and whether it is set.
type own struct {
	key string
	set bool
}

// misplaced reports the fields of the mapping at a path that are set.
func (c *validator) misplaced(at string, fields []own, format string, args ...any) {
	for _, f := range fields {
		if f.set {
			c.failKey(at+sep+f.key, format, args...)
		}
	}
}

// record reports what the task's runs cannot record.
func (c *validator) record() {
	r, at := c.spec.Record, rawPath("record")
	reference := []own{{"reference", r.Reference != nil}}
	switch {
	case c.task.Sparse:
		c.misplaced(at, reference, "belongs to the task svm; the task is %s", c.task.Name)
		fallthrough
	case c.task.Supervised:
		c.misplaced(at, []own{{"spectrum", r.Spectrum}}, "classifiers have no spectrum; the task is %s", c.task.Name)
	default:
		c.misplaced(at, append(reference, own{"vectors", r.Vectors}), "belongs to classifiers; the task is %s", c.task.Name)
	}
}

// labelled reports what a dataset entry says that its task does not know:
// tasks that learn labels draw their examples as each algorithm says, and only
// they have labels, parts and subsets.
func (c *validator) labelled(d *DatasetEntry, at string) {
	if c.task.Supervised {
		c.misplaced(at, []own{{"sample", d.Sample != ""}},
			"in the task %s each algorithm sets how examples are drawn: give the algorithm with: {order: %s}", c.task.Name, d.Sample)
		return
	}
	c.misplaced(at, []own{{"test", d.Test != ""}, {"positive", d.Positive != nil}, {"subset", d.Subset != nil}},
		"needs a task that learns labels; the task is %s", c.task.Name)
}
