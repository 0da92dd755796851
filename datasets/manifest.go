package datasets

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed manifest.yaml
var manifestYAML []byte

// Entry is a dataset of the manifest.
type Entry struct {
	Name        string `yaml:"name" json:"name"`
	Title       string `yaml:"title" json:"title"`
	Description string `yaml:"description" json:"description"`
	// Format is "idx", "libsvm" or "csv".
	Format string `yaml:"format" json:"format"`
	// Features is the dimension d, Classes the number of distinct labels.
	Features int `yaml:"features" json:"features"`
	Classes  int `yaml:"classes" json:"classes"`
	// Positive is the positive class in the thesis, against the rest; nil if the labels are +1 and
	// -1 already.
	Positive *float64 `yaml:"positive,omitempty" json:"positive,omitempty"`
	Licence  string   `yaml:"licence" json:"licence"`
	Citation string   `yaml:"citation" json:"citation"`
	Homepage string   `yaml:"homepage" json:"homepage"`
	// Thesis says where Cotter 2013 uses the dataset, with its table rows.
	Thesis string   `yaml:"thesis" json:"thesis"`
	Notes  []string `yaml:"notes,omitempty" json:"notes,omitempty"`
	// Obtain explains how to get licensed data. Such an entry has no files.
	Obtain string `yaml:"obtain,omitempty" json:"obtain,omitempty"`
	// DefaultPart is the default part of a Ref: "all" or the name of a Part. The default variant is
	// the first.
	DefaultPart string    `yaml:"default_part" json:"default_part"`
	Variants    []Variant `yaml:"variants" json:"variants"`
	Files       []File    `yaml:"files,omitempty" json:"files,omitempty"`
}

// Variant is a version of a dataset, such as a9a, a8a and a1a of Adult.
type Variant struct {
	Name  string `yaml:"name" json:"name"`
	Parts []Part `yaml:"parts" json:"parts"`
}

// Part is a piece of a variant, such as its training set.
type Part struct {
	Name string `yaml:"name" json:"name"`
	Rows int    `yaml:"rows" json:"rows"`
	// Files holds one name, or for IDX the names of the images and the labels; nil for an entry
	// without files.
	Files []string `yaml:"files,omitempty" json:"files,omitempty"`
}

// File is a file of a dataset. SHA256 and Size describe its decompressed content.
type File struct {
	Name   string `yaml:"name" json:"name"`
	SHA256 string `yaml:"sha256" json:"sha256"`
	Size   int64  `yaml:"size" json:"size"`
	Forms  []Form `yaml:"forms" json:"forms"`
	// Obtain explains how to get the file if no form has an address.
	Obtain string `yaml:"obtain,omitempty" json:"obtain,omitempty"`
}

// Form is a way to store a File. SHA256 and Size describe the stored file if it is compressed;
// without them only the content is verified.
type Form struct {
	Name   string   `yaml:"name" json:"name"`
	SHA256 string   `yaml:"sha256,omitempty" json:"sha256,omitempty"`
	Size   int64    `yaml:"size,omitempty" json:"size,omitempty"`
	URLs   []string `yaml:"urls,omitempty" json:"urls,omitempty"`
}

// decodeYAML decodes YAML and rejects unknown fields.
func decodeYAML(text []byte, to any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	return dec.Decode(to)
}

// file returns the named file, or nil.
func (e *Entry) file(name string) *File {
	f, _ := find("file", name, e.Files, func(f *File) string { return f.Name })
	return f
}

// variant returns the named variant; "" means the first.
func (e *Entry) variant(name string) (*Variant, error) {
	if name == "" {
		return &e.Variants[0], nil
	}
	return find("variant", name, e.Variants, func(v *Variant) string { return v.Name })
}

// parts returns the named part, or all parts for "all".
func (v *Variant) parts(name string) ([]Part, error) {
	if name == "all" {
		return v.Parts, nil
	}
	partName := func(p *Part) string { return p.Name }
	p, err := find("part", name, v.Parts, partName)
	if err != nil {
		return nil, unknown("part", name, append([]string{"all"}, names(v.Parts, partName)...))
	}
	return []Part{*p}, nil
}

// library is a manifest with the state of its downloads.
type library struct {
	entries []Entry
	timeout timeouts
	// unreachable maps hosts to the error of the first attempt, so that no host is tried twice.
	unreachable sync.Map // string -> error
}

// standard is the library of the embedded manifest.
var standard = sync.OnceValue(func() *library {
	l := &library{timeout: defaultTimeouts}
	if err := decodeYAML(manifestYAML, &l.entries); err != nil {
		panic(err) // the embedded manifest is tested
	}
	return l
})

func entryName(e *Entry) string { return e.Name }

// entry returns the named entry, or nil.
func (l *library) entry(name string) *Entry {
	e, _ := find("dataset", name, l.entries, entryName)
	return e
}

// names returns the valid values of Ref.Source.
func (l *library) names() []string {
	return append(names(l.entries, entryName), names(generators, generatorName)...)
}

// resolve returns the entry and variant of "name" or "name/variant".
func (l *library) resolve(name string) (*Entry, *Variant, error) {
	base, variant, _ := strings.Cut(name, "/")
	e := l.entry(base)
	if e == nil {
		if findGenerator(base) != nil {
			return nil, nil, fmt.Errorf("dataset %s is generated and has no files", base)
		}
		return nil, nil, unknown("dataset", base, l.names())
	}
	v, err := e.variant(variant)
	if err != nil {
		return nil, nil, &NamedError{base, err}
	}
	return e, v, nil
}

// List returns the entries of the manifest. The caller must not change them.
func List() []Entry { return standard().entries }

// Sources returns the valid values of Ref.Source: the names of manifest entries and generators.
func Sources() []string { return standard().names() }

// Info returns the manifest entry named "mnist" or, with a variant that must exist, "adult/a8a".
func Info(name string) (Entry, error) {
	e, _, err := standard().resolve(name)
	if err != nil {
		return Entry{}, err
	}
	return *e, nil
}
