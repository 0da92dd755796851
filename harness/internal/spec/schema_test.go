package spec

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "rewrite comments.json, the schema in configs and the texts of errors")

const (
	moduleRoot = "../../.."
	schemaFile = moduleRoot + "/configs/schema.json"
)

// TestSchemaIsCurrent compares the generated files with the Go types.
func TestSchemaIsCurrent(t *testing.T) {
	comments, err := json.MarshalIndent(docComments(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	comments = append(comments, '\n')
	var table map[string]string
	if err := json.Unmarshal(comments, &table); err != nil {
		t.Fatal(err)
	}
	want, err := schema(table)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for file, data := range map[string][]byte{"comments.json": comments, schemaFile: want} {
			if err := os.WriteFile(file, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if !bytes.Equal(comments, commentsJSON) {
		t.Error("comments.json is out of date: run go generate ./harness/internal/spec")
	}
	onDisk, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(onDisk, want) {
		t.Errorf("%s is out of date: run go generate ./harness/internal/spec", schemaFile)
	}
	got, err := Schema()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("Schema differs from configs/schema.json (%v)", err)
	}
}

// docComments extracts the doc comments of the types in a specification.
func docComments(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir(moduleRoot)
	var r generator.Reflector
	for _, dir := range []string{"./harness/internal/spec", "./harness/internal/claims", "./internal/observe", "./internal/selection", "./plots"} {
		if err := r.AddGoComments("stochopt", dir); err != nil {
			t.Fatal(err)
		}
	}
	types := make(map[string]bool)
	collectTypes(reflect.TypeFor[Spec](), types)
	comments := make(map[string]string)
	for key, text := range r.CommentMap {
		// A key is "path/package.Type" or "path/package.Type.Field".
		parts := strings.Split(filepath.Base(key), ".")
		if types[filepath.Dir(key)+"/"+parts[0]+"."+parts[1]] {
			comments[key] = strings.Join(strings.Fields(text), " ")
		}
	}
	if len(comments) < 50 {
		t.Fatalf("found %d comments only", len(comments))
	}
	t.Chdir("harness/internal/spec")
	return comments
}

func collectTypes(t reflect.Type, seen map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		collectTypes(t.Elem(), seen)
	case reflect.Struct:
		if name := t.PkgPath() + "." + t.Name(); !seen[name] {
			seen[name] = true
			for i := range t.NumField() {
				if f := t.Field(i); f.IsExported() && f.Tag.Get("yaml") != "-" {
					collectTypes(f.Type, seen)
				}
			}
		}
	}
}

// compileSchema returns the schema, compiled once for all tests.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	data, err := Schema()
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
})

// asJSON converts YAML to JSON, as an editor does before it validates.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// conforms validates a text with the schema.
func conforms(t *testing.T, text []byte) {
	t.Helper()
	if err := compileSchema(t).Validate(asJSON(t, text)); err != nil {
		t.Errorf("the schema rejects it: %v\n%s", err, text)
	}
}

func TestExamplesConform(t *testing.T) {
	t.Parallel()
	examples, _ := filepath.Glob("testdata/*.yaml")
	configs, _ := filepath.Glob(moduleRoot + "/configs/*.yaml")
	investigations, _ := filepath.Glob(moduleRoot + "/configs/investigations/*.yaml")
	if len(examples) < 2 || len(configs) < 1 || len(investigations) < 1 {
		t.Fatalf("found %d examples and %d configs", len(examples), len(configs))
	}
	for _, file := range slices.Concat(examples, configs, investigations) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		conforms(t, text)
	}
}

// The schema and Load reject the same structural mistakes.
func TestSchemaRejects(t *testing.T) {
	t.Parallel()
	s := compileSchema(t)
	for _, spoil := range [][2]string{
		{"repeats: 2", "repeat: 2"},
		{"repeats: 2", "repeats: -2"},
		{"repeats: 2", "record: {spacing: lin}"},
		{"name: base", "name: Base"},
		{"name: base\n", ""},
		{"iterations: 100", "iterations: 100, passes: 1"},
		{"{iterations: 100}", "{}"},
		{"c: [1, 2]", "c: []"},
		{"c: [1, 2]", "c: {pow2: [1]}"},
		{"c: [1, 2]", "c: {loguniform: [1, 2]}"},
		{"c: [1, 2]", "c: {pow2: [1, 2], count: 3}"},
		{"c: [1, 2]", "c: {pow3: [1, 2]}"},
		{"{dim: 8}", "{dim: [8]}"},
		{"y: rank", "y: rank, band: all"},
		{"y: rank", "y: rank, facet: [k]"},
		{"id: fig,", ""},
		{"smoke: {repeats: 1}", "smoke: {version: 1}"},
		{"smoke: {repeats: 1}", "smoke: {repeat: 1}"},
	} {
		text := with(t, spoil[0], spoil[1])
		if s.Validate(asJSON(t, []byte(text))) == nil {
			t.Errorf("accepts %q", spoil[1])
		}
		if _, err := parseText(text, ""); err == nil {
			t.Errorf("Load accepts %q", spoil[1])
		}
	}
	for _, good := range []string{base, with(t, "c: [1, 2]", "c: {loguniform: [1, 2], count: 8}")} {
		conforms(t, []byte(good))
	}
}
