package spec

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"

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
	r := jsonschema.Reflector{
		FieldNameTag:   "yaml",
		Anonymous:      true,
		ExpandedStruct: true,
		CommentMap:     comments,
	}
	root := r.ReflectFromType(reflect.TypeFor[Spec]())
	root.Title = "Specification of an experiment"
	defs := root.Definitions

	constrainFigure(defs["Figure"])
	constrainFigure(defs["Panel"])
	for _, name := range [...]string{"Figure", "Table"} {
		defs[name].Properties.Value("id").Pattern = outputID.String()
	}
	facet := *defs["Facet"]
	defs["Facet"] = &jsonschema.Schema{Description: facet.Description,
		AnyOf: []*jsonschema.Schema{{Type: "string"}, &facet}}
	defs["DatasetEntry"].Properties.Value("with").AdditionalProperties = scalarSchema()
	for _, name := range [...]string{"Figure", "Panel", "Table"} {
		where := scalarSchema()
		where.AnyOf = append(where.AnyOf, &jsonschema.Schema{Type: "array", Items: scalarSchema()})
		defs[name].Properties.Value("where").AdditionalProperties = where
	}
	addProfile(root)

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	return buf.Bytes(), nil
}

// constrainFigure adds what the tags of package plots do not say.
func constrainFigure(s *jsonschema.Schema) {
	s.Properties.Value("split").Enum = anys(panelSplits)
	s.Properties.Value("band").Enum = anys(panelBands)
	s.Properties.Value("log").Items.Enum = anys(panelAxes)
}

func anys(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// addProfile makes profiles specifications of which any part may be missing.
func addProfile(root *jsonschema.Schema) {
	table := *root.Definitions["Table"]
	table.Required = []string{"id"}
	root.Definitions["PartialTable"] = &table

	profile := &jsonschema.Schema{
		Description:          "Profile is a partial specification, merged over the rest.",
		Type:                 "object",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	for p := root.Properties.Oldest(); p != nil; p = p.Next() {
		switch p.Key {
		case "version", "profiles":
		case "tables":
			tables := *p.Value
			tables.Items = &jsonschema.Schema{Ref: "#/$defs/PartialTable"}
			profile.Properties.Set(p.Key, &tables)
		default:
			profile.Properties.Set(p.Key, p.Value)
		}
	}
	root.Definitions["Profile"] = profile
	root.Properties.Value("profiles").AdditionalProperties = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{{Ref: "#/$defs/Profile"}, {Type: "null"}},
	}
}
