package spec

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// fieldInfo is a struct field as the decoder sees it. Its tags say the same to
// the decoder and to the JSON schema: a field is required unless its yaml tag
// says omitempty, and its jsonschema tag says what values are in range.
type fieldInfo struct {
	name     string
	index    []int
	required bool
	// rules holds the values of each keyword of the jsonschema tag.
	rules map[string][]string
}

// number returns the number that a keyword of the jsonschema tag gives, or nil.
func (info *fieldInfo) number(keyword string) *float64 {
	if info.rules[keyword] == nil {
		return nil
	}
	x, err := strconv.ParseFloat(info.rules[keyword][0], 64)
	if err != nil {
		panic("spec: bad jsonschema tag " + keyword)
	}
	return &x
}

// size returns the number of items or characters that a keyword gives, 0 for none.
func (info *fieldInfo) size(keyword string) int {
	if x := info.number(keyword); x != nil {
		return whole.Within(*x, 0, math.MaxInt32)
	}
	return 0
}

// structFields returns the fields of a struct type, those of inlined structs
// among them.
func structFields(t reflect.Type) (list []fieldInfo) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case !f.IsExported() || name == "-":
			continue
		case strings.Contains(options, "inline"):
			for _, inner := range structFields(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
			continue
		case name == "":
			name = strings.ToLower(f.Name)
		}
		rules := make(map[string][]string)
		for word := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
			keyword, value, _ := strings.Cut(word, "=")
			rules[keyword] = append(rules[keyword], value)
		}
		list = append(list, fieldInfo{name, []int{i}, !strings.Contains(options, "omitempty"), rules})
	}
	return list
}

// constrain reports values that are of the right type but out of range.
func (d *decoder) constrain(n *node, info *fieldInfo, at path) {
	if n.kind == sequence {
		switch least, most := info.size("minItems"), info.size("maxItems"); {
		case least > 0 && least == most && len(n.items) != least:
			d.fail(n, at, "want %d items, got %d", least, len(n.items))
		case len(n.items) < least:
			d.fail(n, at, "is empty: give it at least %d item", least)
		case most > 0 && len(n.items) > most:
			d.fail(n, at, "want at most %d items, got %d", most, len(n.items))
		}
		before := make(map[any]bool)
		for _, item := range n.items {
			if item.kind != scalar {
				continue
			}
			if info.rules["uniqueItems"] != nil && before[item.value] {
				d.fail(item, at, "%q occurs twice", fmt.Sprint(item.value))
			}
			before[item.value] = true
			d.constrainScalar(item, info, at)
		}
		return
	}
	d.constrainScalar(n, info, at)
}

func (d *decoder) constrainScalar(n *node, info *fieldInfo, at path) {
	if s, ok := n.value.(string); ok {
		switch enum, pattern := info.rules["enum"], info.rules["pattern"]; {
		case enum != nil && !slices.Contains(enum, s):
			d.fail(n, at, "unknown value %q%s", s, Hint(s, enum))
		case pattern != nil && !regexp.MustCompile(pattern[0]).MatchString(s):
			d.fail(n, at, "%q does not match %s", s, pattern[0])
		case len(s) < info.size("minLength"):
			d.fail(n, at, "must not be empty")
		case info.rules["maxLength"] != nil && len(s) > info.size("maxLength"):
			d.fail(n, at, "%d characters, more than %d", len(s), info.size("maxLength"))
		}
		return
	}
	if x, ok := record.Number(n.value); ok {
		if err := inRange(x, info.number("minimum"), info.number("exclusiveMinimum"), info.number("maximum")); err != nil {
			d.fail(n, at, "%s", err)
		}
	}
}
