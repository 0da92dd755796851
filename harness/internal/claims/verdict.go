package claims

import (
	"stochopt/results/analysis"
	"stochopt/results/record"
)

// Outcomes of a claim, and of its parts.
const (
	// Reproduced: the whole interval is where the statement has it.
	Reproduced = "reproduced"
	// NotReproduced: none of the interval is.
	NotReproduced = "not reproduced"
	// Inconclusive: some of the interval is, or there is but one repeat of what is random.
	Inconclusive = "inconclusive"
	// NotRun: there is nothing to judge by. Reason says why.
	NotRun = "not run"
)

// Verdict is what became of a claim.
type Verdict struct {
	Claim
	// Experiment is the name of the specification, Profile that of the profile.
	Experiment string `json:"experiment"`
	Profile    string `json:"profile"`
	// Outcome is Reproduced, NotReproduced, Inconclusive or NotRun.
	Outcome string `json:"outcome"`
	// Reason is a line that says what decided: numbers, with their intervals.
	Reason string `json:"reason"`
	// Caveats are what the outcome must not be told without: stand-in data, less
	// than the thesis's scale, runs that are missing or did not finish.
	Caveats []Caveat `json:"caveats,omitempty"`
	// Doubtful: a caveat says that the outcome may be another, beyond what the intervals
	// say.
	Doubtful bool `json:"doubtful,omitempty"`
	// Parts has one entry a data set and setting.
	Parts []Part `json:"parts,omitempty"`
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

// Estimate is a quantity with its interval, beside what it had to be.
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
	// Wanted says what the statement has it be, such as "at most 1": where Between is. Of
	// verdicts that were recorded without that it says so alone.
	Wanted string `json:"wanted"`
	Between
	Outcome string `json:"outcome"`
}

// Input is what claims are judged from.
type Input struct {
	// Experiment and Profile name what was run.
	Experiment, Profile string
	// Metric is the one that selection uses, which curves show unless they name
	// another. If it is empty that is "error" where it is recorded, else
	// "suboptimality".
	Metric string
	// Runs are those of the selected parameters, Halved the selection by halvings,
	// nil where there is none; Runs are then those of the whole grids.
	Runs   []record.Run
	Halved *analysis.Halved
	// Selection is what the runs were selected in, nil if they were not.
	Selection *analysis.Selection
	Timings   record.Timings
	// Deterministic lists the series that no random number enters: a run of theirs is
	// all that there is, and decides.
	Deterministic []Cell
	// Missing is the number of planned runs that are not on record.
	Missing int
	// Shortfalls say in which ways the runs are below the scale of the thesis.
	Shortfalls []Shortfall
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
