package claims

import (
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/selection"
)

// Outcomes of a claim, and of its parts.
const (
	// Reproduced: the confidence interval lies inside the claimed range.
	Reproduced = "reproduced"
	// NotReproduced: the confidence interval lies outside the claimed range.
	NotReproduced = "not reproduced"
	// Inconclusive: the confidence interval overlaps the end of the claimed range, or there
	// is only one repeat of something random.
	Inconclusive = "inconclusive"
	// NotRun: there are no runs to judge. Reason says why.
	NotRun = "not run"
)

// Verdict is the outcome of a claim, with its reasons.
type Verdict struct {
	Claim
	// Experiment is the name of the specification, Profile that of the profile.
	Experiment string `json:"experiment"`
	Profile    string `json:"profile"`
	// Set lists the changes to the specification, as path=value, that it was run with.
	Set []string `json:"set,omitempty"`
	// Outcome is Reproduced, NotReproduced, Inconclusive or NotRun.
	Outcome string `json:"outcome"`
	// Reason is a line with the numbers that decided, and their confidence intervals.
	Reason string `json:"reason"`
	// Caveats are ways in which the outcome is less than it seems: stand-in data, less
	// than the thesis's scale, runs that are missing or did not finish.
	Caveats []Caveat `json:"caveats,omitempty"`
	// Doubtful: a caveat says that the outcome may be another, beyond what the intervals
	// say.
	Doubtful bool `json:"doubtful,omitempty"`
	// Parts has one entry a data set and setting.
	Parts []Part `json:"parts,omitempty"`
}

// OfClaims returns the verdicts on claims without those on readings.
func OfClaims(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of != "" })
}

// OfReadings returns the verdicts on readings of claims.
func OfReadings(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of == "" })
}

// Part is a claim on one data set, at one setting of the parameters.
type Part struct {
	Dataset string `json:"dataset"`
	// Setting is the canonical text of the parameters that tell parts apart, such
	// as "k=4"; empty where there is one setting only.
	Setting string `json:"setting,omitempty"`
	StandIn bool   `json:"stand_in,omitempty"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	// Estimates are the quantities that were judged.
	Estimates []Estimate `json:"estimates,omitempty"`
	Caveats   []Caveat   `json:"caveats,omitempty"`
}

// Estimate is a quantity with its confidence interval and the claimed range.
type Estimate struct {
	// Name says what it is, such as "sbp / pegasos, error over kernel_evals".
	Name string `json:"name"`
	// Value and its interval at the confidence level Level, over N repeats, or
	// halvings. Lo and Hi equal Value if the quantity is exact: Exact says why.
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	N     int     `json:"n"`
	Exact string  `json:"exact,omitempty"`
	// Wanted is the claimed range in words, such as "at most 1", and Between in numbers.
	Wanted string `json:"wanted"`
	observe.Between
	Outcome string `json:"outcome"`
}

// Origin says where the tables of claims come from, and what its records lack.
type Origin struct {
	// Experiment and Profile name what was run, Set what was changed of it.
	Experiment, Profile string
	Set                 []string
	// Missing counts the planned runs that are not on record.
	Missing []observe.Missing
	// Shortfalls say in which ways the runs are below the scale of the thesis.
	Shortfalls []Shortfall
}

// Input is what claims are judged from.
type Input struct {
	Origin
	// Metric is the one that selection uses, which curves show unless they name
	// another. If it is empty that is "error" where it is recorded, else
	// "suboptimality".
	Metric string
	// Choice has the runs of the selected parameters.
	Choice *selection.Choice
	// Deterministic lists the series without randomness: a single run of theirs is
	// enough for a verdict.
	Deterministic []Cell
}

// Cell is a series on a data set.
type Cell struct{ Dataset, Series string }

// Shortfall is a way in which an experiment is smaller than at the profile
// "paper".
type Shortfall struct {
	// Dataset is the id of the data set concerned, empty for all; Series likewise.
	Dataset string `json:"dataset,omitempty"`
	Series  string `json:"series,omitempty"`
	// Text says what is less, such as "3 of 10 repeats".
	Text string `json:"text"`
}
