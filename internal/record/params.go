package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/finite"
)

// MarshalJSON encodes p with sorted keys. A float64 always has a decimal point or an exponent ("1.0",
// "0.5", "1e-06") and an int64 never has one, so that round trips keep types and bytes.
func (p Params) MarshalJSON() ([]byte, error) {
	buf := []byte{'{'}
	for i, name := range p.Names() {
		if i > 0 {
			buf = append(buf, ',')
		}
		text, err := encodeLine(name)
		if err != nil {
			return nil, err
		}
		buf = append(append(buf, text...), ':')
		switch v := p[name].(type) {
		case bool, int64, string:
			if text, err = encodeLine(v); err != nil {
				return nil, err
			}
			buf = append(buf, text...)
		case float64:
			if !finite.Is(v) {
				return nil, fmt.Errorf("parameter %q is %v; it must be finite", name, v)
			}
			start := len(buf)
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
			if !bytes.ContainsAny(buf[start:], ".e") {
				buf = append(buf, ".0"...)
			}
		default:
			return nil, fmt.Errorf("parameter %q is of type %T; it must be a bool, int64, float64 or string", name, v)
		}
	}
	return append(buf, '}'), nil
}

// UnmarshalJSON decodes an object of scalars. A number with a decimal point or an exponent becomes
// a float64, any other an int64.
func (p *Params) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var raw map[string]any
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	out := make(Params, len(raw))
	for name, v := range raw {
		switch v := v.(type) {
		case bool, string:
			out[name] = v
		case json.Number:
			n, err := parseNumber(v.String())
			if err != nil {
				return fmt.Errorf("parameter %q: %w", name, err)
			}
			out[name] = n
		default:
			return fmt.Errorf("parameter %q is %v; it must be a bool, number or string", name, v)
		}
	}
	*p = out
	return nil
}

func parseNumber(s string) (any, error) {
	if strings.ContainsAny(s, ".eE") {
		return strconv.ParseFloat(s, 64)
	}
	return strconv.ParseInt(s, 10, 64)
}

// Names returns the parameter names, sorted.
func (p Params) Names() []string { return slices.Sorted(maps.Keys(p)) }

// String returns the canonical label "a=1;b=2" with sorted names. Equal integers and floats have the
// same text. Ambiguous strings are quoted.
func (p Params) String() string {
	parts := p.Names()
	for i, name := range parts {
		parts[i] = name + "=" + FormatParam(p[name])
	}
	return strings.Join(parts, ";")
}

// FormatParam returns the text of a parameter value in Params.String.
func FormatParam(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return formatNumber(v)
	case string:
		_, numErr := strconv.ParseFloat(v, 64)
		if v == "" || numErr == nil || v == "true" || v == "false" || strings.ContainsAny(v, ";=\"[], \t\r\n") {
			return strconv.Quote(v)
		}
		return v
	default:
		return fmt.Sprint(v)
	}
}

// formatNumber writes whole numbers without a point or an exponent.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return formatFloat(v)
}

// Split returns the named parameters and the other parameters.
func (p Params) Split(names []string) (in, out Params) {
	in, out = Params{}, Params{}
	for name, v := range p {
		if slices.Contains(names, name) {
			in[name] = v
		} else {
			out[name] = v
		}
	}
	return in, out
}

func (p Params) validate() error {
	if _, ok := p[""]; ok {
		return errors.New("a parameter has an empty name")
	}
	_, err := p.MarshalJSON()
	return err
}

// formatFloat returns the shortest text that parses as v.
func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Variables of a run that are not parameters.
const (
	VarDataset   = "dataset"
	VarGroup     = "group"
	VarSeries    = "series"
	VarAlgorithm = "algorithm"
)

// Value returns the value of a variable: "dataset", "group" (the dataset if it is empty), "series",
// "algorithm", or a parameter. It is nil if the run has no such parameter.
func (r *Run) Value(name string) any {
	switch name {
	case VarDataset:
		return r.Dataset
	case VarGroup:
		return cmp.Or(r.Group, r.Dataset)
	case VarSeries:
		return r.Series
	case VarAlgorithm:
		return r.Algorithm
	default:
		return r.Params[name]
	}
}

// Number returns the named fact or numeric parameter of the run.
func (r *Run) Number(name string) (float64, bool) {
	if v, ok := r.Facts[name]; ok {
		return v, true
	}
	return Number(r.Params[name])
}

// Number converts v to float64 if it is a number of a type that YAML or records contain.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// FormatValue returns the text of a variable's value, without quotes; "" for nil. Equal numbers have
// equal texts.
func FormatValue(v any) string {
	if x, ok := Number(v); ok {
		return formatNumber(x)
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
