package datasets

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Ref describes a dataset: either a Source or a Path.
type Ref struct {
	// Source is the name of a manifest entry or of a generator.
	Source string
	// Path is a user's file, plain or compressed with gzip or bzip2. Test is a second file of the
	// same format, whose rows follow as the part "test". If sparse files differ in the number of
	// features, the larger one applies.
	Path, Test string
	// Format of Path is "libsvm", "csv", "idx" or "npy"; "" derives it from the file name.
	Format string
	// Features is the number of features that Path must have; 0 means any.
	Features int
	// Label is the label column of a CSV or NumPy file: its name in the header, or its number,
	// where 1 is the first column and -1 the last. "" or "none" means no labels.
	Label string
	// With holds the parameters that Params lists for the source or format.
	With map[string]any
	// Positive makes the labels binary: labels equal to it become +1, all others -1. nil keeps the
	// labels.
	Positive *float64
	// Prepare lists preparation steps in order; see Preparations.
	Prepare []string
}

var formats = []string{"csv", "idx", "libsvm", "npy"}

// Formats returns the names of the file formats.
func Formats() []string { return slices.Clone(formats) }

// Check returns an error for unknown names and for contradictions that spec validation does not
// detect. It accesses no files.
func (r Ref) Check() error { return standard().check(r) }

// Shape returns the numbers of rows n and features d without reading data. n is 0 for a distribution;
// numbers that only the file contains are 0.
func (r Ref) Shape() (n, d int, err error) {
	l := standard()
	if err := l.check(r); err != nil {
		return 0, 0, err
	}
	if r.Path != "" {
		return 0, r.Features, nil
	}
	if e := l.entry(r.Source); e != nil {
		_, parts, err := e.pick(r.With)
		return totalRows(parts), e.Features, err
	}
	g, err := generate(r)
	return g.rows, g.dim, err
}

func (l *library) check(r Ref) error {
	err := l.checkRef(r)
	if name := cmp.Or(r.Source, r.Path); err != nil && name != "" {
		return &NamedError{name, err}
	}
	return err
}

func (l *library) checkRef(r Ref) error {
	if r.Path != "" {
		_, err := r.pathOptions()
		return err
	}
	if e := l.entry(r.Source); e != nil {
		_, _, err := e.pick(r.With)
		return err
	}
	g, err := generate(r)
	switch {
	case err != nil || g.table != nil:
		return err
	case len(r.Prepare) > 0:
		return fmt.Errorf("prepare: this is a distribution; preparation needs a table of rows")
	case r.Positive != nil:
		return fmt.Errorf("positive: this is a distribution, which has no labels")
	}
	return nil
}

// pick returns the variant and parts given by the parameters.
func (e *Entry) pick(with map[string]any) (*Variant, []Part, error) {
	p, err := readParams(with, entryParams)
	if err != nil {
		return nil, nil, err
	}
	v, err := e.variant(p.text("variant"))
	if err != nil {
		return nil, nil, err
	}
	parts, err := v.parts(cmp.Or(p.text("part"), e.DefaultPart))
	return v, parts, err
}

// pathOptions are the options for reading Ref.Path.
type pathOptions struct {
	format string
	csv    csvOptions // other formats use Features and Label
	labels [2]string  // label files of Path and Test, for IDX and NumPy
}

func (r Ref) pathOptions() (pathOptions, error) {
	o := pathOptions{format: cmp.Or(r.Format, FormatOf(r.Path))}
	if r.Label != "" && o.format != "csv" && o.format != "npy" {
		return o, fmt.Errorf("label chooses a column of a csv or npy file, but the format is %s", o.format)
	}
	o.csv.Features, o.csv.Label = r.Features, r.Label
	p, err := readParams(r.With, Params(o.format))
	if err != nil || o.format == "libsvm" {
		return o, err
	}
	if o.format != "csv" {
		o.labels = [2]string{p.text("labels"), p.text("test_labels")}
		switch {
		case o.labels[1] != "" && r.Test == "":
			return o, fmt.Errorf("parameter test_labels: there is no test file")
		case o.labels[0] != "" && r.Label != "":
			return o, fmt.Errorf("label chooses a column and labels a file: set only one of them")
		}
		return o, nil
	}
	standard := ","
	if strings.HasSuffix(plainName(r.Path), ".tsv") {
		standard = "\t"
	}
	delimiter := cmp.Or(p.text("delimiter"), standard)
	comma := []rune(delimiter)
	if len(comma) != 1 || strings.ContainsRune("\"\r\n\ufffd", comma[0]) {
		return o, fmt.Errorf("parameter delimiter: %q is not a valid delimiter: want one character, not a quote or line break", delimiter)
	}
	o.csv.Comma, o.csv.Decimal = comma[0], p.text("decimal")
	o.csv.Missing, o.csv.Ignore = p.text("missing"), p.text("ignore")
	if header, ok := p["header"].(bool); ok {
		o.csv.Header = &header
	}
	return o, nil
}

// FormatOf returns the format of a file, "libsvm", "csv", "idx" or "npy", by its name. It ignores an
// extension of compression. It returns "" if the name does not determine the format.
func FormatOf(path string) string {
	name := plainName(path)
	switch filepath.Ext(name) {
	case ".csv", ".tsv":
		return "csv"
	case ".libsvm", ".svm", ".svmlight":
		return "libsvm"
	case ".idx":
		return "idx"
	case ".npy":
		return "npy"
	}
	if is, _ := filepath.Match("*idx[1-4]-ubyte", name); is {
		return "idx"
	}
	return ""
}

// plainName returns the lower-case base name of a file without an extension of compression.
func plainName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz"), ".bz2")
}

// Param declares a parameter of Ref.With.
type Param struct {
	Name string
	// Kind is "bool", "int", "float" or "string".
	Kind string
	// Required parameters have no default.
	Required bool
	// Default is the default value, or nil.
	Default any
	// Choices, if any, lists the valid values of a string.
	Choices []string
	// Min and Max are the inclusive bounds of a number, which always has both.
	Min, Max *float64
	// Doc describes the parameter in a phrase.
	Doc string
}

// Params returns the parameters of Ref.With for a generator or a file format. Any other source is
// taken to be a manifest entry.
func Params(source string) []Param {
	out := map[string][]Param{"csv": csvParams, "idx": arrayParams, "npy": arrayParams, "libsvm": {}}[source]
	if g := findGenerator(source); g != nil {
		out = g.params
	} else if out == nil {
		out = entryParams
	}
	out = slices.Clone(out)
	for i, p := range out {
		if p.Default != nil {
			out[i].Doc += fmt.Sprintf(", %v if absent", p.Default)
		}
	}
	return out
}

var (
	entryParams = []Param{
		{Name: "part", Kind: "string", Doc: "which part of the dataset: train, test or all"},
		{Name: "variant", Kind: "string", Doc: "which variant of the dataset"},
	}
	csvParams = []Param{
		{Name: "header", Kind: "bool", Doc: "whether the first line names the columns; detected if absent"},
		{Name: "delimiter", Kind: "string", Doc: "the character between fields, a comma if absent"},
		{Name: "decimal", Kind: "string", Choices: []string{".", ","},
			Doc: "the decimal mark, a point if absent"},
		{Name: "ignore", Kind: "string", Doc: "columns that are not features, such as an id: names or numbers, separated by commas"},
		{Name: "missing", Kind: "string", Choices: []string{"error", "skip"}, Doc: "how to handle rows with an empty field, NA, N/A, NaN, null or ?: error if absent"},
	}
	arrayParams = []Param{
		{Name: "labels", Kind: "string", Doc: "path of the label file"},
		{Name: "test_labels", Kind: "string", Doc: "path of the label file of the test file"},
	}
)

func paramNames(declared []Param) []string {
	return names(declared, func(p *Param) string { return p.Name })
}

// values holds the values of parameters by name.
type values map[string]any

func (v values) int(name string) int       { return int(v[name].(float64)) }
func (v values) float(name string) float64 { return v[name].(float64) }

// text returns a string parameter, or "" if it is not set.
func (v values) text(name string) string {
	s, _ := v[name].(string)
	return s
}

// readParams returns the values of the declared parameters, with defaults, and numbers as float64. It
// returns an error for unknown and missing parameters; spec validation checks types and ranges.
func readParams(with map[string]any, declared []Param) (values, error) {
	for k := range with {
		if names := paramNames(declared); !slices.Contains(names, k) {
			return nil, unknown("parameter", k, names)
		}
	}
	out := values{}
	for _, p := range declared {
		v, ok := with[p.Name]
		switch {
		case !ok && p.Required:
			return nil, fmt.Errorf("parameter %s is required: the %s", p.Name, p.Doc)
		case !ok:
			v = p.Default
		}
		switch x := v.(type) {
		case int:
			v = float64(x)
		case int64:
			v = float64(x)
		}
		out[p.Name] = v
	}
	return out, nil
}
