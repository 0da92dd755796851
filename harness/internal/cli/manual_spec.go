package cli

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"stochopt/harness/internal/spec"
	"stochopt/internal/words"

	"github.com/invopop/jsonschema"
	"gopkg.in/yaml.v3"
)

// Examples of each part of a spec. A test validates each as a part of a whole spec.
//
//go:embed manual_examples.yaml
var manualExamples []byte

// manualExample is the example of a part of specs.
type manualExample struct {
	// Path is the part, such as datasets[].split.
	Path string `yaml:"path"`
	// Task is the task of the spec that the example is a part of.
	Task string `yaml:"task"`
	// Text is the example: keys of a spec.
	Text string `yaml:"text"`
}

func examples() ([]manualExample, error) {
	var out []manualExample
	if err := yaml.Unmarshal(manualExamples, &out); err != nil {
		return nil, fmt.Errorf("manual_examples.yaml: %w", err)
	}
	return out, nil
}

// specPage describes every key of a spec, from the schema and so from the Go types.
func specPage() ([]byte, error) {
	data, err := spec.Schema()
	if err != nil {
		return nil, err
	}
	var root jsonschema.Schema
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	all, err := examples()
	if err != nil {
		return nil, err
	}
	w := &specWriter{defs: root.Definitions, named: make(map[string]string), examples: make(map[string]string)}
	for _, e := range all {
		w.examples[e.Path] = e.Text
	}
	w.b.WriteString("# Every key of a spec\n\n" + generated)
	w.b.WriteString("A spec is a YAML file; `stochopt new` writes one for your data. Unknown keys, wrong types, unknown names and impossible values are errors " +
		"(`stochopt validate`) before anything runs. Any scalar parameter of an algorithm or a problem may be a " +
		"[grid](#grid). The same as a JSON schema, for editors: `configs/schema.json`.\n")
	w.object("", "The specification", "Spec", &root)
	for len(w.pending) > 0 {
		next := w.pending[0]
		w.pending = w.pending[1:]
		w.part(next.path, next.name)
	}
	return w.b.Bytes(), nil
}

// specWriter writes the parts of a schema in the order in which they are first met.
type specWriter struct {
	b    bytes.Buffer
	defs jsonschema.Definitions
	// named has the path at which a definition is described, by its name.
	named    map[string]string
	examples map[string]string
	pending  []struct{ path, name string }
}

const defsPrefix = "#/$defs/"

// part describes a definition.
func (w *specWriter) part(path, name string) {
	s := w.defs[name]
	title := "`" + path + "`"
	if name == "Grid" || name == "Size" {
		title, path = strings.ToLower(name), strings.ToLower(name)
	}
	w.object(path, title, strings.TrimPrefix(name, "Claim"), s)
}

// object describes a definition, of the Go type of that name, under a heading, with a
// row a key.
func (w *specWriter) object(path, title, name string, s *jsonschema.Schema) {
	fmt.Fprintf(&w.b, "\n## %s\n\n%s\n", title, sentence(name, s.Description))
	of := s
	for _, choice := range s.AnyOf {
		if choice.Properties != nil && choice.Properties.Len() > 0 && s.Properties == nil {
			of = choice
		}
	}
	if of.Properties != nil && of.Properties.Len() > 0 {
		w.b.WriteString("\n| key | kind | what |\n|---|---|---|\n")
		for p := of.Properties.Oldest(); p != nil; p = p.Next() {
			key := "`" + p.Key + "`"
			for _, r := range of.Required {
				if r == p.Key {
					key += " (required)"
				}
			}
			w.b.WriteString(markdownRow(key, w.kind(joinPath(path, p.Key), p.Value), words.Markdown(sentence(p.Key, p.Value.Description))) + "\n")
		}
	}
	if text := w.examples[path]; text != "" {
		fmt.Fprintf(&w.b, "\n```yaml\n%s```\n", text)
	}
}

// sentence is a doc comment as it stands on the page, where the name of the Go field or
// type is not known: "Points is the number" becomes "The number".
func sentence(name, comment string) string {
	fields := strings.Fields(comment)
	if len(fields) > 2 && strings.EqualFold(fields[0], strings.ReplaceAll(name, "_", "")) {
		fields = fields[1:]
		if fields[0] == "is" || fields[0] == "are" {
			fields = fields[1:]
		}
		first, size := utf8.DecodeRuneInString(fields[0])
		fields[0] = string(unicode.ToUpper(first)) + fields[0][size:]
	}
	return strings.Join(fields, " ")
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// kind says what a value may be, with a link to what describes it.
func (w *specWriter) kind(path string, s *jsonschema.Schema) string {
	switch {
	case s.Ref != "":
		return w.link(path, strings.TrimPrefix(s.Ref, defsPrefix))
	case s.Type == "array" && s.Items != nil:
		return "list of " + w.kind(path+"[]", s.Items)
	case s.Type == "object" && s.AdditionalProperties != nil && s.Properties == nil:
		return "map of " + w.kind(path+".*", s.AdditionalProperties)
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprintf("`%v`", v))
		}
		return strings.Join(values, ", ")
	case len(s.AnyOf) > 0:
		var kinds []string
		for _, choice := range s.AnyOf {
			if choice.Type != "null" {
				kinds = append(kinds, w.kind(path, choice))
			}
		}
		return strings.Join(kinds, " or ")
	case s.Type == "":
		return "any value"
	}
	return s.Type + bounds(s)
}

// bounds says within which numbers a value must be.
func bounds(s *jsonschema.Schema) string {
	var out string
	for _, b := range []struct {
		sign  string
		value json.Number
	}{{"≥", s.Minimum}, {">", s.ExclusiveMinimum}, {"≤", s.Maximum}, {"<", s.ExclusiveMaximum}} {
		if b.value != "" {
			out += " " + b.sign + " " + b.value.String()
		}
	}
	return out
}

// link returns a link to where a definition is described, and sees to it that it is.
func (w *specWriter) link(path, name string) string {
	// A profile is a specification of which any part may be missing.
	if name == "Profile" {
		return "[any part of a specification](#the-specification)"
	}
	if w.defs[name] == nil {
		return name
	}
	if name == "Grid" || name == "Size" {
		path = strings.ToLower(name)
	}
	if at, ok := w.named[name]; ok {
		return linkTo(at)
	}
	w.named[name] = path
	w.pending = append(w.pending, struct{ path, name string }{path, name})
	return linkTo(path)
}

// linkTo is a link to a heading, as GitHub makes anchors.
func linkTo(path string) string {
	anchor := strings.NewReplacer("[", "", "]", "", ".", "", "*", "").Replace(path)
	return "[" + path + "](#" + strings.ToLower(anchor) + ")"
}
