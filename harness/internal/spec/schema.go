package spec

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/plots"

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
	comments, err := comments()
	if err != nil {
		return nil, err
	}
	return schema(comments)
}

// comments returns the doc comments of the types of specifications.
func comments() (table map[string]string, err error) {
	if err := json.Unmarshal(commentsJSON, &table); err != nil {
		return nil, fmt.Errorf("spec: comments.json: %w", err)
	}
	return table, nil
}

func schema(comments map[string]string) ([]byte, error) {
	reflector := &jsonschema.Reflector{
		FieldNameTag:   "yaml",
		Anonymous:      true,
		ExpandedStruct: true,
		CommentMap:     comments,
		Namer:          defName,
	}
	root := reflector.ReflectFromType(reflect.TypeFor[Spec]())
	root.Title = "Specification of an experiment"
	defs := root.Definitions

	constrainFigure(defs["Figure"])
	constrainFigure(defs["Panel"])
	facet := *defs["Facet"]
	defs["Facet"] = &jsonschema.Schema{Description: facet.Description,
		AnyOf: []*jsonschema.Schema{{Type: "string"}, &facet}}
	defs["DatasetEntry"].Properties.Value("with").AdditionalProperties = scalarSchema()
	for _, name := range [...]string{"Figure", "Panel", "Table", "Claim"} {
		where := scalarSchema()
		where.AnyOf = append(where.AnyOf, &jsonschema.Schema{Type: "array", Items: scalarSchema()})
		defs[name].Properties.Value("where").AdditionalProperties = where
	}
	for _, name := range [...]string{"Ratio", "Level", "Exponent"} {
		defs[claimPrefix+name].Properties.Value("between").Items = &jsonschema.Schema{
			AnyOf: []*jsonschema.Schema{{Type: "number"}, {Type: "null"}}}
	}
	addProfile(root)
	boundNumbers(root)
	for _, name := range [...]string{claimPrefix + "Value", "Partial" + claimPrefix + "Value"} {
		value := *defs[name]
		defs[name] = &jsonschema.Schema{Description: value.Description, AnyOf: []*jsonschema.Schema{{Type: "number"}, &value}}
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

const claimPrefix = "Claim"

// defName tells the parts of claims from types of the same name.
func defName(t reflect.Type) string {
	if t.PkgPath() == reflect.TypeFor[claims.Claim]().PkgPath() && t != reflect.TypeFor[claims.Claim]() {
		return claimPrefix + t.Name()
	}
	return t.Name()
}

// constrainFigure adds what the tags of package plots do not say.
func constrainFigure(s *jsonschema.Schema) {
	s.Properties.Value("split").Enum = anys(panelSplits)
	s.Properties.Value("band").Enum = anys([]string{plots.BandQuantiles, plots.BandMinMax, plots.BandNone, plots.BandRuns, plots.BandHalvings})
	s.Properties.Value("log").Items.Enum = []any{"x", "y"}
}

func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

const defsPath = "#/$defs/"

// addPartial adds a definition "Partial" and name, and those of all that it is made
// of, which require nothing.
func addPartial(defs jsonschema.Definitions, name string) {
	if defs["Partial"+name] != nil {
		return
	}
	whole := defs[name]
	part := *whole
	defs["Partial"+name] = &part
	part.Required, part.Properties = nil, jsonschema.NewProperties()
	for p := whole.Properties.Oldest(); p != nil; p = p.Next() {
		value := *p.Value
		if of, ok := strings.CutPrefix(value.Ref, defsPath); ok {
			addPartial(defs, of)
			value.Ref = defsPath + "Partial" + of
		}
		part.Properties.Set(p.Key, &value)
	}
}

// addProfile makes profiles specifications of which any part may be missing.
func addProfile(root *jsonschema.Schema) {
	table := *root.Definitions["Table"]
	table.Required = []string{"id"}
	root.Definitions["PartialTable"] = &table
	addPartial(root.Definitions, "Claim")
	root.Definitions["PartialClaim"].Required = []string{"id"}

	profile := &jsonschema.Schema{
		Description:          "Profile is a partial specification: its keys replace those of the specification.",
		Type:                 "object",
		Properties:           jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema,
	}
	for p := root.Properties.Oldest(); p != nil; p = p.Next() {
		switch p.Key {
		case "version", "profiles":
		case "tables", "claims":
			list := *p.Value
			list.Items = &jsonschema.Schema{Ref: strings.Replace(list.Items.Ref, defsPath, defsPath+"Partial", 1)}
			profile.Properties.Set(p.Key, &list)
		default:
			profile.Properties.Set(p.Key, p.Value)
		}
	}
	root.Definitions["Profile"] = profile
	root.Properties.Value("profiles").AdditionalProperties = &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{{Ref: "#/$defs/Profile"}, {Type: "null"}},
	}
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
