package datasets

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/whole"
)

// Param declares a parameter of Ref.With.
type Param struct {
	Name string
	// Kind is "bool", "int", "float" or "string".
	Kind string
	// Required parameters must be given.
	Required bool
	// Default is the value of a parameter that is not given; nil leaves it out.
	Default any
	// Choices, if any, lists the values that a string may have.
	Choices []string
	// Min and Max bound numbers, both inclusive; nil means no bound.
	Min, Max *float64
	// Doc is a phrase for the user.
	Doc string

	// most is a bound that memory and arithmetic set to the size of a number.
	most float64
}

// Params returns the parameters that Ref.With may have: those of a generator, of the
// format of a file, or else of an entry of the manifest.
func Params(source string) []Param {
	var out []Param
	switch g := findGenerator(source); {
	case g != nil:
		out = slices.Clone(g.params)
	case source == "csv":
		out = slices.Clone(csvParams)
	case source == "idx":
		out = slices.Clone(idxParams)
	case source != "libsvm":
		out = slices.Clone(entryParams)
	}
	for i, p := range out {
		if p.Default != nil {
			out[i].Doc += fmt.Sprintf(", %v if absent", p.Default)
		}
		if p.most > 0 && p.Max == nil {
			out[i].Max = bound(p.most)
		}
		if p.most > 0 && p.Min == nil {
			out[i].Min = bound(-p.most)
		}
	}
	return out
}

var (
	entryParams = []Param{
		{Name: "part", Kind: "string", Doc: "which part of the dataset: train, test or all"},
		{Name: "variant", Kind: "string", Doc: "which variant of the dataset"},
	}
	csvParams = []Param{
		{Name: "header", Kind: "bool", Doc: "whether the first line names the columns; if absent, its content decides"},
		{Name: "delimiter", Kind: "string", Doc: "the character between fields, a comma if absent"},
		{Name: "ignore", Kind: "string", Doc: "columns that are no features, such as an id, by name or number, with commas between"},
		{Name: "missing", Kind: "string", Choices: missings, Doc: "what to do about rows with an empty field, NA, N/A, NaN, null or ?: error if absent, or skip them"},
	}
	idxParams = []Param{
		{Name: "labels", Kind: "string", Doc: "path of the file of labels"},
		{Name: "test_labels", Kind: "string", Doc: "path of the file of labels of the file that test names"},
	}
)

func bound(v float64) *float64 { return &v }

func paramNames(declared []Param) []string {
	return names(declared, func(p *Param) string { return p.Name })
}

// values are the values of parameters that were declared.
type values map[string]any

func (v values) int(name string) int       { return v[name].(int) }
func (v values) float(name string) float64 { return v[name].(float64) }
func (v values) text(name, def string) string {
	if s, ok := v[name].(string); ok {
		return s
	}
	return def
}

// readParams returns the values of declared parameters, which come from YAML or
// JSON, so that a whole number may arrive as int or float64.
func readParams(with map[string]any, declared []Param) (values, error) {
	for _, k := range slices.Sorted(maps.Keys(with)) {
		if names := paramNames(declared); !slices.Contains(names, k) {
			return nil, unknown("parameter", k, names)
		}
	}
	out := values{}
	for _, p := range declared {
		v, ok := with[p.Name]
		switch {
		case !ok && p.Required:
			return nil, fmt.Errorf("parameter %s is missing: the %s", p.Name, p.Doc)
		case !ok && p.Default == nil:
			continue
		case !ok:
			v = p.Default
		}
		v, err := p.value(v)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		out[p.Name] = v
	}
	return out, nil
}

// value returns v as the parameter's kind: bool, int, float64 or string.
func (p *Param) value(v any) (any, error) {
	if p.Kind == "bool" {
		if _, ok := v.(bool); !ok {
			return nil, fmt.Errorf("%v (%T) is neither true nor false", v, v)
		}
		return v, nil
	}
	if p.Kind == "string" {
		s, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("%v (%T) is not a text", v, v)
		}
		if p.Choices != nil && !slices.Contains(p.Choices, s) {
			return nil, unknown("value", s, p.Choices)
		}
		return s, nil
	}
	integer := p.Kind == "int"
	var x float64
	switch v := v.(type) {
	case float64:
		x = v
	case int:
		x = float64(v)
	case int64:
		x = float64(v)
	default:
		return nil, fmt.Errorf("%v (%T) is not a %s", v, v, map[bool]string{true: "whole number", false: "number"}[integer])
	}
	lo, hi := -cmp.Or(p.most, math.MaxFloat64), cmp.Or(p.most, math.MaxFloat64)
	if p.Min != nil {
		lo = *p.Min
	}
	if p.Max != nil {
		hi = *p.Max
	}
	outside := x < lo || x > hi
	switch {
	case integer && x != math.Trunc(x):
		return nil, fmt.Errorf("%v is not a whole number", v)
	case !finite.Is(x):
		return nil, fmt.Errorf("%v is not a finite number", v)
	case integer && outside:
		return nil, fmt.Errorf("%v is out of range [%d, %d]", v, whole.Within(lo, -whole.Most, whole.Most), whole.Within(hi, -whole.Most, whole.Most))
	case outside:
		return nil, fmt.Errorf("%v is out of range [%v, %v]", v, lo, hi)
	case integer:
		return whole.Within(x, -whole.Most, whole.Most), nil
	}
	return x, nil
}
