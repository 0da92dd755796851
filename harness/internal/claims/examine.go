package claims

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// Kinds of what a claim mentions.
const (
	KindSeries    = "series"
	KindMetric    = "metric"
	KindSplit     = "split"
	KindCost      = "cost"
	KindDataset   = "dataset"
	KindParameter = "parameter"
	// KindFact is a fact of the runs, or a parameter.
	KindFact = "fact"
	// KindShown is the id of a figure or a table, KindTable that of a table.
	KindShown = "shown"
	KindTable = "table"
	// KindBound is one of Bounds.
	KindBound = "bound"
	// KindPasses is a range in passes over the training data.
	KindPasses = "passes"
	// KindColumn is a column of the table that the mention before it names.
	KindColumn = "column"
)

// Mention is a name that a claim uses.
type Mention struct {
	// Path leads to it from the claim: the keys of maps, and the indices of lists,
	// such as "check", "order", "below", "0". For a parameter that Where restricts
	// it is the key itself that is named.
	Path []string
	// Kind is one of the kinds above.
	Kind string
	Name string
}

// ShapeError is what is wrong with a claim by itself.
type ShapeError struct {
	// Path leads to it from the claim, as in Mention.
	Path []string
	Text string
}

func (e *ShapeError) Error() string {
	if len(e.Path) == 0 {
		return e.Text
	}
	return strings.Join(e.Path, ".") + ": " + e.Text
}

// Mentions lists the names that the claim uses, those of its check in the order in
// which that is examined. Names that are left out, and so have their default, are not
// listed.
func (c Claim) Mentions() []Mention { return c.examine().mentions }

// Series lists the series that the claim is about, each once, the one that its check is about first.
func (c Claim) Series() []string {
	var series []string
	for _, m := range c.Mentions() {
		if m.Kind == KindSeries {
			series = words.AddOnce(series, m.Name)
		}
	}
	return series
}

// over reports whether the check names a cost.
func (c Claim) over(cost string) bool {
	return slices.ContainsFunc(c.Mentions(), func(m Mention) bool { return m.Kind == KindCost && m.Name == cost })
}

// Validate reports what is wrong with the claim whatever the specification and
// the records hold, besides what the tags of its fields say, such as ranges of single
// numbers: those the reader of specifications heeds.
func (c Claim) Validate() *ShapeError { return c.examine().wrong }

// findings are what is found in going through a claim: the names that it uses, and the
// first thing that is wrong with it.
type findings struct {
	mentions []Mention
	wrong    *ShapeError
}

func (c *Claim) examine() *findings {
	all := &findings{}
	top := place{all, nil}
	top.mention(KindShown, c.Shown, "shown")
	if strings.TrimSpace(c.Says) == "" {
		top.in("says").fail("says is missing: state the claim in a sentence")
	}
	c.examineReading(top)
	top.names(KindDataset, c.Datasets, "datasets")
	for _, name := range slices.Sorted(maps.Keys(c.Where)) {
		if !isVariable(name) {
			top.mention(KindParameter, name, "where", name)
		}
	}
	c.Check.examine(top.in("check"))
	return all
}

// examineReading checks that a reading names its claim, and that only a reading does.
func (c *Claim) examineReading(top place) {
	switch isReading := strings.TrimSpace(c.Reading) != ""; {
	case c.Of != "" && !isReading:
		top.in("of").fail("reading is missing: state the reading of the text under which %s is judged", c.Of)
	case c.Of == "" && isReading:
		top.in("reading").fail("of is missing: give the id of the claim that this is a reading of")
	case c.Of == c.ID && c.Of != "":
		top.in("of").fail("%s cannot be a reading of itself", c.Of)
	}
}

// place is where in a claim something is found.
type place struct {
	found *findings
	path  []string
}

func (at place) in(path ...string) place { return place{at.found, slices.Concat(at.path, path)} }

// mention notes a name that is used below this place, if it is given.
func (at place) mention(kind, name string, path ...string) {
	if name != "" {
		at.found.mentions = append(at.found.mentions, Mention{at.in(path...).path, kind, name})
	}
}

func (at place) fail(format string, args ...any) {
	if at.found.wrong == nil {
		at.found.wrong = &ShapeError{at.path, fmt.Sprintf(format, args...)}
	}
}

func (at place) names(kind string, names []string, key string) {
	for i, name := range names {
		at := at.in(key, strconv.Itoa(i))
		at.mention(kind, name)
		if name == "" {
			at.fail("the name is empty")
		}
	}
}

func (at place) series(name string) {
	at.mention(KindSeries, name, "series")
	if name == "" {
		at.in("series").fail("series is missing")
	}
}

func (at place) curve(c Curve) {
	at.mention(KindMetric, c.Metric, "metric")
	at.mention(KindSplit, c.Split, "split")
	at.mention(KindCost, c.Cost, "cost")
	if c.Cost == costSupport && !isHalf(c.Split) {
		at.in("split").fail("the split of a trade-off is a half of the test rows: \"test\" or \"validation\", not %q", c.Split)
	}
	if c.Cost == costSupport && c.Metric != "" && c.Metric != record.MetricError {
		at.in("metric").fail("the metric of a trade-off is error, not %q", c.Metric)
	}
}

func (at place) span(r Range) {
	if r.Passes != nil {
		at.mention(KindPasses, "passes", "passes")
	}
	switch {
	case r.To > 0 && r.To <= r.From:
		at.in("to").fail("the range is empty: it goes from %v to %v", r.From, r.To)
	case r.Until > 0 && r.Until <= r.After:
		at.in("until").fail("the range is empty: it goes from %v to %v", r.After, r.Until)
	case r.From > 0 && r.After > 0:
		at.in("after").fail("from (a fraction) and after (a cost) both set where the range begins: give one of them")
	case r.To > 0 && r.Until > 0:
		at.in("until").fail("to (a fraction) and until (a cost) both set where the range ends: give one of them")
	case r.Passes == nil:
	case len(r.Passes) != 2 || r.Passes[0] < 0 || r.Passes[0] >= r.Passes[1]:
		at.in("passes").fail("give the range as [from, to], such as [0, 1] for the first pass")
	case r.From > 0 || r.To > 0 || r.After > 0 || r.Until > 0:
		at.in("passes").fail("passes already sets the range: remove from, to, after and until")
	}
}

func (at place) reading(r *Reading) {
	at.series(r.Series)
	at.curve(r.Curve)
	at.span(r.Range)
	switch {
	case r.Read == readCostTo && r.Target == nil:
		at.in("read").fail("read: %s needs a target", readCostTo)
	case r.Read != readCostTo && r.Target != nil:
		at.in("target").fail("target needs read: %s", readCostTo)
	case r.Read == readCost && r.ranged():
		at.in("read").fail("this cost is read at the end of the run, so a range has no effect: remove it")
	}
	at.in("target").threshold(r.Target, r.Metric)
}

// value examines a number, if it is given.
func (at place) value(v *Value) {
	if v == nil {
		return
	}
	given := 0
	for _, set := range []bool{v.Is != nil, v.Of != nil, v.Fact != ""} {
		if set {
			given++
		}
	}
	switch {
	case given == 0:
		at.fail("the value is missing: give one of is, of and fact")
	case given > 1:
		at.fail("give only one of is, of and fact")
	}
	if v.Of != nil {
		at.in("of").reading(v.Of)
	}
	at.mention(KindFact, v.Fact, "fact")
}

// threshold examines a number that a metric is compared with, which is not to be
// negative where the metric never is.
func (at place) threshold(v *Value, metric string) {
	at.value(v)
	x, ok := v.constant()
	if ok && x < 0 && (metric == "" || metric == record.MetricError || metric == record.MetricSuboptimality) {
		at.fail("the metric is never negative, got %v", x)
	}
}

// constant returns the number that a value is, whatever the records hold.
func (v *Value) constant() (float64, bool) {
	if v == nil || v.Is == nil {
		return 0, false
	}
	return *v.Is*cmp.Or(v.Times, 1) + v.Plus, true
}

func (at place) between(b []*float64) {
	at = at.in("between")
	switch {
	case len(b) != 2:
		at.fail("give it as [least, most], with null for no bound")
	case b[0] == nil && b[1] == nil:
		at.fail("both bounds are null, so there is nothing to check: give at least one")
	case b[0] != nil && b[1] != nil && *b[0] > *b[1]:
		at.fail("the lower bound %v is above the upper bound %v", *b[0], *b[1])
	}
}

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

// predicate is a kind of statement. Each is a type in a file of its own, and a field of
// Check, whose name is its own; nothing else lists them.
type predicate interface {
	// examine goes through its fields: it mentions the names that they use, the series
	// that it is about first, and finds what is wrong with them.
	examine(at place)
	// observe reads what decides it, data set by data set or as a whole.
	observe(j *observing) []observe.Table
	// words describes what is checked. metric is the metric of curves that name none.
	words(metric string) string
}

// namedPredicate is a predicate with the name of its field.
type namedPredicate struct {
	name string
	predicate
}

// predicates returns those that are set, and the names of all.
func (c *Check) predicates() (set []namedPredicate, known []string) {
	for field, value := range reflect.ValueOf(c).Elem().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		known = append(known, name)
		if !value.IsNil() {
			set = append(set, namedPredicate{name, value.Interface().(predicate)})
		}
	}
	return set, known
}

// predicate returns the one that is set, of a claim that is valid.
func (c *Check) predicate() predicate {
	set, _ := c.predicates()
	return set[0].predicate
}

func (c *Check) examine(at place) {
	set, known := c.predicates()
	var names []string
	for _, p := range set {
		names = append(names, p.name)
	}
	if len(set) == 0 {
		at.fail("it is empty: give one of %s", strings.Join(known, ", "))
	} else if len(set) > 1 {
		at.fail("it has %s: a claim has one; make one of each", strings.Join(names, " and "))
	}
	for _, p := range set {
		p.examine(at.in(p.name))
	}
}
