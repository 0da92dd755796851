package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// params reads the `with:` parameters of a Ref. Values come from YAML or JSON,
// so a whole number may arrive as int or float64.
type params map[string]any

// check refuses parameters that are not among known.
func (p params) check(known ...string) error {
	for _, k := range slices.Sorted(maps.Keys(p)) {
		if !slices.Contains(known, k) {
			return unknown("parameter", k, known)
		}
	}
	return nil
}

func (p params) integer(key string, def, lo, hi int) (int, error) {
	v, ok := p[key]
	if !ok {
		return def, nil
	}
	n := def
	switch v := v.(type) {
	case int:
		n = v
	case int64:
		n = int(v)
	case uint64:
		if v > math.MaxInt {
			return 0, fmt.Errorf("parameter %s: %d is out of range [%d, %d]", key, v, lo, hi)
		}
		n = int(v)
	case float64:
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return 0, fmt.Errorf("parameter %s: %v is not a whole number", key, v)
		}
		n = int(v)
	default:
		return 0, fmt.Errorf("parameter %s: %v (%T) is not a whole number", key, v, v)
	}
	if n < lo || n > hi {
		return 0, fmt.Errorf("parameter %s: %d is out of range [%d, %d]", key, n, lo, hi)
	}
	return n, nil
}

func (p params) positive(key string, def float64) (float64, error) {
	x, err := p.number(key, def)
	if err == nil && !(x > 0) {
		err = fmt.Errorf("parameter %s: %v is not a positive finite number", key, x)
	}
	return x, err
}

// within is number restricted to [lo, hi].
func (p params) within(key string, def, lo, hi float64) (float64, error) {
	x, err := p.number(key, def)
	if err == nil && !(x >= lo && x <= hi) {
		err = fmt.Errorf("parameter %s: %v is out of range [%v, %v]", key, x, lo, hi)
	}
	return x, err
}

// number reads a finite number.
func (p params) number(key string, def float64) (float64, error) {
	v, ok := p[key]
	if !ok {
		return def, nil
	}
	x := def
	switch v := v.(type) {
	case float64:
		x = v
	case int:
		x = float64(v)
	case int64:
		x = float64(v)
	case uint64:
		x = float64(v)
	default:
		return 0, fmt.Errorf("parameter %s: %v (%T) is not a number", key, v, v)
	}
	if !finite(x) {
		return 0, fmt.Errorf("parameter %s: %v is not a finite number", key, x)
	}
	return x, nil
}

func (p params) text(key, def string) (string, error) {
	v, ok := p[key]
	if !ok {
		return def, nil
	}
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("parameter %s: %v (%T) is not a text", key, v, v)
	}
	return s, nil
}

// choice is text restricted to the given values.
func (p params) choice(key, def string, values []string) (string, error) {
	s, err := p.text(key, def)
	if err != nil {
		return "", err
	}
	if !slices.Contains(values, s) {
		return "", fmt.Errorf("parameter %s: %w", key, unknown("value", s, values))
	}
	return s, nil
}
