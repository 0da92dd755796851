// Package propose inspects data and proposes a sweep over it, as a spec with comments.
package propose

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"stochopt/datasets"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"gopkg.in/yaml.v3"
)

// Tasks are the tasks for which New can propose a sweep.
var Tasks = []string{record.TaskSVM, record.TaskSparse, record.TaskPCA}

// Sweep has the data for the template of a task.
type Sweep struct {
	Name, File, Command string // the spec's name, its file, and the command that wrote it
	Task, ID            string // ID is the id of the dataset
	Ref                 datasets.Ref
	StandIn             bool
	Findings            []string // sentences about the data
	// Rows is the number of rows in all splits, 0 for a distribution. Kept is the number of rows that the
	// sweep uses, and Subset the number of rows of each split, nil if it uses all.
	Rows, Kept int
	Subset     []int

	PositiveReason, PrepareReason string
	K                             []int    // dimensions of PCA
	Passes                        string   // number of passes over the training rows for PCA, "" without rows
	Median                        string   // median squared distance
	Gamma                         []string // gammas around the inverse of Median
	Support                       int      // largest support size in the table
	Sizes                         []int    // all support sizes
	Ratio                         []string // fractions of rows, up to the largest support size
}

//go:embed templates/*.yaml
var templates embed.FS

var sweepTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"yaml": flow, "join": join, "comment": comment,
}).ParseFS(templates, "templates/*.yaml"))

// flow formats a value as YAML on one line.
func flow(v any) (string, error) {
	var list yaml.Node
	err := list.Encode([]any{v})
	list.Style = yaml.FlowStyle
	text, _ := yaml.Marshal(&list)
	return strings.TrimSuffix(strings.TrimPrefix(string(text), "["), "]\n"), err
}

// Width is the maximum length of a comment line.
const Width = 98

// comment formats a text as a YAML comment, wrapped at Width.
func comment(indent, text string) string {
	start := indent + "# "
	return start + strings.Join(words.Wrap(text, Width-len(start), start), "\n")
}

func join(v any) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ", ")
}

// Render returns the text of the spec.
func (s *Sweep) Render() ([]byte, error) {
	var b bytes.Buffer
	err := sweepTemplates.ExecuteTemplate(&b, s.Task+".yaml", s)
	return b.Bytes(), err
}

var plainName = regexp.MustCompile(`^[a-zA-Z0-9./_-]+$`)

// Quoted quotes a name for a comment if it has special characters.
func Quoted(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// New proposes a sweep over the file at path, or over built-in data if path is empty.
func New(ctx context.Context, task, path string, look datasets.InspectOptions) (*Sweep, error) {
	s := &Sweep{Task: task}
	opt := look.Options
	pca := task == record.TaskPCA
	switch {
	case path != "":
		look.Unlabelled = pca
		l, err := datasets.Inspect(path, look)
		if err != nil {
			return nil, err
		}
		s.ID, s.Ref = datasetID(path), l.Ref
		s.describeFile(l)
	case pca:
		s.ID, s.Ref.Source, s.Ref.With = "simulated", "simulated-gaussian", map[string]any{"dim": 50, "gap": 4}
	default:
		s.ID, s.Ref.Source, s.StandIn, opt.AllowStandIn = "adult", "adult", true, true
		s.addFinding("%s is built in.", s.ID)
	}
	data, err := s.open(ctx, opt)
	if err != nil {
		return nil, err
	}
	t := data.Table
	if t == nil {
		s.addFinding("%s: a distribution of %s, with an unlimited number of samples.",
			s.ID, words.Count(data.Dim(), "feature"))
		return s, s.pca(data.Dim())
	}
	s.Rows = t.N
	features := t.FeatureSummary()
	switch {
	case t.N < 20:
		return nil, fmt.Errorf("%s: %s: at least 20 are needed for training, validation and test",
			s.ID, words.Count(t.N, "row"))
	case features.Constant == t.D:
		return nil, fmt.Errorf("%s: every feature is constant", s.ID)
	}
	if rows := data.Rows(); rows != "" {
		s.addFinding("With missing: skip, the data have %s.", rows)
	}
	text := fmt.Sprintf("%s, %s, values from %s to %s, %s of them not 0",
		words.Count(t.N, "row"), words.Count(t.D, "feature"),
		words.Digits(features.Least, 4), words.Digits(features.Most, 4), words.Percent(features.Density))
	if features.Constant > 0 {
		text += fmt.Sprintf("; %s the same in all rows", words.Count(features.Constant, "feature"))
	}
	s.addFinding("%s.", text)
	s.prepare(t, features, opt.MaxBytes)
	if pca {
		return s, s.pca(t.D)
	}
	if s.Ref.Positive, err = t.Positive(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	s.classes(t)
	if s.Ref.Prepare != nil { // the kernel depends on the prepared rows
		if data, err = s.open(ctx, opt); err != nil {
			return nil, err
		}
	}
	return s, s.svm(data.Table)
}

// open opens the data. It removes an empty name of the dataset from an error.
func (s *Sweep) open(ctx context.Context, opt datasets.Options) (*datasets.Data, error) {
	data, err := datasets.Open(ctx, s.Ref, opt)
	if named, ok := errors.AsType[*datasets.NamedError](err); ok && named.Dataset == "" {
		err = named.Err
	}
	return data, err
}

func (s *Sweep) addFinding(format string, args ...any) {
	s.Findings = append(s.Findings, fmt.Sprintf(format, args...))
}

// describeFile adds the findings about a file.
func (s *Sweep) describeFile(l *datasets.Inspection) {
	text, labels := Quoted(l.Ref.Path)+": "+strings.ToUpper(l.Format), ""
	if l.Compression != "" {
		text += ", compressed by " + l.Compression
	}
	if l.Format == "csv" {
		text += map[bool]string{true: ", with a header", false: ", without a header"}[l.Header != nil]
		labels = "none; all columns are features"
	}
	if c, ok := l.Ref.With["delimiter"]; ok {
		text += fmt.Sprintf(", fields separated by %q", c)
	}
	if l.Ref.With["decimal"] == "," {
		text += ", with decimal commas"
	}
	s.addFinding("%s.", text)
	if len(l.Left) > 0 {
		s.addFinding("Ignored columns, which contain text or row numbers: %s.", words.List(l.Left, maxListed))
	}
	if file, ok := l.Ref.With["labels"].(string); ok {
		labels = "file " + Quoted(file)
	} else if l.Ref.Label != "" {
		labels = "column " + Quoted(l.Ref.Label)
	}
	if l.LabelReason != "" {
		labels += " (" + l.LabelReason + "; --label selects another)"
	}
	if labels != "" {
		s.addFinding("Labels: %s.", labels)
	}
}

var notInID = regexp.MustCompile(`[^a-z0-9]+`)

// datasetID derives a dataset id from a file name.
func datasetID(path string) string {
	name, _, _ := strings.Cut(strings.ToLower(filepath.Base(path)), ".")
	return cmp.Or(strings.Trim(notInID.ReplaceAllString(name[:min(len(name), 50)], "-"), "-"), "mine")
}

// scaleRatio is the smallest ratio of feature ranges at which features are scaled.
const scaleRatio = 10

// prepare proposes preparation steps. Features with different ranges are scaled to the same variance, unless this
// would store the zeros of a sparse table. For PCA, rows are centred if they then fit in maxBytes, 0 for no limit.
func (s *Sweep) prepare(t *datasets.Table, f datasets.FeatureSummary, maxBytes int64) {
	ranges := fmt.Sprintf("The ranges of features differ by a factor of %s", words.Rounded(f.RangeRatio))
	scaled := []string{"standardize-unit-expected-norm"}
	dense := 8 * float64(t.N) * float64(t.D)
	switch pca := s.Task == record.TaskPCA; {
	case pca && t.Sparse() && maxBytes > 0 && dense > float64(maxBytes)/4:
		s.Ref.Prepare = []string{"unit-expected-norm"}
		s.PrepareReason = "Scaled to an average norm of 1. Centring would store all zeros, which would need too much memory."
	case pca && f.RangeRatio >= scaleRatio && !t.Sparse():
		s.Ref.Prepare, s.PrepareReason = scaled, ranges+", so they are centred and scaled to the same variance."
	case pca:
		s.Ref.Prepare = []string{"center", "unit-expected-norm"}
		s.PrepareReason = "Centred and scaled to an average norm of 1, which suits the grids of step sizes."
	case f.RangeRatio < scaleRatio:
	case t.Sparse() && f.Density < 0.5:
		s.PrepareReason = ranges +
			", so wide features dominate the kernel. For a better classifier, scale the columns of the file."
		s.addFinding("%s", s.PrepareReason)
	default:
		s.Ref.Prepare = scaled
		s.PrepareReason = ranges + ", so wide features would dominate the kernel. This scales all to the same variance."
	}
}

// maxListed is the maximum number of names in a list.
const maxListed = 10

// sweepRows is the number of rows in an SVM sweep that takes seconds. More rows are used if the expected number of
// rows in the rarer class is below rareRows.
const sweepRows, rareRows = 2500, 30

// classes describes the labels and selects the positive one.
func (s *Sweep) classes(t *datasets.Table) {
	var list []string
	positive := ""
	classes, rare := t.Classes(), t.N // rare is the number of rows in the rarer class
	for _, c := range classes {
		text, rows := words.Digits(c.Label, 6), words.Count(c.Rows, "row")
		name, note := text, rows
		if c.Text != "" {
			name, note = fmt.Sprintf("%s (read as %s)", Quoted(c.Text), text), "read as "+text+", "+rows
			text = Quoted(c.Text)
		}
		list = append(list, fmt.Sprintf("%s (%s)", text, note))
		if s.Ref.Positive == nil || c.Label == *s.Ref.Positive {
			rare, positive = min(rare, c.Rows, t.N-c.Rows), name
		}
	}
	s.Kept = min(t.N, max(sweepRows, rareRows*(t.N/rare)))
	s.addFinding("Labels are %s.", words.List(list, maxListed))
	switch {
	case s.Ref.Positive == nil:
	case len(classes) == 2:
		s.PositiveReason = fmt.Sprintf("The label %s is +1, the other -1.", positive)
	default:
		s.PositiveReason = fmt.Sprintf("An SVM separates two classes: %s is +1, the others -1. "+
			"Any other label is possible.", positive)
		s.addFinding("Label %s against the rest; `positive` in the spec selects another.", positive)
	}
}

// pca proposes dimensions k.
func (s *Sweep) pca(d int) error {
	if d < 2 {
		return fmt.Errorf("%s: PCA needs at least two features, but there is one", s.ID)
	}
	s.K = upTo(d/2, 1, 4, 16)
	if s.Rows > 0 {
		s.Passes = words.Significant(1000/float64(trainRows(s.Rows)), 2) // the template has 1000 iterations
	}
	return nil
}

func trainRows(rows int) int { return rows * 6 / 10 }

// svm proposes a kernel and support sizes.
func (s *Sweep) svm(t *datasets.Table) error {
	m := t.MedianDistance()
	if m == 0 {
		return fmt.Errorf("%s: all rows in the sample are equal", s.ID)
	}
	s.Median = words.Rounded(m)
	for _, times := range []float64{0.25, 1, 4} {
		s.Gamma = append(s.Gamma, words.Digits(times/m, 2))
	}
	train := trainRows(s.Kept)
	if s.Kept < s.Rows {
		s.Subset = []int{train, s.Kept * 2 / 10, s.Kept * 2 / 10}
	}
	s.Support = min(100, train)
	s.Sizes = append(upTo(s.Support-1, 3, 10, 30), s.Support)
	for _, share := range []float64{0.25, 0.5, 1} {
		// Round down, so that the support does not exceed s.Support.
		ratio := math.Floor(1e5*share*float64(s.Support)/float64(train)) / 1e5
		s.Ratio = append(s.Ratio, strconv.FormatFloat(math.Max(ratio, 1e-5), 'g', -1, 64))
	}
	return nil
}

// upTo returns the choices that do not exceed limit.
func upTo(limit int, choices ...int) []int {
	return slices.DeleteFunc(choices, func(c int) bool { return c > limit })
}
