package datasets

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Ref is what a spec says of a dataset: either a Source or a Path.
type Ref struct {
	// Source is the name of a manifest entry or of a generator.
	Source string
	// Path is a file of the user's own, plain, gzip or bzip2. Test is a second one, of
	// the same format and with the same labels, whose rows follow as the part
	// "test"; the features are the larger number of the two.
	Path, Test string
	// Format of Path: "libsvm", "csv", "idx" or "npy". Empty: by the file's name.
	Format string
	// Features is the number of features that Path must have; 0 means any.
	Features int
	// Label is the label column of a CSV or NumPy file: a name of its header, or a number, 1 for
	// the first column, -1 for the last. "" or "none": no labels.
	Label string
	// With holds parameters: of a manifest entry `part` (train, test or all)
	// and `variant`; of a generator see Generators; of a CSV file `header`
	// (true or false), `delimiter`, `decimal`, `ignore` and `missing` (error or skip); of an IDX
	// or NumPy file `labels`, the path of its label file, and `test_labels`, that of Test.
	With map[string]any
	// Positive makes the labels binary: those equal to it become +1, all others
	// -1. nil leaves the labels as they are.
	Positive *float64
	// Prepare names preparation steps, see Preparations, in order.
	Prepare []string
}

var formats = []string{"csv", "idx", "libsvm", "npy"}

// Formats returns the names of the formats of files.
func Formats() []string { return slices.Clone(formats) }

// Check returns an error for names that do not exist and for contradictions that a validated spec can
// have. It touches no file.
func (r Ref) Check() error { return standard().check(r) }

// Shape returns the number of rows n (0 for a distribution) and of features d
// that Open will give, 0 where only reading the data can tell.
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
		return fmt.Errorf("prepare: it is a distribution, and preparation needs a table of rows")
	case r.Positive != nil:
		return fmt.Errorf("positive: it is a distribution without labels")
	}
	return nil
}

// pick returns the variant and parts that the parameters name.
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

// pathOptions are the options for reading r.Path.
type pathOptions struct {
	format string
	csv    csvOptions // Features also for the other formats
	labels [2]string  // idx and npy: the label files of Path and Test
}

func (r Ref) pathOptions() (pathOptions, error) {
	o := pathOptions{format: cmp.Or(r.Format, FormatOf(r.Path))}
	if r.Label != "" && o.format != "csv" && o.format != "npy" {
		return o, fmt.Errorf("label names a column of a csv or npy file; the format is %s", o.format)
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
			return o, fmt.Errorf("label names a column, and the parameter labels a file: which one holds the labels?")
		}
		return o, nil
	}
	usual := ","
	if strings.HasSuffix(plainName(r.Path), ".tsv") {
		usual = "\t"
	}
	delimiter := cmp.Or(p.text("delimiter"), usual)
	comma := []rune(delimiter)
	if len(comma) != 1 || strings.ContainsRune("\"\r\n\ufffd", comma[0]) {
		return o, fmt.Errorf("parameter delimiter: %q is not a single character that can separate fields", delimiter)
	}
	o.csv.Comma, o.csv.Decimal = comma[0], p.text("decimal")
	o.csv.Missing, o.csv.Ignore = p.text("missing"), p.text("ignore")
	if header, ok := p["header"].(bool); ok {
		o.csv.Header = &header
	}
	return o, nil
}

// FormatOf tells the format of a file, "libsvm", "csv", "idx" or "npy", by its name,
// without an ending of compression; it is "" where the name does not tell.
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

// plainName returns the base name of a file in small letters, without an ending of compression.
func plainName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz"), ".bz2")
}

// Param declares a parameter of Ref.With.
type Param struct {
	Name string
	// Kind is "bool", "int", "float" or "string".
	Kind string
	// Required parameters must be given.
	Required bool
	// Default is the value of a parameter that is not given; nil leaves it out.
	Default any
	// Choices, if any, lists the values that a string may have.
	Choices []string
	// Min and Max bound numbers, both inclusive; every number has both.
	Min, Max *float64
	// Doc is a phrase for the user.
	Doc string
}

// Params returns the parameters that Ref.With may have: those of a generator, of the
// format of a file, or else of an entry of the manifest.
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
		{Name: "header", Kind: "bool", Doc: "whether the first line names the columns; if absent, its content decides"},
		{Name: "delimiter", Kind: "string", Doc: "the character between fields, a comma if absent"},
		{Name: "decimal", Kind: "string", Choices: []string{".", ","},
			Doc: "the decimal mark, a point if absent, or a comma"},
		{Name: "ignore", Kind: "string", Doc: "columns that are no features, such as an id, by name or number, with commas between"},
		{Name: "missing", Kind: "string", Choices: []string{"error", "skip"}, Doc: "what to do about rows with an empty field, NA, N/A, NaN, null or ?: error if absent, or skip them"},
	}
	arrayParams = []Param{
		{Name: "labels", Kind: "string", Doc: "path of the file of labels"},
		{Name: "test_labels", Kind: "string", Doc: "path of the file of labels of the file that test names"},
	}
)

func paramNames(declared []Param) []string {
	return names(declared, func(p *Param) string { return p.Name })
}

// values are the values of parameters that were declared.
type values map[string]any

func (v values) int(name string) int       { return int(v[name].(float64)) }
func (v values) float(name string) float64 { return v[name].(float64) }

// text returns a parameter that is a text, "" if it is not given.
func (v values) text(name string) string {
	s, _ := v[name].(string)
	return s
}

// readParams returns the values of declared parameters, with defaults, and numbers as float64. Their
// types, choices and ranges are checked where a spec is validated.
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
			return nil, fmt.Errorf("parameter %s is missing: the %s", p.Name, p.Doc)
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
