package record

import "sync"

// Columns says what a curve has on record, without its values.
type Columns struct {
	// Costs holds the counters by name, true where Curve.Counts is.
	Costs map[string]bool `json:"costs"`
	// Metrics holds the metrics by split and name, true where there are values.
	Metrics map[string]map[string]bool `json:"metrics"`

	// text is their JSON.
	text string
}

// Counts is Curve.Counts.
func (c *Columns) Counts(counter string) bool { return c.Costs[counterOf(counter)] }

// Records reports whether there are values of a metric on a split.
func (c *Columns) Records(split, metric string) bool { return c.Metrics[split][metric] }

// Columns returns what the curve of a run has on record, which must not be modified. The
// curve is not read for it.
func (r *Run) Columns() *Columns {
	if r.LeftOut != nil {
		return r.LeftOut.Columns
	}
	if r.summary != nil {
		return r.summary.columns
	}
	return columnsOf(r.Curve)
}

// columnsKnown holds Columns by their text: of very many runs there are few.
var columnsKnown sync.Map

func columnsOf(c Curve) *Columns {
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
	return out.known()
}

// known returns the one of equal columns that all runs share.
func (c *Columns) known() *Columns {
	text, err := encodeLine(c)
	if err != nil {
		panic(err) // texts and booleans have a JSON form
	}
	return c.shared(string(text))
}

// columnsFrom reads the text of Columns.
func columnsFrom(text string) (*Columns, error) {
	c := &Columns{}
	if err := DecodeLine([]byte(text), c); err != nil {
		return nil, err
	}
	return c.shared(text), nil
}

// shared returns the one of that text.
func (c *Columns) shared(text string) *Columns {
	c.text = text
	known, _ := columnsKnown.LoadOrStore(text, c)
	return known.(*Columns)
}
