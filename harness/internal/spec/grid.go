package spec

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"stochopt/internal/record"
	"stochopt/internal/whole"

	"github.com/invopop/jsonschema"
	"gopkg.in/yaml.v3"
)

// Grid is the ordered values of a parameter, each a bool, int64, float64 or
// string. In YAML it is a scalar, a list of scalars, or one of
//
//	{pow2: [lo, hi]}       2^lo, 2^(lo+1), …, 2^hi; also pow4 and pow10
//	{pow2: [lo, hi, s]}    every s-th of them, from 2^lo
//	{linspace: [a, b, n]}  n equidistant numbers from a to b
//
// Numbers are int64 if all numbers of the grid are integers, else float64. The
// nil Grid says nothing of the parameter.
type Grid []any

// bases maps the forms of grids that are powers to their bases.
var bases = map[string]int{"pow2": 2, "pow4": 4, "pow10": 10}

func isGridForm(key string) bool { return bases[key] != 0 || key == "linspace" }

func gridForms() []string {
	return append(slices.Sorted(maps.Keys(bases)), "linspace")
}

// decodeNode implements nodeDecoder.
func (g *Grid) decodeNode(d *decoder, n *node, at path) {
	values, err := d.gridValues(n, at)
	if err != nil {
		d.fail(n, at, "%s", err)
		return
	}
	values = normalise(values)
	seen := make(map[any]bool, len(values))
	for _, v := range values {
		if seen[v] {
			d.fail(n, at, "value %v occurs twice", v)
			return
		}
		seen[v] = true
	}
	*g = values
}

// gridValues returns nil after it has reported an error by itself.
func (d *decoder) gridValues(n *node, at path) ([]any, error) {
	switch n.kind {
	case scalar:
		if n.value == nil {
			return nil, fmt.Errorf("is empty: give it a value or remove the key")
		}
		return []any{n.value}, nil
	case sequence:
		if len(n.items) == 0 {
			return nil, fmt.Errorf("empty grid: give it at least one value")
		}
		values := make([]any, len(n.items))
		for i, item := range n.items {
			if item.kind != scalar || item.value == nil {
				return nil, fmt.Errorf("a grid lists single values, got %s", item.describe())
			}
			values[i] = item.value
		}
		return values, nil
	}
	for _, f := range n.fields {
		if !isGridForm(f.key) {
			d.failKey(f, at, "unknown grid %q%s", f.key, Hint(f.key, gridForms()))
			return nil, nil
		}
	}
	if len(n.fields) != 1 {
		return nil, fmt.Errorf("must be one grid, such as {pow2: [-4, 4]}, got %d", len(n.fields))
	}
	form, args := n.fields[0].key, n.fields[0].value
	numbers, err := args.numbers()
	if err != nil {
		return nil, fmt.Errorf("%s %w", form, err)
	}
	if form == "linspace" {
		return linspace(numbers)
	}
	return powers(form, bases[form], numbers)
}

// numbers returns the numbers of a list.
func (n *node) numbers() ([]float64, error) {
	if n.kind != sequence {
		return nil, fmt.Errorf("wants a list of numbers, got %s", n.describe())
	}
	xs := make([]float64, len(n.items))
	for i, item := range n.items {
		x, ok := record.Number(item.value)
		if item.kind != scalar || !ok {
			return nil, fmt.Errorf("wants numbers, got %s", item.describe())
		}
		xs[i] = x
	}
	return xs, nil
}

// maxExponent bounds the exponents of grids.
const maxExponent = 2000

func powers(form string, base int, args []float64) ([]any, error) {
	if len(args) != 2 && len(args) != 3 {
		return nil, fmt.Errorf("%s needs [lo, hi] or [lo, hi, stride], got %d numbers", form, len(args))
	}
	exponents := [3]int{2: 1}
	for i, x := range args {
		e, ok := whole.Of(x)
		if !ok || max(e, -e) > maxExponent {
			return nil, fmt.Errorf("%s wants integer exponents, got %v", form, x)
		}
		exponents[i] = int(e)
	}
	lo, hi, stride := exponents[0], exponents[1], exponents[2]
	if stride < 1 {
		return nil, fmt.Errorf("%s wants a stride of at least 1, got %d", form, stride)
	}
	if lo > hi {
		return nil, fmt.Errorf("empty grid: %s from %d to %d", form, lo, hi)
	}
	var values []any
	for e := lo; e <= hi; e += stride {
		v := power(base, e)
		if v == 0 || checkSize(v, v) != nil {
			return nil, fmt.Errorf("%d^%d is out of the range of numbers, from %v to %v", base, e, leastNumber, mostNumber)
		}
		values = append(values, v)
	}
	return values, nil
}

// power returns base^e, correctly rounded, for the bases of grids.
func power(base, e int) float64 {
	switch base {
	case 2:
		return math.Ldexp(1, e)
	case 4:
		return math.Ldexp(1, 2*e)
	}
	v, err := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
	if err != nil {
		return math.Inf(1)
	}
	return v
}

func linspace(args []float64) ([]any, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("linspace needs [from, to, count], got %d numbers", len(args))
	}
	a, b := args[0], args[1]
	n, ok := whole.Of(args[2])
	switch {
	case args[2] <= 0:
		return nil, fmt.Errorf("empty grid: linspace with %v values", args[2])
	case !ok || n < 2 || n > maxGrid:
		return nil, fmt.Errorf("linspace wants a count from 2 to %d, got %v", maxGrid, args[2])
	}
	values := make([]any, n)
	for i := range values {
		// The conversions keep the compiler from fusing, which would make the
		// bits depend on the architecture.
		values[i] = a + float64(float64(i)*(b-a))/float64(n-1)
	}
	values[n-1] = b
	return values, nil
}

// normalise returns the values with all numbers int64 if all are integers, and
// else all float64.
func normalise(values []any) []any {
	out := slices.Clone(values)
	integers := true
	for i, v := range out {
		out[i] = normaliseScalar(v)
		if _, ok := out[i].(float64); ok {
			integers = false
		}
	}
	if !integers {
		for i, v := range out {
			if x, ok := v.(int64); ok {
				out[i] = float64(x)
			}
		}
	}
	return out
}

// normaliseScalar returns integers as int64 where they fit, other numbers as
// float64, and anything else as it is.
func normaliseScalar(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case uint64:
		return float64(v) // the YAML reader returns it for what is above int64
	case float64:
		if n, ok := whole.Of(v); ok {
			return n
		}
	}
	return v
}

// MarshalYAML implements yaml.Marshaler: one value is written as a scalar,
// several as a list in one line.
func (g Grid) MarshalYAML() (any, error) {
	var n yaml.Node
	if len(g) == 1 {
		return &n, n.Encode(g[0])
	}
	err := n.Encode([]any(g))
	n.Style = yaml.FlowStyle
	return &n, err
}

// JSONSchema describes the forms of a grid.
func (Grid) JSONSchema() *jsonschema.Schema {
	numbers := func(least, most uint64) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "number"}, MinItems: &least, MaxItems: &most}
	}
	one := uint64(1)
	forms := &jsonschema.Schema{Type: "object", AdditionalProperties: jsonschema.FalseSchema,
		MinProperties: &one, MaxProperties: &one, Properties: jsonschema.NewProperties()}
	for _, form := range gridForms() {
		if form == "linspace" {
			forms.Properties.Set(form, numbers(3, 3))
		} else {
			forms.Properties.Set(form, numbers(2, 3))
		}
	}
	return &jsonschema.Schema{
		Description: "One value, a list of values, {pow2: [lo, hi]} or {pow2: [lo, hi, stride]} (also pow4, pow10), or {linspace: [from, to, count]}.",
		AnyOf: []*jsonschema.Schema{
			scalarSchema(),
			{Type: "array", Items: scalarSchema(), MinItems: &one, UniqueItems: true},
			forms,
		},
	}
}

func scalarSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "number"}, {Type: "string"}, {Type: "boolean"},
	}}
}

// Label names a column: by the text in the header, or by its number.
type Label string

// decodeNode implements nodeDecoder.
func (l *Label) decodeNode(d *decoder, n *node, at path) {
	switch v := n.value.(type) {
	case string:
		*l = Label(v)
	case int64:
		*l = Label(strconv.FormatInt(v, 10))
	default:
		d.fail(n, at, "must be the name or the number of a column, got %s", n.describe())
	}
}

// JSONSchema describes a label column.
func (Label) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}}
}
