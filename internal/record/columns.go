package record

// Columns says what a curve has on record, without its values.
type Columns struct {
	// Costs holds the counters by name, true where Curve.Counts is.
	Costs map[string]bool `json:"costs"`
	// Metrics holds the metrics by split and name, true where there are values.
	Metrics map[string]map[string]bool `json:"metrics"`
}

// Counts is Curve.Counts of the curve of a run.
func (r *Run) Counts(counter string) bool {
	if r.LeftOut != nil {
		return r.LeftOut.Columns.Costs[counterOf(counter)]
	}
	return r.Measured().Counts(counter)
}

// Records reports whether a run has values of a metric on a split.
func (r *Run) Records(split, metric string) bool {
	if r.LeftOut != nil {
		return r.LeftOut.Columns.Metrics[split][metric]
	}
	return len(r.Measured().Metrics[split][metric]) > 0
}

// Columns returns what the curve of a run has on record, of one that is left out what the folder says.
func (r *Run) Columns() *Columns {
	if r.LeftOut != nil {
		return r.LeftOut.Columns
	}
	c := r.Measured()
	out := &Columns{Costs: make(map[string]bool, len(c.Cost)), Metrics: make(map[string]map[string]bool, len(c.Metrics))}
	for name := range c.Cost {
		out.Costs[name] = c.Counts(name)
	}
	for split, columns := range c.Metrics {
		out.Metrics[split] = make(map[string]bool, len(columns))
		for name, column := range columns {
			out.Metrics[split][name] = len(column) > 0
		}
	}
	return out
}
