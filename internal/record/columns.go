package record

// CurveChecksum returns the CRC-32C of the curve of a run, as eight hexadecimal digits.
func (r *Run) CurveChecksum() string {
	if r.summary != nil {
		return r.summary.Checksum
	}
	line, err := encodeLine(r.Curve)
	if err != nil {
		panic(err) // what has been decoded has a JSON form
	}
	return sumText(line)
}

// Columns says what a curve has on record, without its values.
type Columns struct {
	// Costs holds the counters by name, true where Curve.Counts is.
	Costs map[string]bool
	// Metrics holds the metrics by split and name, true where there are values.
	Metrics map[string]map[string]bool
}

// Counts is Curve.Counts of the curve of a run.
func (r *Run) Counts(counter string) bool { return r.Measured().Counts(counter) }

// Records reports whether a run has values of a metric on a split.
func (r *Run) Records(split, metric string) bool { return len(r.Measured().Metrics[split][metric]) > 0 }

// Columns returns what the curve of a run has on record.
func (r *Run) Columns() *Columns {
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
