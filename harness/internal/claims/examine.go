package claims

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// ShapeError is an error in a claim that does not depend on the spec or the records.
type ShapeError struct {
	// Path is the path of keys and list indices from the claim to the error, such as "check", "order",
	// "below", "0".
	Path []string
	Text string
}

// Series lists the series of the claim, each once. The subject of its check is the first.
func (c Claim) Series() []string { return c.named("series", "below", "than") }

// named lists the names in the claim under the given keys, each once.
func (c Claim) named(keys ...string) []string {
	var names []string
	for _, m := range c.findings().mentions {
		if slices.Contains(keys, m.key) {
			names = words.AddOnce(names, m.name)
		}
	}
	return names
}

// Validate returns the first error in the claim that does not depend on the spec or the records. The
// decoder of specs checks the tags of fields, such as ranges of numbers.
func (c Claim) Validate() *ShapeError { return c.findings().wrong }

// findings are the texts of a claim, in the order of its fields, and its first error.
type findings struct {
	mentions []mention
	wrong    *ShapeError
}

// mention is a text in a claim, such as the name of a series, with its key in the spec.
type mention struct{ key, name string }

func (c *Claim) findings() *findings {
	all := &findings{}
	place{all, nil}.walk(reflect.ValueOf(c).Elem(), "")
	return all
}

// place is a position in a claim.
type place struct {
	found *findings
	path  []string
}

func (at place) in(key string) place { return place{at.found, append(slices.Clone(at.path), key)} }

func (at place) fail(format string, args ...any) {
	if at.found.wrong == nil {
		at.found.wrong = &ShapeError{at.path, fmt.Sprintf(format, args...)}
	}
}

// mention adds a text to the findings unless it is "".
func (at place) mention(key, name string) {
	if name != "" {
		at.found.mentions = append(at.found.mentions, mention{key, name})
	}
}

// walk traverses the value of a key. It adds its texts to the findings and calls the examine methods of
// types that have one.
func (at place) walk(v reflect.Value, key string) {
	if of, ok := v.Addr().Interface().(interface{ examine(at place) }); ok {
		of.examine(at)
	}
	switch value := v.Interface().(type) {
	case string:
		at.mention(key, value)
	case []string:
		for i, name := range value {
			at := at.in(strconv.Itoa(i))
			if name == "" {
				at.fail("the name is empty")
			}
			at.mention(key, name)
		}
	case []*float64:
		at.between(value)
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		at.walk(v.Elem(), key)
	case v.Kind() == reflect.Struct:
		for field, value := range v.Fields() {
			key, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if key == "" { // the fields of an embedded type belong to the outer one
				at.walk(value, "")
				continue
			}
			at := at.in(key)
			if value.Kind() == reflect.String && strings.TrimSpace(value.String()) == "" && options == "" {
				at.fail("%s is missing", key)
			}
			at.walk(value, key)
		}
	}
}

func (c *Claim) examine(at place) {
	if (c.Of == "") != (strings.TrimSpace(c.Reading) == "") {
		at.in("reading").fail("a reading needs both of, the id of the claim, and reading, a description of the reading")
	}
	if c.Of == c.ID && c.Of != "" {
		at.in("of").fail("%s cannot be a reading of itself", c.Of)
	}
}

func (c *Curve) examine(at place) {
	splits, metrics := []string{"", record.SplitTest, record.SplitValidation}, []string{"", record.MetricError}
	if c.Cost == observe.CostSupport && !(slices.Contains(splits, c.Split) && slices.Contains(metrics, c.Metric)) {
		at.in("cost").fail("a trade-off has only the error on a half of the test rows: " +
			"use metric error and split test or validation")
	}
}

func (r *Range) examine(at place) {
	switch {
	case r.To > 0 && r.To <= r.From:
		at.in("to").fail("the range is empty: it goes from %v to %v", r.From, r.To)
	case r.Until > 0 && r.Until <= r.After:
		at.in("until").fail("the range is empty: it goes from %v to %v", r.After, r.Until)
	case r.From > 0 && r.After > 0 || r.To > 0 && r.Until > 0:
		at.fail("set each end of the range only once: as a fraction (from, to) or as a cost (after, until)")
	case r.Passes == nil:
	case len(r.Passes) != 2 || r.Passes[0] < 0 || r.Passes[0] >= r.Passes[1]:
		at.in("passes").fail("want a range [from, to], such as [0, 1] for the first pass")
	case r.From > 0 || r.To > 0 || r.After > 0 || r.Until > 0:
		at.in("passes").fail("passes already sets the range: remove from, to, after and until")
	}
}

func (r *Reading) examine(at place) {
	switch {
	case r.Read == readCostTo && r.Target == nil:
		at.in("read").fail("read: %s needs a target", readCostTo)
	case r.Read != readCostTo && r.Target != nil:
		at.in("target").fail("target needs read: %s", readCostTo)
	case r.Read == readCost && r.ranged():
		at.in("read").fail("this cost is read at the end of the run, so a range has no effect: remove it")
	}
}

func (v *Value) examine(at place) {
	given := 0
	for _, set := range []bool{v.Is != nil, v.Of != nil, v.Fact != ""} {
		if set {
			given++
		}
	}
	if given != 1 {
		at.fail("give one of is, of and fact, not %d of them", given)
	}
}

// between checks a range [least, most].
func (at place) between(b []*float64) {
	switch {
	case len(b) != 2:
		at.fail("want [least, most], with null for no bound")
	case b[0] == nil && b[1] == nil:
		at.fail("both bounds are null, so there is nothing to check: give at least one")
	case b[0] != nil && b[1] != nil && *b[0] > *b[1]:
		at.fail("the lower bound %v is above the upper bound %v", *b[0], *b[1])
	}
}

// Check is the condition of a claim. Exactly one of its fields is set.
type Check struct {
	Order    *Order    `yaml:"order,omitempty" json:"order,omitempty" jsonschema:"oneof_required=order"`
	Reaches  *Reaches  `yaml:"reaches,omitempty" json:"reaches,omitempty" jsonschema:"oneof_required=reaches"`
	Stays    *Stays    `yaml:"stays,omitempty" json:"stays,omitempty" jsonschema:"oneof_required=stays"`
	Ratio    *Ratio    `yaml:"ratio,omitempty" json:"ratio,omitempty" jsonschema:"oneof_required=ratio"`
	Level    *Level    `yaml:"level,omitempty" json:"level,omitempty" jsonschema:"oneof_required=level"`
	Bound    *Bound    `yaml:"bound,omitempty" json:"bound,omitempty" jsonschema:"oneof_required=bound"`
	Exponent *Exponent `yaml:"exponent,omitempty" json:"exponent,omitempty" jsonschema:"oneof_required=exponent"`
}

// predicate is a kind of statement: a type in its own file and a field of Check. A predicate with further rules has a
// method examine.
type predicate interface {
	// quantities reads the quantities that decide a part. If that fails, it sets the failure of the part.
	quantities(p *part) []observe.Quantity
}

// predicates returns the predicates that are set, the names of their fields, and the names of all fields.
func (c *Check) predicates() (set []predicate, names, known []string) {
	for field, value := range reflect.ValueOf(c).Elem().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		known = append(known, name)
		if !value.IsNil() {
			set, names = append(set, value.Interface().(predicate)), append(names, name)
		}
	}
	return set, names, known
}

// predicate returns the only predicate of a valid claim.
func (c *Check) predicate() predicate {
	set, _, _ := c.predicates()
	return set[0]
}

func (c *Check) examine(at place) {
	switch _, names, known := c.predicates(); len(names) {
	case 1:
	case 0:
		at.fail("the check is empty: give one of %s", strings.Join(known, ", "))
	default:
		at.fail("the check has %s, but a claim has only one: write a claim for each", strings.Join(names, " and "))
	}
}
