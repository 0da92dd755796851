package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"stochopt/harness/internal/seed"
	"stochopt/internal/record"
	"stochopt/internal/whole"

	"github.com/invopop/jsonschema"
	"gopkg.in/yaml.v3"
)

// Grid is the list of values of a parameter, each a bool, int64, float64 or string. In YAML it is a scalar, a list
// of scalars, or one of
//
//	{pow2: [lo, hi]}                2^lo, 2^(lo+1), …, 2^hi; also pow4 and pow10
//	{pow2: [lo, hi, s]}             every s-th of these, from 2^lo
//	{linspace: [a, b, n]}           n equidistant numbers from a to b
//	{loguniform: [a, b], count: n}  n random numbers between a and b, uniform in their logarithms
//
// The numbers are int64 if all of them are integers, otherwise float64. A nil Grid leaves the parameter unset.
type Grid []any

// bases has the bases of grids of powers.
var bases = map[string]float64{"pow2": 2, "pow4": 4, "pow10": 10}

const (
	linspace   = "linspace"
	loguniform = "loguniform"
	countKey   = "count" // of loguniform
)

// gridForms are the forms of grids that are mappings. gridKeys are the keys of these mappings.
var (
	gridForms = []string{"pow10", "pow2", "pow4", linspace, loguniform}
	gridKeys  = append(slices.Clone(gridForms), countKey)
)

// decodeNode implements nodeDecoder.
func (g *Grid) decodeNode(d *decoder, n *node, p path) error {
	values, err := n.gridValues(d, p)
	if err != nil {
		return err
	}
	*g = normalise(values)
	seen := make(map[any]bool, len(values))
	for _, v := range *g {
		if seen[v] {
			return fmt.Errorf("value %v occurs twice", v)
		}
		seen[v] = true
	}
	return nil
}

func (n *node) gridValues(d *decoder, p path) ([]any, error) {
	switch {
	case n.kind == scalar && n.value == nil:
		return nil, errors.New("is empty: give it a value or remove the key")
	case n.kind == scalar:
		return []any{n.value}, nil
	case n.kind == sequence && len(n.items) == 0:
		return nil, errors.New("empty grid: give it at least one value")
	case n.kind == sequence:
		values := make([]any, len(n.items))
		for i, item := range n.items {
			if values[i] = item.value; values[i] == nil {
				return nil, fmt.Errorf("a grid lists single values, got %s", item.describe())
			}
		}
		return values, nil
	}
	for _, f := range n.fields {
		if !slices.Contains(gridKeys, f.key) {
			d.failKey(p.in(f.key), "unknown grid%s", Hint(f.key, gridKeys))
			return nil, errors.New("") // fail drops this error, because the key is reported
		}
	}
	random, counted := n.get(loguniform) != nil, n.get(countKey) != nil
	validRandom := random && counted && len(n.fields) == 2
	validFixed := !random && !counted && len(n.fields) == 1
	if !validRandom && !validFixed {
		return nil, errors.New("must be one grid, such as {pow2: [-4, 4]} or {loguniform: [0.01, 10], count: 8}")
	}
	isForm := func(f field) bool { return f.key != countKey }
	form := n.fields[slices.IndexFunc(n.fields, isForm)]
	numbers, err := form.value.numbers()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %w", form.key, err)
	case random:
		return randomNumbers(numbers, n.get(countKey).value, d.seed, p)
	case form.key == linspace:
		return equidistant(numbers)
	}
	return powers(form.key, numbers)
}

// numbers returns the numbers of a list.
func (n *node) numbers() ([]float64, error) {
	if n.kind != sequence {
		return nil, fmt.Errorf("wants a list of numbers, got %s", n.describe())
	}
	xs := make([]float64, len(n.items))
	for i, item := range n.items {
		x, ok := record.Number(item.value)
		if !ok {
			return nil, fmt.Errorf("wants numbers, got %s", item.describe())
		}
		xs[i] = x
	}
	return xs, nil
}

func powers(form string, args []float64) ([]any, error) {
	if len(args) != 2 && len(args) != 3 {
		return nil, fmt.Errorf("%s needs [lo, hi] or [lo, hi, stride], got %d numbers", form, len(args))
	}
	base, lo, hi, stride := bases[form], args[0], args[1], append(args, 1)[2]
	fraction := func(x float64) bool { return x != math.Trunc(x) }
	switch {
	case slices.ContainsFunc(args, fraction) || stride < 1:
		return nil, fmt.Errorf("%s wants integer exponents and a stride of at least 1, got %v", form, args)
	case lo > hi:
		return nil, fmt.Errorf("empty grid: %s from %v to %v", form, lo, hi)
	case max(-lo, hi)*math.Log10(base) > math.Log10(maxNumber):
		return nil, fmt.Errorf("%s from %v to %v exceeds %v or its inverse", form, lo, hi, maxNumber)
	}
	var values []any
	for e := lo; e <= hi; e += stride {
		values = append(values, power(base, int(e)))
	}
	return values, nil
}

// power returns base^e, correctly rounded, for the bases of grids.
func power(base float64, e int) float64 {
	if base < 10 {
		return math.Ldexp(1, e*int(math.Log2(base)))
	}
	v, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64) // e is in range
	return v
}

// checkCount returns the number of values of a grid, from least to maxItems, as an integer.
func checkCount(form string, count any, least int64) (int64, error) {
	n, ok := normaliseScalar(count).(int64)
	if !ok || n < least || n > maxItems {
		return 0, fmt.Errorf("%s wants a count from %d to %d, got %v", form, least, maxItems, count)
	}
	return n, nil
}

func equidistant(args []float64) ([]any, error) {
	if len(args) != 3 {
		return nil, fmt.Errorf("linspace needs [from, to, count], got %d numbers", len(args))
	}
	a, b := args[0], args[1]
	n, err := checkCount(linspace, args[2], 2)
	if err != nil {
		return nil, err
	}
	values := make([]any, n)
	for i := range values {
		// The conversion of the product prevents fused multiply-add, whose bits depend on the architecture.
		values[i] = a + float64(float64(i)*(b-a))/float64(n-1)
	}
	values[n-1] = b
	return values, nil
}

// randomNumbers returns random numbers in increasing order. The random stream depends on the name of the parameter,
// so algorithms with the same grid of a parameter get the same values.
func randomNumbers(args []float64, count any, root uint64, p path) ([]any, error) {
	if len(args) != 2 || !(0 < args[0] && args[0] < args[1]) {
		return nil, errors.New("loguniform needs [from, to] with 0 < from < to")
	}
	n, err := checkCount(loguniform, count, 1)
	if err != nil {
		return nil, err
	}
	keys := p.components()
	name := keys[len(keys)-1]
	if keys[len(keys)-2] == "step" {
		name = stepPrefix + name
	}
	rng := seed.Stream(root, "", "", 0, "grid "+name)
	lo, hi := math.Log(args[0]), math.Log(args[1])
	values := make([]float64, n)
	for i := range values {
		// Rounding hides differences in the last bit of Exp between architectures.
		text := strconv.FormatFloat(math.Exp(lo+float64(rng.Float64()*(hi-lo))), 'g', 6, 64)
		values[i], _ = strconv.ParseFloat(text, 64)
		values[i] = min(max(values[i], args[0]), args[1])
	}
	slices.Sort(values)
	return anys(values), nil
}

// normalise converts all numbers to int64 if all of them are integers, otherwise to float64.
func normalise(values []any) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = normaliseScalar(v)
	}
	isFloat := func(v any) bool { _, ok := v.(float64); return ok }
	if slices.ContainsFunc(out, isFloat) {
		for i, v := range out {
			if x, ok := v.(int64); ok {
				out[i] = float64(x)
			}
		}
	}
	return out
}

// normaliseScalar converts integers to int64 if they fit, and other numbers to float64.
func normaliseScalar(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case uint64:
		return float64(v) // the YAML reader returns uint64 for integers above int64
	case float64:
		if n, ok := whole.Of(v); ok {
			return n
		}
	}
	return v
}

// MarshalYAML implements yaml.Marshaler. It writes one value as a scalar and several as a list on one line.
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
	one := uint64(1)
	forms := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
		DependentRequired:    map[string][]string{loguniform: {countKey}, countKey: {loguniform}}}
	sizes := map[string][2]uint64{"pow10": {2, 3}, "pow2": {2, 3}, "pow4": {2, 3}, linspace: {3, 3}, loguniform: {2, 2}}
	for _, form := range gridForms {
		least, most := sizes[form][0], sizes[form][1]
		number := &jsonschema.Schema{Type: "number"}
		forms.Properties.Set(form, &jsonschema.Schema{Type: "array", Items: number, MinItems: &least, MaxItems: &most})
		forms.OneOf = append(forms.OneOf, &jsonschema.Schema{Required: []string{form}})
	}
	count := &jsonschema.Schema{Type: "integer", Minimum: "1", Maximum: json.Number(strconv.Itoa(maxItems))}
	forms.Properties.Set(countKey, count)
	return &jsonschema.Schema{
		Description: "One value, a list of values, {pow2: [lo, hi]} or {pow2: [lo, hi, stride]} (also pow4, pow10), " +
			"{linspace: [from, to, count]}, or {loguniform: [from, to], count: n}. The last has random values from the seed.",
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

// Label identifies a column by its text in the header or by its number.
type Label string

// decodeNode implements nodeDecoder.
func (l *Label) decodeNode(_ *decoder, n *node, _ path) error {
	switch v := n.value.(type) {
	case string:
		*l = Label(v)
	case int64:
		*l = Label(strconv.FormatInt(v, 10))
	default:
		return fmt.Errorf("must be the name or the number of a column, got %s", n.describe())
	}
	return nil
}

// JSONSchema describes a label column.
func (Label) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "integer"}}}
}
