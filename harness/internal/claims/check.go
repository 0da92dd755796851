package claims

// Check is what has to be true: exactly one of its fields is set.
type Check struct {
	Order    *Order    `yaml:"order,omitempty" json:"order,omitempty" jsonschema:"oneof_required=order"`
	Reaches  *Reaches  `yaml:"reaches,omitempty" json:"reaches,omitempty" jsonschema:"oneof_required=reaches"`
	Stays    *Stays    `yaml:"stays,omitempty" json:"stays,omitempty" jsonschema:"oneof_required=stays"`
	Ratio    *Ratio    `yaml:"ratio,omitempty" json:"ratio,omitempty" jsonschema:"oneof_required=ratio"`
	Level    *Level    `yaml:"level,omitempty" json:"level,omitempty" jsonschema:"oneof_required=level"`
	Plateau  *Plateau  `yaml:"plateau,omitempty" json:"plateau,omitempty" jsonschema:"oneof_required=plateau"`
	Bound    *Bound    `yaml:"bound,omitempty" json:"bound,omitempty" jsonschema:"oneof_required=bound"`
	Exponent *Exponent `yaml:"exponent,omitempty" json:"exponent,omitempty" jsonschema:"oneof_required=exponent"`
}

// Curve says which curve of a run is read. Between recorded points it is linear. An
// error is taken for no less than half an example of its split, and a suboptimality
// for no less than the gap that its reference is certified to, at least 1e-12.
type Curve struct {
	// Metric is a metric of the task; by default the one that selection uses.
	Metric string `yaml:"metric,omitempty" json:"metric,omitempty"`
	// Split is by default "test", else "population", "validation", "train"; metrics of the
	// state need none. Of a trade-off, "validation" is the half of the test set that
	// the parameters were chosen on, as results.HalvedCurve has it.
	Split string `yaml:"split,omitempty" json:"split,omitempty" jsonschema:"enum=train,enum=validation,enum=test,enum=population"`
	// Cost is the abscissa: a counter, by default "iterations"; "seconds"; or
	// "support" for the trade-off of a selection by halvings.
	Cost string `yaml:"cost,omitempty" json:"cost,omitempty"`
}

// Range is the part of the cost that a check looks at. The default is all that all
// runs of the check have on record; of a reading, all of each run.
type Range struct {
	// From and To are fractions of the largest cost that all runs of the check, or
	// the reading, reach; 0 and 1 by default.
	From float64 `yaml:"from,omitempty" json:"from,omitempty" jsonschema:"minimum=0,maximum=1"`
	To   float64 `yaml:"to,omitempty" json:"to,omitempty" jsonschema:"minimum=0,maximum=1"`
	// After and Until are costs, in place of fractions. Runs are not extended to
	// Until; a trade-off is, by what it ends with.
	After float64 `yaml:"after,omitempty" json:"after,omitempty" jsonschema:"minimum=0"`
	Until float64 `yaml:"until,omitempty" json:"until,omitempty" jsonschema:"minimum=0"`
	// Passes restricts it to so many passes over the training data, by the
	// iterations of the first series, each of which counts as one example: [0, 1] is
	// the first, [1, 10] what follows.
	Passes []float64 `yaml:"passes,omitempty,flow" json:"passes,omitempty" jsonschema:"minItems=2,maxItems=2"`
}

// Value is a number: given, or read from a series. In a specification a plain number
// stands for one that is given.
type Value struct {
	// Is is the number.
	Is *float64 `yaml:"is,omitempty" json:"is,omitempty"`
	// Of reads it, repeat by repeat. It is multiplied by Times, if given, and Plus
	// is added.
	Of    *Reading `yaml:"of,omitempty" json:"of,omitempty"`
	Times float64  `yaml:"times,omitempty" json:"times,omitempty"`
	Plus  float64  `yaml:"plus,omitempty" json:"plus,omitempty"`
	// Fact names a fact of the runs, such as "reference_error", or a parameter, of the
	// series that the check is about.
	Fact string `yaml:"fact,omitempty" json:"fact,omitempty"`
}

// Reading reduces each run of a series to a number.
type Reading struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	// Read is "final" (default), "best", "mean", "least" or "most" of the metric
	// within the range, the mean being over the cost; "cost" the cost at the end of
	// the run; or "cost-to" the cost at which the metric first is at or below Target,
	// of a run that never is at least that of its end.
	Read   string `yaml:"read,omitempty" json:"read,omitempty" jsonschema:"enum=final,enum=best,enum=mean,enum=least,enum=most,enum=cost,enum=cost-to"`
	Target *Value `yaml:"target,omitempty" json:"target,omitempty"`
}

// Order: at equal cost, the metric of a series is below that of others. The
// quantity is the ratio of the metrics, a repeat at a time, and its interval that of
// the geometric mean over repeats.
type Order struct {
	Series string `yaml:"series" json:"series"`
	// Below lists the series that it is below, each of them.
	Below []string `yaml:"below,flow" json:"below" jsonschema:"minItems=1,uniqueItems=true"`
	// Best: it is below the best of them, in their place, which at each cost is the one
	// whose metric is the least on average over repeats.
	Best  bool `yaml:"best,omitempty" json:"best,omitempty"`
	Curve `yaml:",inline"`
	Range `yaml:",inline"`
	// Over says at which costs: "mean" (default) the geometric mean of the ratios
	// over the range, costs of equal ratio weighing the same; "end" the last;
	// "every" ten of equal ratio, each of which counts.
	Over string `yaml:"over,omitempty" json:"over,omitempty" jsonschema:"enum=mean,enum=end,enum=every"`
	// Ratio is what the ratio must be below: 1 by default, of which a tie is neither below
	// nor above, 0.9 for "at least a tenth less", 1.1 for "no more than a tenth above".
	// Where Least is given there is no default.
	Ratio float64 `yaml:"ratio,omitempty" json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0"`
	// Least is what the ratio must be at least, if given: 1.05 for "worse", or 0.9 for
	// "similar", besides a Ratio of 1.1.
	Least float64 `yaml:"least,omitempty" json:"least,omitempty" jsonschema:"minimum=0"`
}

// Reaches: the metric of a series is at or below a value within a cost. The quantity
// is the least metric within it.
type Reaches struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	// Value is what is to be reached.
	Value Value `yaml:"value" json:"value"`
	// Within is the cost; without it the length of the run.
	Within *Value `yaml:"within,omitempty" json:"within,omitempty"`
}

// Stays: the metric of a series is above, or below, a value all along the range. The
// quantity is the least, or the largest, metric along it.
type Stays struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	Above  *Value `yaml:"above,omitempty" json:"above,omitempty"`
	Below  *Value `yaml:"below,omitempty" json:"below,omitempty"`
}

// Ratio: one reading over another lies between two numbers.
type Ratio struct {
	Of Reading `yaml:"of" json:"of"`
	To Reading `yaml:"to" json:"to"`
	// Between is [least, most]; null stands for no bound.
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

// Level: a reading, on average over repeats, lies between two numbers.
type Level struct {
	Reading `yaml:",inline"`
	// Per names a parameter or a fact that the reading is divided by, such as k.
	Per     string     `yaml:"per,omitempty" json:"per,omitempty"`
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}

// Plateau: along the range the metric of a series falls by less than a factor.
type Plateau struct {
	Series string `yaml:"series" json:"series"`
	Curve  `yaml:",inline"`
	Range  `yaml:",inline"`
	// Falls is the least ratio of the metric at the end of the range to that at its
	// beginning that counts as a plateau, such as 0.9.
	Falls float64 `yaml:"falls" json:"falls" jsonschema:"exclusiveMinimum=0,maximum=1"`
	// Above, if given, is what the metric must stay above besides.
	Above *Value `yaml:"above,omitempty" json:"above,omitempty"`
}

// Bound: a theorem's bound holds for the runs of a series: for each, whatever its
// setting, or on average over repeats, or in a share of them, as it says. The range is
// one of iterations, and its fractions are those of each run.
type Bound struct {
	// Name is one of Bounds.
	Name   string `yaml:"name" json:"name"`
	Series string `yaml:"series" json:"series"`
	Range  `yaml:",inline"`
}

// Exponent: the exponent of a power law lies between two numbers. It is fitted to all
// data sets at once, and has its interval from leaving out one problem at a time.
type Exponent struct {
	Series string `yaml:"series" json:"series"`
	// Table and Column name an exponent of a table of the specification.
	Table   string     `yaml:"table" json:"table"`
	Column  string     `yaml:"column" json:"column"`
	Between []*float64 `yaml:"between,flow" json:"between" jsonschema:"minItems=2,maxItems=2"`
}
