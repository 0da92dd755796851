package observe

import (
	"fmt"
	"math"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Table has the numbers that decide a claim on one data set at one setting of the parameters. The verdict needs nothing
// else from the records.
type Table struct {
	// Claim is the id of the claim. Setting is the canonical text of the parameters, such as "k=4".
	Claim, Dataset, Setting string `json:"-"`
	// Flags are properties of the runs, such as StandIn.
	Flags
	// Failure is the reason why there are no numbers, or "".
	Failure string `json:"failure,omitempty"`
	// Scores has the selection losses of each series with several candidates. All have the same repeats.
	Scores []Scores `json:"-"`
	// Quantities has the quantities that the verdict compares with the claimed ranges.
	Quantities []Quantity `json:"-"`
	// Remarks concern the numbers as a whole, Losses the runs without a result. Criteria has the remarks of kind
	// Criterion. Reasons are shown with the numbers.
	Remarks  []Remark `json:"remarks,omitempty"`
	Losses   []Remark `json:"losses,omitempty"`
	Criteria []Remark `json:"criteria,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
}

// Flags are properties of the runs of a table.
type Flags struct {
	StandIn bool `json:"stand_in,omitempty"`
	// Refuted is true if all runs of the claim's first series diverged, which Failure reports.
	Refuted bool `json:"refuted,omitempty"`
	// SomeDiverged is true if some runs of the claim's first series diverged.
	SomeDiverged bool `json:"some_diverged,omitempty"`
	// Deterministic is true if the runs are deterministic.
	Deterministic bool `json:"deterministic,omitempty"`
	// Halvings is true if the rows are halvings of one test set, not repeats.
	Halvings bool `json:"halvings,omitempty"`
	// Best is true if the quantities are ratios to several rivals, of which the largest decides.
	Best bool `json:"best,omitempty"`
	// Worst is true if the quantities compare a bound at several points, of which the worst decides.
	Worst bool `json:"worst,omitempty"`
}

// Scores has the losses of a series by repeat and candidate. The candidate with the smallest mean over repeats is
// selected. The loss of an ineligible candidate is NaN.
type Scores struct {
	Series  string      `json:"series"`
	Repeats []int       `json:"-"`
	Losses  [][]float64 `json:"-"`
}

// Statistic is the statistic estimated from the values of a quantity.
type Statistic string

// Statistics.
const (
	// Mean is the arithmetic mean, and GeometricMean the geometric mean of positive ratios.
	Mean          Statistic = "mean"
	GeometricMean Statistic = "geometric mean"
	// Share is the fraction of ones among values that are 0 or 1.
	Share Statistic = "share"
	// Largest is the largest value. Each value is known exactly.
	Largest Statistic = "largest"
	// PowerLaw is the exponent of the first variable in a power law, or the difference of two such exponents.
	PowerLaw Statistic = "exponent"
)

// Quantity is a quantity that a verdict compares with a range.
type Quantity struct {
	// Key identifies the quantity in its table. Name describes it.
	Key       string    `json:"key"`
	Name      string    `json:"name"`
	Statistic Statistic `json:"statistic"`
	// Between is the claimed range.
	Between
	// Values has one value for each row: a repeat, a halving or a run.
	Values []Value `json:"-"`
	// Again has the values for candidates that were not selected, for the repeats of Scores. Resampling may select them.
	Again []Value `json:"-"`
	// Points has the points of a power law, for one series or for two series to compare.
	Points [][]stats.Point `json:"points,omitempty"`
	// Missing is the fraction of the requested points that are missing.
	Missing float64 `json:"missing,omitempty"`
	// Halves is true if each value compares the two halves of one halving.
	Halves bool `json:"halves,omitempty"`
	// Alike is true if equal values are expected, as for the lengths of runs.
	Alike bool `json:"alike,omitempty"`
	// Remarks concern this quantity.
	Remarks []Remark `json:"remarks,omitempty"`
}

// Add adds a value for the selected candidates, or for those of its Choice.
func (q *Quantity) Add(v Value) {
	if v.Choice == "" {
		q.Values = append(q.Values, v)
	} else {
		q.Again = append(q.Again, v)
	}
}

// Value is a number of one row.
type Value struct {
	Row    int
	Number float64
	// AtLeast means that the true number is at least this one, AtMost that it is at most this one, because the run
	// ended early.
	AtLeast, AtMost bool
	// Choice has the index of a candidate for each of the Scores. It is "" for the selected candidates.
	Choice string
}

// Over and Minus return the quotient and the difference of two values.
func (v Value) Over(by Value) Value  { return v.censored(v.Number/by.Number, by) }
func (v Value) Minus(by Value) Value { return v.censored(v.Number-by.Number, by) }

// censored returns a number computed from v and by that decreases in by. A bound on by is a bound of the opposite kind
// on the number.
func (v Value) censored(number float64, by Value) Value {
	return Value{Row: v.Row, Number: number, AtLeast: v.AtLeast || by.AtMost, AtMost: v.AtMost || by.AtLeast}
}

// Scaled returns by*v + plus. With a negative factor, a lower bound becomes an upper bound.
func (v Value) Scaled(by, plus float64) Value {
	if by < 0 {
		v.AtLeast, v.AtMost = v.AtMost, v.AtLeast
	}
	v.Number = v.Number*by + plus
	return v
}

// Raised returns the maximum of v and floor.
func (v Value) Raised(floor float64) Value {
	v.Number = max(v.Number, floor)
	return v
}

// RemarkKind tells how a remark affects the outcome.
type RemarkKind string

// Kinds of remarks.
const (
	// Note explains how the numbers were obtained.
	Note RemarkKind = "note"
	// Doubt means that the outcome may differ with other data, the missing runs, or other parameters.
	Doubt RemarkKind = "doubt"
	// Criterion means that parameters were selected by the judged metric.
	Criterion RemarkKind = "criterion"
	// BelowScale means that the runs are below the scale of the thesis.
	BelowScale RemarkKind = "scale"
)

// Remark is a remark on an outcome.
type Remark struct {
	Kind RemarkKind `json:"kind"`
	Text string     `json:"text"`
}

// Between is the claimed range of a quantity.
type Between struct {
	// Least and Most are the ends, nil for no bound.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
	// Below is true if the quantity must be less than Most, not equal.
	Below bool `json:"below,omitempty"`
}

// AtMost and AtLeast return ranges with one end.
func AtMost(v float64) Between  { return Between{Most: &v} }
func AtLeast(v float64) Between { return Between{Least: &v} }

// Ends returns the ends, infinite if there is no bound.
func (w Between) Ends() (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if w.Least != nil {
		lo = *w.Least
	}
	if w.Most != nil {
		hi = *w.Most
	}
	return lo, hi
}

func (w Between) String() string {
	lo, hi := w.Ends()
	plain := func(v float64) string { return words.Whole(v, 1e6) }
	switch {
	case w.Least == nil && w.Below:
		return "below " + plain(hi)
	case w.Least == nil:
		return "at most " + plain(hi)
	case w.Most == nil:
		return "at least " + plain(lo)
	case plain(lo) == plain(hi) && lo < hi:
		return fmt.Sprintf("%s ± %s", plain((lo+hi)/2), words.Rounded((hi-lo)/2))
	}
	return fmt.Sprintf("from %s to %s", plain(lo), plain(hi))
}
