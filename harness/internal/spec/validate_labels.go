package spec

// record reports what the task's runs cannot record.
func (c *validator) record() {
	r := c.spec.Record
	if c.task.Supervised {
		if r.Spectrum {
			c.failKey(rawPath("record", "spectrum"), "classifiers have no spectrum; the task is %s", c.spec.Task)
		}
		if !c.task.Sparse {
			return
		}
	}
	for _, own := range [...]struct {
		key string
		set bool
	}{{"reference", r.Reference != nil}, {"vectors", r.Vectors}} {
		switch at := rawPath("record", own.key); {
		case !own.set:
		case c.task.Sparse:
			c.failKey(at, "belongs to the task svm; the task is %s", c.spec.Task)
		default:
			c.failKey(at, "belongs to classifiers; the task is %s", c.spec.Task)
		}
	}
}

// labelled reports what a dataset entry says that its task does not know:
// tasks that learn labels draw their examples as each algorithm says, and only
// they have labels, parts and subsets.
func (c *validator) labelled(d *DatasetEntry, at func(...string) string) {
	if c.task.Supervised {
		if d.Sample != "" {
			c.failKey(at("sample"), "in the task %s each algorithm says how examples are drawn: give it with: {order: %s}", c.spec.Task, d.Sample)
		}
		return
	}
	for _, own := range [...]struct {
		key string
		set bool
	}{{"test", d.Test != ""}, {"positive", d.Positive != nil}, {"subset", d.Subset != nil}} {
		if own.set {
			c.failKey(at(own.key), "belongs to data with labels to learn; the task is %s", c.spec.Task)
		}
	}
}
