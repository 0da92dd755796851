package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"stochopt/internal/finite"
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
	// Min and Max bound numbers, both inclusive; every number has both.
	Min, Max *float64
	// Doc is a phrase for the user.
	Doc string
}

// Params returns the parameters that Ref.With may have: those of a generator, of the
// format of a file, or else of an entry of the manifest.
func Params(source string) []Param {
	out := map[string][]Param{"csv": csvParams, "idx": idxParams, "libsvm": {}}[source]
	if g := findGenerator(source); g != nil {
		out = g.params
	} else if out == nil {
		out = entryParams
	}
	out = slices.Clone(out)
	for i, p := range out {
		if p.Default != nil {
			out[i].Doc += fmt.Sprintf(", %v if absent", p.Default)
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

func (v values) int(name string) int       { return int(v[name].(float64)) }
func (v values) float(name string) float64 { return v[name].(float64) }

// text returns a parameter that is a text, "" if it is not given.
func (v values) text(name string) string {
	s, _ := v[name].(string)
	return s
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

// plain writes a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// value returns v as a bool, a string or, for both kinds of numbers, a float64.
func (p *Param) value(v any) (any, error) {
	kind := map[string]string{"bool": "true or false", "string": "a text", "int": "a whole number", "float": "a number"}[p.Kind]
	number := v
	switch x := v.(type) {
	case int:
		number = float64(x)
	case int64:
		number = float64(x)
	}
	switch x := number.(type) {
	case bool:
		if p.Kind == "bool" {
			return x, nil
		}
	case string:
		if p.Kind != "string" {
			break
		}
		if p.Choices != nil && !slices.Contains(p.Choices, x) {
			return nil, unknown("value", x, p.Choices)
		}
		return x, nil
	case float64:
		switch whole := p.Kind == "int"; {
		case !whole && p.Kind != "float":
		case !finite.Is(x):
			return nil, fmt.Errorf("%v is not a finite number", x)
		case whole && x != math.Trunc(x):
			return nil, fmt.Errorf("%v is not a whole number", x)
		case x < *p.Min || x > *p.Max:
			return nil, fmt.Errorf("%s is out of range [%s, %s]", plain(x), plain(*p.Min), plain(*p.Max))
		default:
			return x, nil
		}
	}
	return nil, fmt.Errorf("%v (%T) is not %s", v, v, kind)
}
