package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/finite"

	"gopkg.in/yaml.v3"
)

type kind uint8

const (
	scalar kind = iota
	mapping
	sequence
)

// node is a YAML node without aliases, merge keys, comments and styles, that
// knows where it was written.
type node struct {
	kind   kind
	pos    Position
	value  any // of a scalar: nil, bool, int64, uint64, float64 or string
	fields []field
	items  []*node
}

// field is one key of a mapping.
type field struct {
	key   string
	pos   Position
	value *node
}

// field returns the field of a key, nil if there is none.
func (n *node) field(key string) *field {
	return find(n.fields, key, func(f field) string { return f.key })
}

// get returns the value of a key of a mapping, or nil.
func (n *node) get(key string) *node {
	if f := n.field(key); f != nil {
		return f.value
	}
	return nil
}

// without returns the mapping without a key.
func (n *node) without(key string) *node {
	c := *n
	c.fields = slices.DeleteFunc(slices.Clone(n.fields), func(f field) bool { return f.key == key })
	return &c
}

// identity returns the name by which a list item is addressed, or "".
func (n *node) identity() string {
	if n.kind != mapping {
		return ""
	}
	for _, key := range [...]string{"as", "id"} {
		if v := n.get(key); v != nil && v.kind == scalar {
			if s, ok := v.value.(string); ok && s != "" {
				return s
			}
		}
	}
	return ""
}

// describe says what a node is, for messages.
func (n *node) describe() string {
	switch {
	case n.kind == mapping:
		return "a mapping"
	case n.kind == sequence:
		return "a list"
	case n.value == nil:
		return "nothing"
	}
	return describe(n.value)
}

func describe(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the text %q", v)
	case bool:
		return fmt.Sprint(v)
	default:
		return fmt.Sprintf("the number %v", v)
	}
}

// parse reads one YAML document. Mistakes go to rep; the node is nil if there
// is nothing to go on with.
func parse(data []byte, origin Position, rep *reporter) *node {
	if len(data) > maxBytes {
		rep.at(origin.in(1, 1), "%s", tooLong)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			rep.at(origin.in(1, 1), "there is nothing in it")
		} else {
			reportSyntax(err, data, origin, rep)
		}
		return nil
	}
	switch err := dec.Decode(&next); {
	case err == nil:
		rep.at(origin.in(next.Line, next.Column), "a second YAML document: there must be exactly one")
	case !errors.Is(err, io.EOF):
		reportSyntax(err, data, origin, rep)
	}
	c := converter{origin: origin, rep: rep, active: make(map[*yaml.Node]bool)}
	return c.convert(&doc)
}

var syntaxError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

// parserErrors holds the beginnings of the messages of yaml.v3's parser, which
// counts lines from 0; its scanner, which has other messages, counts from 1.
var parserErrors = []string{
	"did not find expected <", "did not find expected node content", "did not find expected key",
	"did not find expected '-' indicator", "did not find expected ',' or",
	"found undefined tag handle", "found duplicate %", "found incompatible YAML document",
}

func reportSyntax(err error, data []byte, origin Position, rep *reporter) {
	line, msg := 1, err.Error()
	if m := syntaxError.FindStringSubmatch(msg); m != nil {
		msg = m[2]
		if l, err := strconv.Atoi(m[1]); err == nil {
			line = l
			if slices.ContainsFunc(parserErrors, func(start string) bool { return strings.HasPrefix(msg, start) }) {
				line++
			}
		}
	}
	// What is missing at the end is missing in the last line.
	line = min(line, 1+bytes.Count(bytes.TrimRight(data, " \t\r\n"), []byte("\n")))
	rep.at(origin.in(line, 1), "not valid YAML: %s", msg)
}

// converter turns yaml nodes into nodes.
type converter struct {
	origin Position
	rep    *reporter
	active map[*yaml.Node]bool // the containers being converted
	count  int
}

func (c *converter) pos(y *yaml.Node) Position { return c.origin.in(y.Line, y.Column) }

// convert returns nil after an error that leaves no node.
func (c *converter) convert(y *yaml.Node) *node {
	if c.count++; c.count >= maxNodes {
		if c.count == maxNodes {
			c.rep.at(c.pos(y), "the document, with its aliases expanded, has more than %d nodes", maxNodes)
		}
		return nil
	}
	switch y.Kind {
	case yaml.DocumentNode:
		return c.convert(y.Content[0])
	case yaml.AliasNode:
		if c.active[y.Alias] {
			c.rep.at(c.pos(y), "alias *%s stands inside what it refers to", y.Value)
			return nil
		}
		return c.convert(y.Alias)
	case yaml.ScalarNode:
		return c.scalar(y)
	}
	c.active[y] = true
	defer delete(c.active, y)
	n := &node{pos: c.pos(y)}
	defer c.bound(n)
	switch tag := y.ShortTag(); {
	case y.Kind == yaml.SequenceNode && tag == "!!seq":
		n.kind = sequence
		for _, item := range y.Content {
			if v := c.convert(item); v != nil {
				n.items = append(n.items, v)
			}
		}
	case y.Kind == yaml.MappingNode && tag == "!!map":
		n.kind = mapping
		c.mapping(y, n)
	default:
		c.rep.at(n.pos, "tag %s is not supported here", tag)
		return nil
	}
	return n
}

// bound reports a list or mapping that is too long, and shortens it.
func (c *converter) bound(n *node) {
	most := maxEntries
	if !slices.ContainsFunc(n.items, func(item *node) bool { return item.kind != scalar }) {
		most = maxGrid
	}
	if len(n.items) > most {
		c.rep.at(n.pos, "a list of %d, more than %d", len(n.items), most)
		n.items = n.items[:most]
	}
	if len(n.fields) > maxEntries {
		c.rep.at(n.pos, "a mapping of %d keys, more than %d", len(n.fields), maxEntries)
		n.fields = n.fields[:maxEntries]
	}
}

// leadingZeros matches integers with leading zeros. yaml.v3 reads 010 as 8, but 09 as 9.
var leadingZeros = regexp.MustCompile(`^([-+]?)0[0_]*([0-9][0-9_]*)$`)

func (c *converter) scalar(y *yaml.Node) *node {
	n := &node{kind: scalar, pos: c.pos(y)}
	switch tag := y.ShortTag(); tag {
	case "!!str", "!!timestamp":
		if len(y.Value) > maxText {
			c.rep.at(n.pos, "a text of %d bytes, more than %d", len(y.Value), maxText)
			return nil
		}
		n.value = y.Value
	case "!!null", "!!bool", "!!int", "!!float":
		if m := leadingZeros.FindStringSubmatch(y.Value); m != nil {
			c.rep.refuse(n.pos, fmt.Errorf("%s has a leading zero: write %s, or quote it if it is meant as text", y.Value, m[1]+m[2]))
		}
		var v any
		if err := y.Decode(&v); err != nil {
			c.rep.at(n.pos, "%q is not of the type that its tag %s says", y.Value, tag)
			return nil
		}
		switch v := v.(type) {
		case int:
			n.value = int64(v)
		case float64:
			if !finite.Is(v) {
				c.rep.at(n.pos, "%s is not a finite number", y.Value)
				return nil
			}
			if err := checkSize(v, y.Value); err != nil {
				c.rep.refuse(n.pos, err)
			}
			n.value = v
		default:
			n.value = v
		}
	default:
		c.rep.at(n.pos, "tag %s is not supported here", tag)
		return nil
	}
	return n
}

// mapping converts the fields of y, own fields before merged ones.
func (c *converter) mapping(y *yaml.Node, n *node) {
	var merges []*yaml.Node
	first := make(map[string]int, len(y.Content)/2) // the line of each key
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge" {
			merges = append(merges, v)
			continue
		}
		key := c.convert(k)
		value := c.convert(v)
		if key == nil {
			continue
		}
		name, ok := key.value.(string)
		if !ok {
			c.rep.at(key.pos, "a key must be text, got %s", key.describe())
			continue
		}
		if line, twice := first[name]; twice {
			c.rep.at(key.pos, "key %q is given twice (first in line %d)", name, line)
			continue
		}
		if value != nil {
			first[name] = key.pos.Line
			n.fields = append(n.fields, field{name, key.pos, value})
		}
	}
	for _, v := range merges {
		c.merge(v, n, first)
	}
}

// merge adds the fields of a "<<" value that n does not have; those that it has are keys of
// known.
func (c *converter) merge(y *yaml.Node, n *node, known map[string]int) {
	v := c.convert(y)
	if v == nil {
		return
	}
	sources := []*node{v}
	if v.kind == sequence {
		sources = v.items
	}
	for _, src := range sources {
		if src.kind != mapping {
			c.rep.at(c.pos(y), "<< needs a mapping or a list of mappings, got %s", src.describe())
			return
		}
		for _, f := range src.fields {
			if _, ok := known[f.key]; !ok {
				known[f.key] = f.pos.Line
				n.fields = append(n.fields, f)
			}
		}
	}
}
