package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"

	"stochopt/internal/finite"

	"gopkg.in/yaml.v3"
)

// What a specification may hold at most. Each bound keeps reading it short and small,
// and is far above what anyone writes by hand.
const (
	// maxBytes bounds a document before it is parsed.
	maxBytes = 1 << 20
	// maxNodes bounds the size of a document after its aliases are expanded.
	maxNodes = 200_000
	// maxItems bounds a list, a mapping, and the values of a grid.
	maxItems = 10_000
)

// Numbers other than 0 are from least to most in size, so that neither a product of
// three nor a square is out of range.
const (
	leastNumber = 1e-100
	mostNumber  = 1e100
)

const tooLong = "is longer than 1 MiB, the limit for a specification"

type kind uint8

const (
	scalar kind = iota
	mapping
	sequence
	// invalid nodes have been reported.
	invalid
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
	for _, key := range [...]string{"as", "id"} {
		if v := n.get(key); v != nil {
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
	docs, err := documents(data)
	switch {
	case err != nil:
		reportSyntax(data, origin, rep)
		return nil
	case len(docs) == 0:
		rep.at(origin.in(1, 1), "there is nothing in it")
		return nil
	case len(docs) > 1:
		rep.at(origin.in(docs[1].Line, docs[1].Column), "a second YAML document: there must be exactly one")
	}
	c := converter{origin: origin, rep: rep}
	if n := c.convert(docs[0]); c.count < maxNodes {
		return n
	}
	return nil
}

// documents parses all YAML documents in data.
func documents(data []byte) (docs []*yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		doc := new(yaml.Node)
		switch err := dec.Decode(doc); {
		case errors.Is(err, io.EOF):
			return docs, nil
		case err != nil:
			return nil, err
		}
		docs = append(docs, doc)
	}
}

// maxTries bounds how many lines from the end a syntax error is looked for.
const maxTries = 1000

// reportSyntax reports data that are not YAML, at the line that follows the longest beginning that is.
func reportSyntax(data []byte, origin Position, rep *reporter) {
	lines := bytes.SplitAfter(bytes.TrimRight(data, " \t\r\n"), []byte("\n"))
	last := len(lines) - 1
	for range min(maxTries, last) {
		if _, err := documents(bytes.Join(lines[:last], nil)); err == nil {
			break
		}
		last--
	}
	advice := "look for a missing quote, bracket or colon, wrong indentation, or an alias without its anchor"
	if indent := lines[last][:len(lines[last])-len(bytes.TrimLeft(lines[last], " \t"))]; bytes.Contains(indent, []byte("\t")) {
		advice = "indent this line by spaces, not by a tab"
	}
	rep.at(origin.in(last+1, 1), "not valid YAML: %s", advice)
}

// converter turns yaml nodes into nodes.
type converter struct {
	origin Position
	rep    *reporter
	count  int
}

// fail reports a mistake at a node, which becomes invalid.
func (c *converter) fail(n *node, format string, args ...any) *node {
	c.rep.at(n.pos, format, args...)
	n.kind = invalid
	return n
}

func (c *converter) convert(y *yaml.Node) *node {
	n := &node{pos: c.origin.in(y.Line, y.Column)}
	if c.count++; c.count == maxNodes {
		return c.fail(n, "the document has more than %d nodes: does an alias stand inside what it refers to?", maxNodes)
	} else if c.count > maxNodes {
		n.kind = invalid
		return n
	}
	switch tag := y.ShortTag(); {
	case y.Kind == yaml.DocumentNode:
		return c.convert(y.Content[0])
	case y.Kind == yaml.AliasNode:
		return c.convert(y.Alias)
	case len(y.Content) > maxItems && (y.Kind == yaml.SequenceNode || len(y.Content) > 2*maxItems):
		return c.fail(n, "holds more than %d items", maxItems)
	case y.Kind == yaml.SequenceNode && tag == "!!seq":
		n.kind = sequence
		for _, item := range y.Content {
			n.items = append(n.items, c.convert(item))
		}
	case y.Kind == yaml.MappingNode && tag == "!!map":
		n.kind = mapping
		c.mapping(y, n)
	case y.Kind == yaml.ScalarNode && slices.Contains(scalarTags, tag):
		c.scalar(y, n)
	default:
		c.fail(n, "the tag %s is not supported: remove it", tag)
	}
	return n
}

var scalarTags = []string{"!!str", "!!timestamp", "!!null", "!!bool", "!!int", "!!float"}

// leadingZeros matches integers with leading zeros. yaml.v3 reads 010 as 8, but 09 as 9.
var leadingZeros = regexp.MustCompile(`^([-+]?)0[0_]*([0-9][0-9_]*)$`)

func (c *converter) scalar(y *yaml.Node, n *node) {
	tag := y.ShortTag()
	if tag == "!!str" || tag == "!!timestamp" {
		n.value = y.Value
		return
	}
	if err := y.Decode(&n.value); err != nil {
		c.fail(n, "%q is not of the type that its tag %s names", y.Value, tag)
		return
	}
	if m := leadingZeros.FindStringSubmatch(y.Value); m != nil {
		c.fail(n, "%s has a leading zero: write %s, or quote it if it is meant as text", y.Value, m[1]+m[2])
		return
	}
	switch v := n.value.(type) {
	case int:
		n.value = int64(v)
	case float64:
		if !finite.Is(v) {
			c.fail(n, "%s is not a finite number", y.Value)
		} else if size := math.Abs(v); size > mostNumber || v != 0 && size < leastNumber {
			c.fail(n, "%s is out of range: a number must be 0, or between %v and %v in absolute value", y.Value, leastNumber, mostNumber)
		}
	}
}

// mapping converts the fields of y, own fields before merged ones.
func (c *converter) mapping(y *yaml.Node, n *node) {
	var merges []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k := y.Content[i]
		if k.Kind == yaml.ScalarNode && k.ShortTag() == "!!merge" {
			merges = append(merges, c.convert(y.Content[i+1]))
			continue
		}
		key, value := c.convert(k), c.convert(y.Content[i+1])
		name, ok := key.value.(string)
		switch first := n.field(name); {
		case key.kind == invalid:
		case !ok:
			c.fail(key, "a key must be text, got %s", key.describe())
		case first != nil:
			c.fail(key, "key %q is given twice (first at %s)", name, first.pos)
		default:
			n.fields = append(n.fields, field{name, key.pos, value})
		}
	}
	for _, m := range merges {
		c.merge(m, n)
	}
}

// merge adds the fields of a "<<" value that n does not have.
func (c *converter) merge(from, n *node) {
	switch from.kind {
	case sequence:
		for _, item := range from.items {
			c.merge(item, n)
		}
	case mapping:
		for _, f := range from.fields {
			if n.field(f.key) == nil {
				n.fields = append(n.fields, f)
			}
		}
	case scalar:
		c.fail(from, "<< needs a mapping or a list of mappings, got %s", from.describe())
	}
}
