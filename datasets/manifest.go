package datasets

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"regexp"
	"slices"
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
	// Features is the dimension d, Classes the number of different labels.
	Features int `yaml:"features" json:"features"`
	Classes  int `yaml:"classes" json:"classes"`
	// Positive is the label of the class that the thesis sets against the rest,
	// nil if the labels are +1 and -1 already.
	Positive *float64 `yaml:"positive" json:"positive,omitempty"`
	Licence  string   `yaml:"licence" json:"licence"`
	Citation string   `yaml:"citation" json:"citation"`
	Homepage string   `yaml:"homepage" json:"homepage"`
	// Thesis says where Cotter 2013 uses the dataset, with its table rows.
	Thesis string   `yaml:"thesis" json:"thesis"`
	Notes  []string `yaml:"notes" json:"notes,omitempty"`
	// Obtain says how to get data that are not distributed freely. Such an entry
	// has no files: there is a stand-in, and whoever has the data names them by
	// Ref.Path.
	Obtain string `yaml:"obtain" json:"obtain,omitempty"`
	// DefaultPart is the part that a Ref gets which names none: "all", or the
	// name of a Part. The default variant is the first.
	DefaultPart string    `yaml:"default_part" json:"default_part"`
	Variants    []Variant `yaml:"variants" json:"variants"`
	Files       []File    `yaml:"files" json:"files,omitempty"`
}

// Variant is one of several versions of a dataset, such as a9a, a8a and a1a of
// Adult.
type Variant struct {
	Name  string `yaml:"name" json:"name"`
	Parts []Part `yaml:"parts" json:"parts"`
}

// Part is a piece of a variant, such as its training set.
type Part struct {
	Name string `yaml:"name" json:"name"`
	Rows int    `yaml:"rows" json:"rows"`
	// Files names the files: one with rows and labels, or for IDX images and
	// labels; none if the entry has none.
	Files []string `yaml:"files" json:"files,omitempty"`
}

// File is a file of a dataset; SHA256 and Size are of its decompressed
// content.
type File struct {
	Name   string `yaml:"name" json:"name"`
	SHA256 string `yaml:"sha256" json:"sha256"`
	Size   int64  `yaml:"size" json:"size"`
	Forms  []Form `yaml:"forms" json:"forms"`
	// Obtain says how to get the file where no form has an address.
	Obtain string `yaml:"obtain" json:"obtain,omitempty"`
}

// Form is a way to store a File; SHA256 and Size are of the file as stored, ""
// and 0 for a compressed form of which they are not known: then only the
// content is verified.
type Form struct {
	Name   string   `yaml:"name" json:"name"`
	SHA256 string   `yaml:"sha256" json:"sha256,omitempty"`
	Size   int64    `yaml:"size" json:"size,omitempty"`
	URLs   []string `yaml:"urls" json:"urls,omitempty"`
}

// parseManifest reads and checks a manifest.
func parseManifest(text []byte) ([]Entry, error) {
	var entries []Entry
	if err := decodeYAML(text, &entries); err != nil {
		return nil, fmt.Errorf("datasets manifest: %w", err)
	}
	seen := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		if seen[e.Name] {
			return nil, fmt.Errorf("datasets manifest: two entries %s", e.Name)
		}
		seen[e.Name] = true
		if err := e.complete(); err != nil {
			return nil, fmt.Errorf("datasets manifest: %s: %w", e.Name, err)
		}
	}
	return entries, nil
}

// decodeYAML decodes an embedded file, in which no field may be unknown.
func decodeYAML(text []byte, to any) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	return dec.Decode(to)
}

var (
	sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	namePattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
)

// complete fills in what a form has from its file and checks the entry.
func (e *Entry) complete() error {
	if !namePattern.MatchString(e.Name) || e.Title == "" || e.Features <= 0 {
		return fmt.Errorf("name, title or features missing or wrong")
	}
	if !slices.Contains(formats, e.Format) {
		return unknown("format", e.Format, formats)
	}
	for i := range e.Files {
		f := &e.Files[i]
		for j := range f.Forms {
			g := &f.Forms[j]
			unknown := g.SHA256 == "" && g.Size == 0
			if unknown && !g.compressed() {
				g.SHA256, g.Size = f.SHA256, f.Size
				unknown = false
			}
			if !namePattern.MatchString(g.Name) || path.Base(g.Name) != g.Name || !unknown && (!sha256Pattern.MatchString(g.SHA256) || g.Size <= 0) {
				return fmt.Errorf("file %s: form %q: bad name, sha256 or size", f.Name, g.Name)
			}
		}
		if !sha256Pattern.MatchString(f.SHA256) || f.Size <= 0 || len(f.Forms) == 0 {
			return fmt.Errorf("file %s: bad sha256 or size, or no form", f.Name)
		}
	}
	if (e.Obtain != "") != (len(e.Files) == 0) {
		return fmt.Errorf("neither files nor a way to obtain them, or both")
	}
	if len(e.Variants) == 0 {
		return fmt.Errorf("no variant")
	}
	for _, v := range e.Variants {
		for _, p := range v.Parts {
			want := 1
			if e.Format == "idx" {
				want = 2
			}
			if e.Obtain != "" {
				want = 0
			}
			if p.Rows <= 0 || len(p.Files) != want {
				return fmt.Errorf("variant %s: part %s: bad rows or files", v.Name, p.Name)
			}
			for _, f := range p.Files {
				if e.file(f) == nil {
					return fmt.Errorf("variant %s: part %s: no file %s", v.Name, p.Name, f)
				}
			}
		}
		if _, err := v.parts(e.DefaultPart); err != nil {
			return fmt.Errorf("default_part: %w", err)
		}
	}
	return nil
}

// compressed reports whether the name says so.
func (g *Form) compressed() bool {
	return strings.HasSuffix(g.Name, ".gz") || strings.HasSuffix(g.Name, ".bz2")
}

func (e *Entry) file(name string) *File {
	for i := range e.Files {
		if e.Files[i].Name == name {
			return &e.Files[i]
		}
	}
	return nil
}

// variant returns the named variant; "" is the first.
func (e *Entry) variant(name string) (*Variant, error) {
	if name == "" {
		return &e.Variants[0], nil
	}
	var known []string
	for i := range e.Variants {
		if e.Variants[i].Name == name {
			return &e.Variants[i], nil
		}
		known = append(known, e.Variants[i].Name)
	}
	return nil, unknown("variant", name, known)
}

// parts returns the parts that a name stands for: one, or "all".
func (v *Variant) parts(name string) ([]Part, error) {
	if name == "all" {
		return v.Parts, nil
	}
	known := []string{"all"}
	for _, p := range v.Parts {
		if p.Name == name {
			return []Part{p}, nil
		}
		known = append(known, p.Name)
	}
	return nil, unknown("part", name, known)
}

// library is a manifest with the ways to get at its files.
type library struct {
	entries []Entry
	timeout timeouts
}

// standard is the library of the embedded manifest.
var standard = sync.OnceValue(func() *library {
	entries, err := parseManifest(manifestYAML)
	if err != nil {
		panic(err) // the embedded manifest is tested
	}
	return &library{entries: entries, timeout: defaultTimeouts}
})

func (l *library) entry(name string) *Entry {
	for i := range l.entries {
		if l.entries[i].Name == name {
			return &l.entries[i]
		}
	}
	return nil
}

// names lists what Ref.Source may be.
func (l *library) names() []string {
	var out []string
	for _, e := range l.entries {
		out = append(out, e.Name)
	}
	for _, g := range generators {
		out = append(out, g.Name)
	}
	return out
}

// resolve splits "name" or "name/variant".
func (l *library) resolve(name string) (*Entry, *Variant, error) {
	base, variant, _ := strings.Cut(name, "/")
	e := l.entry(base)
	if e == nil {
		if findGenerator(base) != nil {
			return nil, nil, fmt.Errorf("dataset %s is generated: it has no files", base)
		}
		return nil, nil, unknown("dataset", base, l.names())
	}
	v, err := e.variant(variant)
	if err != nil {
		return nil, nil, fmt.Errorf("dataset %s: %w", base, err)
	}
	return e, v, nil
}

// List returns the entries of the manifest. The caller must not change them.
func List() []Entry { return standard().entries }

// Sources returns everything that Ref.Source may be: the names of the manifest
// entries and of the generators.
func Sources() []string { return standard().names() }

// Info returns the manifest entry with the given name ("mnist", or with a
// variant, "adult/a8a", which must exist).
func Info(name string) (Entry, error) {
	e, _, err := standard().resolve(name)
	if err != nil {
		return Entry{}, err
	}
	return *e, nil
}
