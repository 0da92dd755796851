package record

import (
	"errors"
	"fmt"
	"slices"
)

// LeftOut is what a packed folder keeps of a curve that it leaves out: what is known of it without
// reading it.
type LeftOut struct {
	// Points and End are those of Run, Classifier says that some point has support vectors.
	Points     int   `json:"points,omitempty"`
	End        int64 `json:"end,omitempty"`
	Classifier bool  `json:"classifier,omitempty"`
	// Columns is that of Run.
	Columns *Columns `json:"columns"`
	// Numbers holds what was made of the curve, such as scores, by the names of Numbers.
	Numbers map[string]float64 `json:"numbers,omitempty"`
	// Checksum is the CRC-32C of the curve as it is on record, by which one that is made again can
	// be held against it. Folders that earlier versions packed lack it.
	Checksum string `json:"checksum,omitempty"`
}

// WithCurves returns those runs whose curves are not left out.
func WithCurves(runs []Run) []Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.LeftOut != nil })
}

// ErrLeftOut is in the error of a curve that is asked for and left out.
var ErrLeftOut = errors.New("its curve is left out of this packed folder, which keeps those that its own figures, tables and claims show: run its spec to make all of them")

// CurveChecksum returns the CRC-32C of the curve of a run, as eight hexadecimal digits; of one that
// is left out what the folder keeps of it, empty if it does not.
func (r *Run) CurveChecksum() string {
	if r.LeftOut != nil {
		return r.LeftOut.Checksum
	}
	if r.summary != nil {
		return r.summary.Checksum
	}
	line, err := encodeLine(r.Curve)
	if err != nil {
		panic(err) // what has been decoded has a JSON form
	}
	return sumText(line)
}

// validate reports what is wrong with a run whose curve is left out.
func (l *LeftOut) validate(c Curve) error {
	switch {
	case l == nil:
		return nil
	case c.Len() > 0:
		return fmt.Errorf("its curve is left out, but has %d points", c.Len())
	case l.Points < 0 || l.End < 0:
		return fmt.Errorf("its curve has %d points up to iteration %d; both must not be negative", l.Points, l.End)
	case l.Columns == nil:
		return fmt.Errorf("its curve is left out, and what it holds is not said")
	}
	return validateFacts(l.Numbers)
}

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

// Columns returns what the curve of a run has on record, of one that is left out what the folder
// says.
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

// UnreadableError says that the curve of a run is left out.
type UnreadableError struct {
	Run string
	Err error
}

// Error implements error.
func (e *UnreadableError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.Run, e.Err) }

// Unwrap returns the cause.
func (e *UnreadableError) Unwrap() error { return e.Err }

// CatchLeftOut, deferred, turns a panic with an *UnreadableError into an error.
func CatchLeftOut(err *error) {
	p := recover()
	if p == nil {
		return
	}
	e, ok := p.(*UnreadableError)
	if !ok {
		panic(p)
	}
	*err = e
}
