package claims

import (
	"iter"
	"reflect"
	"strings"

	"stochopt/internal/observe"
)

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

// predicates yields all predicates by name, nil for those that are not set.
func (c *Check) predicates() iter.Seq2[string, predicate] {
	return func(yield func(string, predicate) bool) {
		for field, value := range reflect.ValueOf(c).Elem().Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			var p predicate
			if !value.IsNil() {
				p = value.Interface().(predicate)
			}
			if !yield(name, p) {
				return
			}
		}
	}
}

// predicate returns the one that is set, nil if there is none.
func (c *Check) predicate() predicate {
	for _, p := range c.predicates() {
		if p != nil {
			return p
		}
	}
	return nil
}

func (c *Check) examine(at place) {
	var known, set []string
	for name, p := range c.predicates() {
		if known = append(known, name); p != nil {
			set = append(set, name)
		}
	}
	switch len(set) {
	case 0:
		at.fail("it is empty: give one of %s", strings.Join(known, ", "))
	case 1:
	default:
		at.fail("it has %s: a claim has one; make one of each", strings.Join(set, " and "))
	}
	for name, p := range c.predicates() {
		if p != nil {
			p.examine(at.in(name))
		}
	}
}
