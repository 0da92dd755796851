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

// Limits of a specification. They bound the time and memory of reading it.
const (
	maxBytes = 1 << 20
	maxNodes = 200_000 // after aliases are expanded
	maxItems = 10_000  // of a list, a mapping or a grid
)

// minNumber and maxNumber bound the absolute values of numbers other than 0. Products of three do not overflow.
const minNumber, maxNumber = 1e-100, 1e100

const tooLong = "is longer than 1 MiB, the limit for a specification"

type kind uint8

const (
	scalar kind = iota
	mapping
	sequence
	invalid // its mistake was reported
)

// node is a YAML node with its position, after the expansion of aliases and merge keys.
type node struct {
	kind   kind
	pos    Position
	value  any // of a scalar: nil, bool, int64, uint64, float64 or string
	fields []field
	items  []*node
}

// field is a key of a mapping with its value.
type field struct {
	key   string
	pos   Position
	value *node
}

// field returns the field of a key, or nil.
func (n *node) field(key string) *field {
	return find(n.fields, key, func(f field) string { return f.key })
}

// get returns the value of a key, or nil.
func (n *node) get(key string) *node {
	if f := n.field(key); f != nil {
		return f.value
	}
	return nil
}

// without returns a copy of a mapping without a key.
func (n *node) without(key string) *node {
	c := *n
	c.fields = slices.DeleteFunc(slices.Clone(n.fields), func(f field) bool { return f.key == key })
	return &c
}

// identity returns the text of "as" or "id", which addresses a list item, or "".
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

// describe describes a node for messages.
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

// parse parses one YAML document. It returns nil if the document cannot be used.
func parse(data []byte, origin Position, rep *reporter) *node {
	if len(data) > maxBytes {
		rep.failAt(origin.in(1, 1), "%s", tooLong)
		return nil
	}
	docs, err := documents(data)
	switch {
	case err != nil:
		reportSyntax(data, origin, rep)
		return nil
	case len(docs) == 0:
		rep.failAt(origin.in(1, 1), "the document is empty")
		return nil
	case len(docs) > 1:
		rep.failAt(origin.in(docs[1].Line, docs[1].Column), "a second YAML document: there must be exactly one")
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

// maxTried bounds the number of bytes that are parsed to find the line of a syntax error.
const maxTried = 16 << 20

// reportSyntax reports a syntax error at the first line after the longest prefix that is valid YAML.
func reportSyntax(data []byte, origin Position, rep *reporter) {
	lines := bytes.SplitAfter(bytes.TrimRight(data, " \t\r\n"), []byte("\n"))
	last := len(lines) - 1
	for range min(maxTried/len(data), last) {
		if _, err := documents(bytes.Join(lines[:last], nil)); err == nil {
			break
		}
		last--
	}
	advice := "look for a missing quote, bracket or colon, wrong indentation, or an alias without its anchor"
	if bytes.HasPrefix(bytes.TrimLeft(lines[last], " "), []byte("\t")) {
		advice = "indent this line with spaces, not with a tab"
	}
	rep.failAt(origin.in(last+1, 1), "not valid YAML: %s", advice)
}

// converter converts nodes of the YAML library.
type converter struct {
	origin Position
	rep    *reporter
	count  int
}

// fail reports a mistake at a node and makes the node invalid.
func (c *converter) fail(n *node, format string, args ...any) *node {
	c.rep.failAt(n.pos, format, args...)
	n.kind = invalid
	return n
}

func (c *converter) convert(y *yaml.Node) *node {
	n := &node{pos: c.origin.in(y.Line, y.Column)}
	if c.count++; c.count == maxNodes {
		return c.fail(n, "the document has more than %d nodes: does an alias refer to a value that contains it?", maxNodes)
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
		return c.fail(n, "has more than %d items", maxItems)
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

// leadingZeros matches integers with leading zeros. yaml.v3 reads 010 as 8 but 09 as 9.
var leadingZeros = regexp.MustCompile(`^([-+]?)0[0_]*([0-9][0-9_]*)$`)

func (c *converter) scalar(y *yaml.Node, n *node) {
	tag := y.ShortTag()
	if tag == "!!str" || tag == "!!timestamp" {
		n.value = y.Value
		return
	}
	if err := y.Decode(&n.value); err != nil {
		c.fail(n, "%q does not have the type of its tag %s", y.Value, tag)
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
		} else if size := math.Abs(v); size > maxNumber || v != 0 && size < minNumber {
			c.fail(n, "%s is out of range: a number must be 0, or between %v and %v in absolute value",
				y.Value, minNumber, maxNumber)
		}
	}
}

// mapping converts the fields of y. Its own fields take precedence over merged ones.
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

// merge adds those fields of a "<<" value that n lacks.
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
