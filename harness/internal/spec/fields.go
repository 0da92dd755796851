package spec

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stochopt/results/record"
)

// fieldInfo is a struct field as the decoder sees it. Its tags say the same to
// the decoder and to the JSON schema: a field is required unless its yaml tag
// says omitempty, and its jsonschema tag says what values are in range.
type fieldInfo struct {
	name     string
	index    []int
	required bool

	enum         []string
	pattern      *regexp.Regexp
	minimum      *float64
	exclusive    *float64 // lower bound that is itself out of range
	maximum      *float64
	minItems     int
	maxItems     int
	minLength    int
	uniqueValues bool
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
		info := fieldInfo{name: name, index: []int{i}, required: !strings.Contains(options, "omitempty")}
		info.constraints(f.Tag.Get("jsonschema"))
		list = append(list, info)
	}
	return list
}

func (info *fieldInfo) constraints(tag string) {
	for _, word := range strings.Split(tag, ",") {
		key, value, _ := strings.Cut(word, "=")
		number := func() *float64 {
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				panic("spec: bad jsonschema tag " + word)
			}
			return &x
		}
		switch key {
		case "enum":
			info.enum = append(info.enum, value)
		case "pattern":
			info.pattern = regexp.MustCompile(value)
		case "minimum":
			info.minimum = number()
		case "exclusiveMinimum":
			info.exclusive = number()
		case "maximum":
			info.maximum = number()
		case "minItems":
			info.minItems = int(*number())
		case "maxItems":
			info.maxItems = int(*number())
		case "minLength":
			info.minLength = int(*number())
		case "uniqueItems":
			info.uniqueValues = true
		}
	}
}

// constrain reports values that are of the right type but out of range.
func (d *decoder) constrain(n *node, info *fieldInfo, at path) {
	if n.kind == sequence {
		switch least, most := info.minItems, info.maxItems; {
		case least > 0 && least == most && len(n.items) != least:
			d.fail(n, at, "want %d items, got %d", least, len(n.items))
		case len(n.items) < least:
			d.fail(n, at, "is empty: give it at least %d item", least)
		case most > 0 && len(n.items) > most:
			d.fail(n, at, "want at most %d items, got %d", most, len(n.items))
		}
		var before []any
		for _, item := range n.items {
			if item.kind != scalar {
				continue
			}
			if info.uniqueValues && slices.Contains(before, item.value) {
				d.fail(item, at, "%q occurs twice", fmt.Sprint(item.value))
			}
			before = append(before, item.value)
			d.constrainScalar(item, info, at)
		}
		return
	}
	d.constrainScalar(n, info, at)
}

func (d *decoder) constrainScalar(n *node, info *fieldInfo, at path) {
	if s, ok := n.value.(string); ok {
		switch {
		case len(info.enum) > 0 && !slices.Contains(info.enum, s):
			d.fail(n, at, "unknown value %q%s", s, Hint(s, info.enum))
		case info.pattern != nil && !info.pattern.MatchString(s):
			d.fail(n, at, "%q does not match %s", s, info.pattern)
		case len(s) < info.minLength:
			d.fail(n, at, "must not be empty")
		}
		return
	}
	if x, ok := record.Number(n.value); ok {
		if err := inRange(x, info.minimum, info.exclusive, info.maximum); err != nil {
			d.fail(n, at, "%s", err)
		}
	}
}
