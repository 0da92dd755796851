package observe

import (
	"fmt"
	"math"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Table holds the numbers that decide a claim on one data set, at one setting of the
// parameters. A verdict needs nothing else of the records.
type Table struct {
	// Claim is the id of the claim; Setting is the canonical text of the parameters, such as "k=4".
	Claim, Dataset, Setting string `json:"-"`
	// Flags are properties of the runs, such as StandIn.
	Flags
	// Failure says why there are no numbers.
	Failure string `json:"failure,omitempty"`
	// Scores hold what the parameters of each series are selected by, for series with several
	// candidates. All have the same repeats.
	Scores []Scores `json:"-"`
	// Quantities are what the claim is about.
	Quantities []Quantity `json:"-"`
	// Remarks are about how the numbers were read, Losses about runs without a result, Criteria are of
	// the kind Criterion; Reasons are shown with the numbers.
	Remarks  []Remark `json:"remarks,omitempty"`
	Losses   []Remark `json:"losses,omitempty"`
	Criteria []Remark `json:"criteria,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
}

// Flags are properties of the runs of a table.
type Flags struct {
	StandIn bool `json:"stand_in,omitempty"`
	// Refuted: Failure is that all runs of the series that the claim is about diverged.
	Refuted bool `json:"refuted,omitempty"`
	// SomeDiverged: some runs of that series did.
	SomeDiverged bool `json:"some_diverged,omitempty"`
	// Deterministic: no randomness enters the runs.
	Deterministic bool `json:"deterministic,omitempty"`
	// Halvings: the rows are halvings of one test set, not repeats.
	Halvings bool `json:"halvings,omitempty"`
	// Best: the claim is about the largest of the quantities, which are ratios to several rivals.
	Best bool `json:"best,omitempty"`
	// Worst: the claim is about a bound at each of the points that its quantities are of, so that
	// the worst quantity decides.
	Worst bool `json:"worst,omitempty"`
}

// Scores are the losses of the candidates of a series, by repeat and candidate: that with the
// least mean over repeats is selected. The loss of a candidate that is out of the race is NaN.
type Scores struct {
	Series  string      `json:"series"`
	Repeats []int       `json:"-"`
	Losses  [][]float64 `json:"-"`
}

// Statistic says what is estimated from the values of a quantity.
type Statistic string

// Statistics.
const (
	// Mean is the arithmetic mean, GeometricMean that of positive ratios.
	Mean          Statistic = "mean"
	GeometricMean Statistic = "geometric mean"
	// Share is the share of values that are 1, the others being 0.
	Share Statistic = "share"
	// Largest is the largest value; each is known exactly.
	Largest Statistic = "largest"
	// PowerLaw is the exponent of the first variable in a power law, or the difference of two such.
	PowerLaw Statistic = "exponent"
)

// Quantity is what a verdict compares with a range.
type Quantity struct {
	// Key tells the quantities of a table apart, Name says what the quantity is.
	Key       string    `json:"key"`
	Name      string    `json:"name"`
	Statistic Statistic `json:"statistic"`
	// Between is the claimed range.
	Between
	// Values has a value for each row: each repeat, halving or run.
	Values []Value `json:"-"`
	// Again holds the values in the repeats of Scores where other candidates are selected.
	Again []Value `json:"-"`
	// Points are what power laws are fitted to, of one series or of two that are compared.
	Points [][]stats.Point `json:"points,omitempty"`
	// Missing is the share of the points wanted that there are none of.
	Missing float64 `json:"missing,omitempty"`
	// Halves: each value compares the two halves of one halving.
	Halves bool `json:"halves,omitempty"`
	// Alike: the values may well be equal, such as the lengths of runs.
	Alike bool `json:"alike,omitempty"`
	// Remarks are about this quantity.
	Remarks []Remark `json:"remarks,omitempty"`
}

// Add adds the value of a row.
func (q *Quantity) Add(row int, v Value) {
	v.Row = row
	q.Values = append(q.Values, v)
}

// Value is a number of one row.
type Value struct {
	Row    int
	Number float64
	// AtLeast, AtMost: the number is a bound on the true one, because the run ended before.
	AtLeast, AtMost bool
	// Choice has the indices of the candidates, one of each of the Scores; it is empty for those selected.
	Choice string
}

// Over divides, Minus subtracts.
func (v Value) Over(by Value) Value  { return v.censored(v.Number/by.Number, by) }
func (v Value) Minus(by Value) Value { return v.censored(v.Number-by.Number, by) }

// censored returns a number that decreases as by grows, so that a bound on by bounds it the other way.
func (v Value) censored(number float64, by Value) Value {
	return Value{Row: v.Row, Number: number, AtLeast: v.AtLeast || by.AtMost, AtMost: v.AtMost || by.AtLeast}
}

// Scaled multiplies by a number, and adds another.
func (v Value) Scaled(by, plus float64) Value {
	if by < 0 {
		v.AtLeast, v.AtMost = v.AtMost, v.AtLeast
	}
	v.Number = v.Number*by + plus
	return v
}

// Raised is no less than the least number that is told from 0.
func (v Value) Raised(floor float64) Value {
	v.Number = max(v.Number, floor)
	return v
}

// RemarkKind says what a remark means for the outcome.
type RemarkKind string

// Kinds of remarks.
const (
	// Note: how the numbers were obtained.
	Note RemarkKind = "note"
	// Doubt: with other data, with the runs that are missing, or with other parameters the outcome may differ.
	Doubt RemarkKind = "doubt"
	// Criterion: what is judged is also what parameters were chosen by.
	Criterion RemarkKind = "criterion"
	// BelowScale: the runs are below the scale of the thesis.
	BelowScale RemarkKind = "scale"
)

// Remark is what a reader of an outcome must know.
type Remark struct {
	Kind RemarkKind `json:"kind"`
	Text string     `json:"text"`
}

// Between is the claimed range of a quantity.
type Between struct {
	// Least and Most are its ends, nil for no bound.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
	// Below: it must be below Most, not equal to it.
	Below bool `json:"below,omitempty"`
}

// AtMost and AtLeast are ranges with one end.
func AtMost(v float64) Between  { return Between{Most: &v} }
func AtLeast(v float64) Between { return Between{Least: &v} }

// Ends returns the ends, infinite ones where there is no bound.
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
