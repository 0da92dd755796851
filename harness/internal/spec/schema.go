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

// commentsJSON holds the doc comments of the Go types, which are the descriptions in the schema.
//
//go:generate go test -run ^TestSchemaIsCurrent$ -update .
//go:embed comments.json
var commentsJSON []byte

// Schema returns the JSON schema (draft 2020-12) of specifications, for editors. It does not contain the names of
// algorithms, datasets and parameters, which Load checks.
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
			// Some types of the package claims have the same name as other types.
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
	for _, interval := range [...]*jsonschema.Schema{
		property("ClaimRatio", "between"), property("ClaimLevel", "between"), property("ClaimExponent", "between"),
		property("Appearance", "x"), property("Appearance", "y"),
	} {
		interval.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}}}
	}
	defs["Profile"] = profileSchema(root)
	root.Properties.Value("profiles").AdditionalProperties = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{{Ref: "#/$defs/Profile"}, {Type: "null"}},
	}
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

// profileSchema returns the schema of profiles, which are partial specifications. Their claims need only an id.
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
		case "claims":
			claim := *root.Definitions["Claim"]
			claim.Required, claim.Properties = []string{"id"}, jsonschema.NewProperties()
			for p := root.Definitions["Claim"].Properties.Oldest(); p != nil; p = p.Next() {
				claim.Properties.Set(p.Key, p.Value)
			}
			claim.Properties.Set("check", &jsonschema.Schema{Type: "object"}) // may be partial
			value.Items = &claim
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
