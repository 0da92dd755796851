package spec

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/record"
	"stochopt/plots"
)

// decoder fills Go values from nodes, strictly. It reports every mistake and
// goes on. yaml.Node.Decode would not do: it forgets KnownFields, stops at
// duplicate keys and reports lines without columns.
type decoder struct {
	rep *reporter
	// catalog knows the parameters that a misplaced key may be; nil for none.
	catalog *Catalog
	// around holds the types of the mappings that the one being decoded is in.
	around []reflect.Type
	// partial says that required keys may be missing, as in a profile.
	partial bool
	// places holds where the value at each path was written, by path.raw.
	places map[string]place
}

// path addresses a value: raw by keys and indices, label as messages show it,
// with the ids of list items.
type path struct{ raw, label string }

// place is where a value, and its key if it has one, was written.
type place struct {
	label      string
	key, value Position
}

// nodeDecoder is implemented by types with forms of their own in YAML.
type nodeDecoder interface {
	decodeNode(d *decoder, n *node, at path)
}

// sep separates the components of raw paths.
const sep = "\x00"

func rawPath(components ...string) string { return strings.Join(components, sep) }

func (p path) child(raw, label string) path {
	if p.raw != "" {
		raw = p.raw + sep + raw
	}
	if p.label != "" && !strings.HasPrefix(label, "[") {
		label = p.label + "." + label
	} else {
		label = p.label + label
	}
	return path{raw, label}
}

// fail reports a mistake at a value.
func (d *decoder) fail(n *node, at path, format string, args ...any) {
	d.report(n.pos, at, format, args...)
	d.rep.bad = append(d.rep.bad, at.raw)
}

// failKey reports a mistake at a key, present or not, of the mapping at the
// path.
func (d *decoder) failKey(f field, at path, format string, args ...any) {
	d.report(f.pos, at, format, args...)
	d.rep.bad = append(d.rep.bad, at.child(f.key, "").raw)
}

func (d *decoder) report(pos Position, at path, format string, args ...any) {
	if at.label != "" {
		format, args = "%s: "+format, append([]any{at.label}, args...)
	}
	d.rep.at(pos, format, args...)
}

var (
	facetType    = reflect.TypeFor[plots.Facet]()
	valueType    = reflect.TypeFor[claims.Value]()
	positionType = reflect.TypeFor[Position]()
)

// decode fills v from n. v must be settable.
func (d *decoder) decode(n *node, v reflect.Value, at path) {
	if custom, ok := v.Addr().Interface().(nodeDecoder); ok {
		custom.decodeNode(d, n, at)
		return
	}
	if cols, ok := n.value.(string); ok && v.Type() == facetType {
		v.Set(reflect.ValueOf(plots.Facet{Cols: cols}))
		return
	}
	if x, number := record.Number(n.value); number && v.Type() == valueType {
		v.Set(reflect.ValueOf(claims.Value{Is: &x}))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		target := reflect.New(v.Type().Elem())
		d.decode(n, target.Elem(), at)
		v.Set(target)
	case reflect.Struct:
		if d.want(n, mapping, "a mapping", at) {
			d.decodeStruct(n, v, at)
		}
	case reflect.Map:
		if d.want(n, mapping, "a mapping", at) && len(n.fields) > 0 {
			d.decodeMap(n, v, at)
		}
	case reflect.Slice:
		if d.want(n, sequence, "a list", at) && len(n.items) > 0 {
			d.decodeSlice(n, v, at)
		}
	case reflect.Interface:
		if x := n.plain(); x != nil {
			v.Set(reflect.ValueOf(x))
		} else {
			d.fail(n, at, "is empty: give it a value or remove the key")
		}
	default:
		d.decodeScalar(n, v, at)
	}
}

// want reports anything else than a node of the kind.
func (d *decoder) want(n *node, k kind, name string, at path) bool {
	if n.kind != k {
		d.fail(n, at, "want %s, got %s", name, n.describe())
	}
	return n.kind == k
}

func (d *decoder) decodeStruct(n *node, v reflect.Value, at path) {
	fields := structFields(v.Type())
	nameOf := func(f fieldInfo) string { return f.name }
	for _, f := range n.fields {
		info := find(fields, f.key, nameOf)
		if info == nil {
			d.failKey(f, at, "unknown key %q%s", f.key, d.keyHint(f.key, names(fields, nameOf), v.Type(), at))
			continue
		}
		next := at.child(f.key, f.key)
		d.places[next.raw] = place{next.label, f.pos, f.value.pos}
		before := len(d.rep.bad)
		d.around = append(d.around, v.Type())
		d.decode(f.value, v.FieldByIndex(info.index), next)
		d.around = d.around[:len(d.around)-1]
		if len(d.rep.bad) == before {
			d.constrain(f.value, info, next)
		}
	}
	for _, info := range fields {
		if info.required && !d.partial && n.get(info.name) == nil {
			d.failKey(field{key: info.name, pos: n.pos}, at, "missing key %q", info.name)
		}
	}
	if pos := v.FieldByName("Pos"); pos.IsValid() && pos.Type() == positionType {
		pos.Set(reflect.ValueOf(n.pos))
	}
}

func (d *decoder) decodeMap(n *node, v reflect.Value, at path) {
	v.Set(reflect.MakeMap(v.Type()))
	for _, f := range n.fields {
		next := at.child(f.key, f.key)
		d.places[next.raw] = place{next.label, f.pos, f.value.pos}
		elem := reflect.New(v.Type().Elem()).Elem()
		d.decode(f.value, elem, next)
		v.SetMapIndex(reflect.ValueOf(f.key), elem)
	}
}

func (d *decoder) decodeSlice(n *node, v reflect.Value, at path) {
	v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	for i, item := range n.items {
		label := item.identity()
		if label == "" {
			label = "[" + strconv.Itoa(i) + "]"
		}
		next := at.child(strconv.Itoa(i), label)
		d.places[next.raw] = place{next.label, item.pos, item.pos}
		if v.Index(i).Kind() == reflect.Pointer && item.kind == scalar && item.value == nil {
			continue // an item that may be left open
		}
		d.decode(item, v.Index(i), next)
	}
}

func (d *decoder) decodeScalar(n *node, v reflect.Value, at path) {
	if n.kind == scalar && n.value == nil {
		d.fail(n, at, "is empty: give it a value or remove the key")
		return
	}
	kind := kinds[v.Kind()]
	switch {
	case kind == "":
		panic("spec: field type " + v.Type().String() + " is not supported")
	case kind == "int":
		d.decodeInteger(n, v, at)
		return
	}
	x, err := coerce(kind, n.value, n.describe())
	switch {
	case err == nil:
		v.Set(reflect.ValueOf(x).Convert(v.Type()))
	case kind == "string" && n.kind == scalar:
		d.fail(n, at, "%s (quote it if it is meant as text)", err)
	default:
		d.fail(n, at, "%s", err)
	}
}

// kinds are those of parameters that Go's kinds are written as.
var kinds = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Float64: "float",
	reflect.Int: "int", reflect.Int64: "int", reflect.Uint64: "int",
}

// decodeInteger also takes floats that are integers, as in 1e4, and where there is no
// sign integers above those of int64.
func (d *decoder) decodeInteger(n *node, v reflect.Value, at path) {
	i, ok := normaliseScalar(n.value).(int64)
	u, big := n.value.(uint64)
	x, number := record.Number(n.value)
	switch {
	case ok && v.CanInt():
		v.SetInt(i)
	case ok && i >= 0:
		v.SetUint(uint64(i))
	case ok:
		d.fail(n, at, "must be at least 0, got %d", i)
	case big && v.CanUint():
		v.SetUint(u)
	case number && math.Trunc(x) == x:
		d.fail(n, at, "%v is out of the range of integers", n.value)
	default:
		d.fail(n, at, "want an integer, got %s", n.describe())
	}
}

// plain returns the node as a bool, int64, float64, string, []any or
// map[string]any, and nil for an empty value, also inside.
func (n *node) plain() any {
	switch n.kind {
	case sequence:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			if list[i] = item.plain(); list[i] == nil {
				return nil
			}
		}
		return list
	case mapping:
		m := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			if m[f.key] = f.value.plain(); m[f.key] == nil {
				return nil
			}
		}
		return m
	}
	return normaliseScalar(n.value)
}
