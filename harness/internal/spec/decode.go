package spec

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"stochopt/harness/internal/claims"
	"stochopt/internal/record"
	"stochopt/plots"
)

// decoder decodes nodes into Go values strictly. It continues after a mistake. yaml.Node.Decode is no substitute:
// it ignores KnownFields, stops at duplicate keys and reports lines without columns.
type decoder struct {
	*reporter
	seed    uint64 // of the specification, for random grids
	partial bool   // required keys may be missing, as in a profile
}

// nodeDecoder is implemented by types that have a special form in YAML.
type nodeDecoder interface {
	decodeNode(d *decoder, n *node, p path) error
}

// rules are the constraints in the tags of a field, which the JSON schema uses too. A field is required unless
// its yaml tag has omitempty.
type rules struct {
	name     string
	index    []int
	required bool
	limits   Param               // bounds and choices of a scalar
	tags     map[string][]string // values of each keyword of the jsonschema tag
}

// bound returns the number of a keyword of the jsonschema tag, or nil.
func (r *rules) bound(keyword string) *float64 {
	if r.tags[keyword] == nil {
		return nil
	}
	x, err := strconv.ParseFloat(r.tags[keyword][0], 64)
	if err != nil {
		panic("spec: bad jsonschema tag " + keyword)
	}
	return &x
}

// fieldRules returns the rules of the fields of a struct type, including the fields of inlined structs.
func fieldRules(t reflect.Type) (list []rules) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case !f.IsExported() || name == "-":
			continue
		case strings.Contains(options, "inline"):
			for _, inner := range fieldRules(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				list = append(list, inner)
			}
			continue
		case name == "":
			name = strings.ToLower(f.Name)
		}
		r := rules{name: name, index: []int{i}, tags: make(map[string][]string)}
		r.required = !strings.Contains(options, "omitempty")
		for word := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
			keyword, value, _ := strings.Cut(word, "=")
			r.tags[keyword] = append(r.tags[keyword], value)
		}
		// Coerce bounds integers without a maximum by maxInt, but a field such as seed has no such bound.
		most := cmp.Or(r.bound("maximum"), new(float64(1<<63)))
		r.limits = Param{Min: r.bound("minimum"), Above: r.bound("exclusiveMinimum"), Max: most, Choices: r.tags["enum"]}
		list = append(list, r)
	}
	return list
}

func (r rules) key() string { return r.name }

// failDecode reports a value that cannot be decoded. Later mistakes in the value are not reported.
func (d *decoder) failDecode(p path, format string, args ...any) {
	d.fail(p, format, args...)
	d.undecoded = append(d.undecoded, p)
}

// decode decodes n into v, which must be settable.
func (d *decoder) decode(n *node, v reflect.Value, r *rules, p path) {
	if n.kind == invalid {
		d.undecoded = append(d.undecoded, p)
		return
	}
	if custom, ok := v.Addr().Interface().(nodeDecoder); ok {
		if err := custom.decodeNode(d, n, p); err != nil {
			d.failDecode(p, "%s", err)
		}
		return
	}
	switch short := v.Addr().Interface().(type) { // types with a short form
	case *plots.Facet:
		if cols, ok := n.value.(string); ok {
			short.Cols = cols
			return
		}
	case *claims.Value:
		if x, ok := record.Number(n.value); ok {
			short.Is = &x
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(n, v.Elem(), r, p)
	case reflect.Struct:
		if d.want(n, mapping, "a mapping", p) {
			d.decodeStruct(n, v, p)
		}
	case reflect.Map:
		if d.want(n, mapping, "a mapping", p) && len(n.fields) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for _, f := range n.fields {
				elem := reflect.New(v.Type().Elem()).Elem()
				d.decode(f.value, elem, r, p.in(f.key))
				v.SetMapIndex(reflect.ValueOf(f.key), elem)
			}
		}
	case reflect.Slice:
		if d.want(n, sequence, "a list", p) {
			d.decodeSlice(n, v, r, p)
		}
	case reflect.Interface:
		if x := n.plain(); x != nil {
			v.Set(reflect.ValueOf(x))
		} else {
			d.failDecode(p, "is empty: give it a value or remove the key")
		}
	default:
		d.decodeScalar(n, v, r, p)
	}
}

// want reports whether a node has a kind. It reports another kind as a mistake; name describes the right one.
func (d *decoder) want(n *node, k kind, name string, p path) bool {
	if n.kind != k {
		d.failDecode(p, "want %s, got %s", name, n.describe())
	}
	return n.kind == k
}

func (d *decoder) decodeStruct(n *node, v reflect.Value, p path) {
	fields := fieldRules(v.Type())
	known, hasUnknown := names(fields, rules.key), false
	for i := range n.fields {
		if len(d.errs) > maxMistakes {
			return
		}
		f := &n.fields[i]
		q, rule := p.in(f.key), find(fields, f.key, rules.key)
		if rule == nil {
			d.failKey(q, "unknown key%s", keyHint(f.key, known))
			key := similar(f.key, known)
			if key == "" || n.get(key) != nil {
				hasUnknown = true
				continue
			}
			// Decode the value for the similar key, so that the key is not reported as missing.
			f.key, q, rule = key, p.in(key), find(fields, key, rules.key)
			d.undecoded = append(d.undecoded, q)
		}
		d.decode(f.value, v.FieldByIndex(rule.index), rule, q)
	}
	for _, rule := range fields {
		switch q := p.in(rule.name); {
		case !rule.required || d.partial || n.get(rule.name) != nil:
		case hasUnknown: // an unknown key may be a misspelling of the required one
			d.undecoded = append(d.undecoded, q)
		default:
			d.failDecode(q, "missing key %q", rule.name)
		}
	}
	if pos := v.FieldByName("Pos"); pos.IsValid() && pos.Type() == reflect.TypeFor[Position]() {
		pos.Set(reflect.ValueOf(n.pos))
	}
}

func (d *decoder) decodeSlice(n *node, v reflect.Value, r *rules, p path) {
	least, most := r.bound("minItems"), r.bound("maxItems")
	switch count := float64(len(n.items)); {
	case least != nil && most != nil && *least == *most && count != *least:
		d.failDecode(p, "want %v items, got %v", *least, count)
	case least != nil && count < *least:
		d.failDecode(p, "is empty: give it at least %v item", *least)
	}
	if len(n.items) == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	seen := make(map[any]bool)
	for i, item := range n.items {
		if v.Index(i).Kind() == reflect.Pointer && item.kind == scalar && item.value == nil {
			continue // nil, for example an open end of a range
		}
		if r.tags["uniqueItems"] != nil && item.kind == scalar && seen[item.value] {
			d.failDecode(p.in(i), "%q occurs twice", item.value)
		}
		seen[item.value] = true
		d.decode(item, v.Index(i), r, p.in(i))
	}
}

// kinds maps kinds of Go types to kinds of parameters.
var kinds = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Float64: "float",
	reflect.Int: "int", reflect.Int64: "int", reflect.Uint64: "int",
}

func (d *decoder) decodeScalar(n *node, v reflect.Value, r *rules, p path) {
	if big, ok := n.value.(uint64); ok && v.CanUint() {
		v.SetUint(big)
		return
	}
	if n.kind == scalar && n.value == nil {
		d.failDecode(p, "is empty: give it a value%s or remove the key", r.like())
		return
	}
	param := r.limits
	param.Kind = kinds[v.Kind()]
	if !d.want(n, scalar, kindNames[param.Kind], p) {
		return
	}
	x, err := param.Coerce(n.value)
	if err != nil {
		text, isText := n.value.(string)
		if param.Kind == "string" && isText {
			v.SetString(text) // so that the value does not count as missing
		}
		if r.like() != "" {
			d.failDecode(p, "want a text%s, got %s", r.like(), n.describe())
		} else if param.Kind == "string" && !isText {
			d.failDecode(p, "%s (quote it if it is meant as text)", err)
		} else {
			d.failDecode(p, "%s", err)
		}
		return
	}
	v.Set(reflect.ValueOf(x).Convert(v.Type()))
	if text, ok := x.(string); ok {
		if err := r.checkText(text); err != "" {
			d.failDecode(p, "%s", err)
		}
	}
}

// like returns the examples of a value as " such as …", or "".
func (r *rules) like() string {
	if r.tags["example"] == nil {
		return ""
	}
	return fmt.Sprintf(" such as \"%s\"", strings.Join(r.tags["example"], `" or "`))
}

// checkText returns the mistake in a text, or "".
func (r *rules) checkText(text string) string {
	switch pattern, most := r.tags["pattern"], r.bound("maxLength"); {
	case pattern != nil && !regexp.MustCompile(pattern[0]).MatchString(text):
		if r.like() != "" {
			return "want a text" + r.like() + ", got " + strconv.Quote(text)
		}
		return strconv.Quote(text) + " does not match " + pattern[0]
	case text == "" && r.tags["minLength"] != nil:
		return "must not be empty"
	case most != nil && float64(utf8.RuneCountInString(text)) > *most:
		return "has more than " + r.tags["maxLength"][0] + " characters"
	}
	return ""
}

// plain returns the node as a bool, int64, float64, string, []any or map[string]any. It returns nil for an empty
// value and for a list or mapping that contains one.
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
