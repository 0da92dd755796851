package spec

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"

	"stochopt/harness/internal/claims"

	"github.com/invopop/jsonschema"
)

// Descriptions in the schema are the doc comments of the Go types. The source
// is not there when the program runs, so they are kept in a file of their own.
//
//go:generate go test -run ^TestSchemaIsCurrent$ -update .
//go:embed comments.json
var commentsJSON []byte

// Schema returns the JSON schema (draft 2020-12) of specifications, for
// editors. It knows the shape only; names of algorithms, datasets and
// parameters are checked by Load.
func Schema() ([]byte, error) {
	var comments map[string]string
	if err := json.Unmarshal(commentsJSON, &comments); err != nil {
		return nil, fmt.Errorf("spec: comments.json: %w", err)
	}
	return schema(comments)
}

func schema(comments map[string]string) ([]byte, error) {
	reflector := &jsonschema.Reflector{
		FieldNameTag:   "yaml",
		Anonymous:      true,
		ExpandedStruct: true,
		CommentMap:     comments,
		Namer: func(t reflect.Type) string {
			// Parts of claims have the names of other types.
			if claim := reflect.TypeFor[claims.Claim](); t.PkgPath() == claim.PkgPath() && t != claim {
				return "Claim" + t.Name()
			}
			return t.Name()
		},
	}
	root := reflector.ReflectFromType(reflect.TypeFor[Spec]())
	root.Title = "Specification of an experiment"
	defs := root.Definitions
	property := func(def, key string) *jsonschema.Schema { return defs[def].Properties.Value(key) }
	for _, name := range [...]string{"Figure", "Panel"} {
		property(name, "split").Enum = anys(panelSplits)
		property(name, "log").Items.Enum = []any{"x", "y"}
	}
	property("DatasetEntry", "with").AdditionalProperties = scalarSchema()
	for _, name := range [...]string{"Figure", "Panel", "Table", "Claim"} {
		where := scalarSchema()
		where.AnyOf = append(where.AnyOf, &jsonschema.Schema{Type: "array", Items: scalarSchema()})
		property(name, "where").AdditionalProperties = where
	}
	for _, name := range [...]string{"ClaimRatio", "ClaimLevel", "ClaimExponent"} {
		property(name, "between").Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}}}
	}
	for _, name := range [...]string{"x", "y"} {
		property("Appearance", name).Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}}}
	}
	defs["Profile"] = profileSchema(root)
	root.Properties.Value("profiles").AdditionalProperties = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{{Ref: "#/$defs/Profile"}, {Type: "null"}},
	}
	boundNumbers(root)
	for name, short := range map[string]string{"Facet": "string", "ClaimValue": "number"} {
		whole := *defs[name]
		defs[name] = &jsonschema.Schema{Description: whole.Description, AnyOf: []*jsonschema.Schema{{Type: short}, &whole}}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	return buf.Bytes(), nil
}

// profileSchema returns the schema of profiles: specifications of which any part may be missing. Tables
// and claims there are whole, or have an id and what changes.
func profileSchema(root *jsonschema.Schema) *jsonschema.Schema {
	profile := &jsonschema.Schema{
		Description:          "Profile is a partial specification: its keys replace those of the specification.",
		Type:                 "object",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	for p := root.Properties.Oldest(); p != nil; p = p.Next() {
		switch value := *p.Value; p.Key {
		case "version", "profiles":
		case "tables", "claims":
			item := *root.Definitions[map[string]string{"tables": "Table", "claims": "Claim"}[p.Key]]
			item.Required = []string{"id"}
			if p.Key == "claims" { // whose check may be partial
				item.Properties = jsonschema.NewProperties()
				for p := root.Definitions["Claim"].Properties.Oldest(); p != nil; p = p.Next() {
					item.Properties.Set(p.Key, p.Value)
				}
				item.Properties.Set("check", &jsonschema.Schema{Type: "object"})
			}
			value.Items = &item
			fallthrough
		default:
			profile.Properties.Set(p.Key, &value)
		}
	}
	return profile
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// boundNumbers says of all numbers, and of all lists, what holds of any.
func boundNumbers(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Type == "number" && s.Maximum == "" {
		s.Maximum = json.Number(fmt.Sprint(mostNumber))
	}
	if s.Type == "number" && s.Minimum == "" && s.ExclusiveMinimum == "" {
		s.Minimum = json.Number(fmt.Sprint(-mostNumber))
	}
	if s.Type == "array" && s.MaxItems == nil {
		s.MaxItems = new(uint64(maxItems))
	}
	boundNumbers(s.Items)
	boundNumbers(s.AdditionalProperties)
	for _, part := range s.AnyOf {
		boundNumbers(part)
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		boundNumbers(p.Value)
	}
	for _, def := range s.Definitions {
		boundNumbers(def)
	}
}
