package cli

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/internal/words"

	"gopkg.in/yaml.v3"
)

// sweep is what the template of a task is filled with.
type sweep struct {
	// Command is what the spec was written by, File where it is.
	Command, File     string
	Name, Task, Title string
	// Saw are lines of a comment on the data.
	Saw []string
	// ID is of the dataset.
	ID      string
	Ref     datasets.Ref
	StandIn bool
	// Split says that there are rows to split.
	Split                   bool
	PositiveWhy, PrepareWhy string
	SubsetWhy               string
	// Subset is the number of rows kept of each split, nil for all.
	Subset []int
	// Repeats is the number of repeats, Length the budget of a run, in passes or iterations,
	// Points the number of recorded points.
	Repeats, Length, Points int
	// Passes is how many passes over the training rows the iterations are, "" where
	// there are no rows.
	Passes string
	// K are the dimensions that are sought.
	K []int
	// Median is that of the squared distances, Gamma what is proposed for it.
	Median string
	Gamma  []string
	// Support is the largest support size that the table shows, Sizes are all of them, Ratio
	// the shares of rows that a subset of so many is.
	Support int
	Sizes   []int
	Ratio   []string

	// Rows is the number of rows in all splits together, kept how many of them the sweep uses.
	Rows, kept int
}

//go:embed templates/*.yaml
var templates embed.FS

var sweepTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"yaml": flow, "join": join, "comment": comment,
}).ParseFS(templates, "templates/*.yaml"))

// flow is a value as YAML in one line.
func flow(v any) (string, error) {
	var n yaml.Node
	if err := n.Encode(v); err != nil {
		return "", err
	}
	n.Style |= yaml.FlowStyle
	for _, part := range append(n.Content, &n) {
		if strings.Contains(part.Value, "\n") {
			part.Style = yaml.DoubleQuotedStyle
		}
	}
	text, err := yaml.Marshal(&n)
	return strings.TrimSpace(string(text)), err
}

// comment is a text as a comment of as many lines as it takes.
func comment(indent, text string) string {
	start := indent + "# "
	return start + strings.Join(words.Wrap(text, commentWidth-len(start), start), "\n")
}

const commentWidth = 98

func join(v any) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ", ")
}

func (s *sweep) render() ([]byte, error) {
	var b bytes.Buffer
	err := sweepTemplates.ExecuteTemplate(&b, s.Task+".yaml", s)
	return b.Bytes(), err
}

var newTitles = map[string]string{
	registry.TaskSVM: "Kernel SVMs", registry.TaskSparse: "SVMs of few support vectors", registry.TaskPCA: "Streaming PCA",
}

// leastRows is the fewest rows that a sweep is proposed for.
const leastRows = 20

// look opens the data and proposes a sweep.
func (o *newOptions) look(ctx context.Context, a *app) (*sweep, error) {
	s := &sweep{Task: o.task, Points: 60}
	opt := o.data.options(a)
	if o.path == "" {
		s.builtIn()
		opt.AllowStandIn = true
	} else if err := s.file(o, opt); err != nil {
		return nil, err
	}
	s.Title = newTitles[s.Task] + " on " + s.ID
	data, err := s.open(ctx, opt)
	if err != nil {
		return nil, err
	}
	if data.Table == nil {
		s.Saw = append(s.Saw, fmt.Sprintf("%s: a distribution of %s, from which samples are drawn without end.",
			s.ID, words.Count(data.Dim(), "feature")))
		return s, s.pca(data.Dim())
	}
	t := data.Table
	s.Split, s.Rows = true, t.N
	if t.N < leastRows {
		return nil, fmt.Errorf("%s: %s: too few to train, choose and test on; %d are the least here",
			s.ID, words.Count(t.N, "row"), leastRows)
	}
	outline := t.Outline()
	if rows := data.Rows(); rows != "" {
		s.Saw = append(s.Saw, "missing: skip leaves "+rows+".")
	}
	if outline.Constant == t.D {
		return nil, fmt.Errorf("%s: every feature has one value only: there is nothing to learn from", s.ID)
	}
	s.describe(t, outline, o.path != "")
	if o.task == registry.TaskPCA {
		s.preparePCA(t, outline, opt.MaxBytes)
		return s, s.pca(t.D)
	}
	if s.Ref.Positive, err = t.Positive(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	s.classes(t)
	if s.prepareSVM(t, outline) {
		if data, err = s.open(ctx, opt); err != nil {
			return nil, err
		}
	}
	return s, s.svm(data.Table)
}

// open opens the data. An error about a file begins with its name.
func (s *sweep) open(ctx context.Context, opt datasets.Options) (*datasets.Data, error) {
	data, err := datasets.Open(ctx, s.Ref, opt)
	if named, ok := errors.AsType[*datasets.NamedError](err); ok && named.Dataset == "" {
		err = named.Err
	}
	return data, err
}

// builtIn proposes data where there is no file.
func (s *sweep) builtIn() {
	if s.Task == registry.TaskPCA {
		s.ID, s.Ref.Source, s.Ref.With = "simulated", "simulated-gaussian", map[string]any{"dim": 50, "gap": 4}
		return
	}
	s.ID, s.Ref.Source, s.StandIn = "adult", "adult", true
}

// file looks at the user's file.
func (s *sweep) file(o *newOptions, from datasets.Options) error {
	opt := datasets.LookOptions{Label: o.label, Unlabelled: o.task == registry.TaskPCA, Options: from}
	if o.header != "" {
		opt.Header = new(o.header == "true")
	}
	l, err := datasets.LookAt(o.path, opt)
	if err != nil {
		return err
	}
	s.Ref, s.ID = l.Ref, datasetID(o.path)
	text := fmt.Sprintf("%s: %s", shown(o.path), map[string]string{"csv": "CSV", "libsvm": "LIBSVM", "idx": "IDX"}[l.Format])
	if l.Compression != "" {
		text += ", compressed by " + l.Compression
	}
	if l.Format == "csv" {
		text += map[bool]string{true: ", with a header", false: ", without a header"}[l.Header != nil]
		if c, ok := l.Ref.With["delimiter"]; ok {
			text += fmt.Sprintf(", fields separated by %q", c)
		}
	}
	s.Saw = append(s.Saw, text+".")
	if len(l.Left) > 0 {
		s.Saw = append(s.Saw, fmt.Sprintf("Left out (ignore), as they hold texts or row numbers: %s.",
			words.List(l.Left, shownClasses)))
	}
	where := ""
	switch {
	case l.Ref.Label != "":
		where = "Labels: column " + shown(l.Ref.Label)
	case l.Ref.With["labels"] != nil:
		where = "Labels: file " + shown(fmt.Sprint(l.Ref.With["labels"]))
	case l.Format == "csv":
		where = "Labels: none; every column is a feature"
	}
	if l.LabelWhy != "" {
		where += " (" + l.LabelWhy + "; --label names another)"
	}
	if where != "" {
		s.Saw = append(s.Saw, where+".")
	}
	return nil
}

// datasetID makes an id of the name of a file.
func datasetID(path string) string {
	name, _, _ := strings.Cut(strings.ToLower(filepath.Base(path)), ".")
	id := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name), "-")
	if id == "" || len(id) > 50 {
		return "mine"
	}
	return id
}

// describe says what the table is like.
func (s *sweep) describe(t *datasets.Table, o datasets.Outline, own bool) {
	text := fmt.Sprintf("%s, %s, values from %s to %s, %s of them not 0",
		words.Count(t.N, "row"), words.Count(t.D, "feature"),
		words.Digits(o.Least, 4), words.Digits(o.Most, 4), words.Percent(o.Stored))
	if !own {
		text = fmt.Sprintf("%s, built in: %s", s.ID, text)
	}
	if o.Constant > 0 {
		text += fmt.Sprintf("; %s the same in all rows", words.Count(o.Constant, "feature"))
	}
	s.Saw = append(s.Saw, text+".")
}

const (
	// shownClasses is the number of classes that a line lists.
	shownClasses = 10
	// sweepRows is the number of rows that a sweep of SVMs keeps, so that it takes seconds. It
	// keeps more if less than rareRows of them are expected to be of the rarer class.
	sweepRows, rareRows = 2500, 30
)

// classes says which labels there are, and which is positive.
func (s *sweep) classes(t *datasets.Table) {
	var list []string
	classes := t.Classes()
	rare := t.N // the rows of the rarer side
	for _, c := range classes {
		if s.Ref.Positive == nil || c.Label == *s.Ref.Positive {
			rare = min(rare, c.Rows, t.N-c.Rows)
		}
		list = append(list, className(c, words.Count(c.Rows, "row")))
	}
	s.kept = min(t.N, max(sweepRows, rareRows*(t.N/rare)))
	s.Saw = append(s.Saw, "Labels are "+words.List(list, shownClasses)+".")
	if p := s.Ref.Positive; p != nil {
		label := className(classes[slices.IndexFunc(classes, func(c datasets.Class) bool { return c.Label == *p })])
		s.PositiveWhy = fmt.Sprintf("The label %s is +1, and the other -1.", label)
		if len(classes) > 2 {
			s.PositiveWhy = fmt.Sprintf("An SVM tells two classes apart: %s is +1, and the others -1. Any label may stand here.", label)
			s.Saw = append(s.Saw, fmt.Sprintf("Label %s against the rest; `positive` in the spec names another.", label))
		}
	}
}

// className is the label of a class, or the text that it stands for, with notes in brackets.
func className(c datasets.Class, notes ...string) string {
	text := words.Digits(c.Label, 6)
	if c.Text != "" {
		text, notes = shown(c.Text), append([]string{"read as " + text}, notes...)
	}
	if len(notes) == 0 {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(notes, ", "))
}

// unevenRanges is how much wider some features may be than others before they count the same.
const unevenRanges = 10

// prepareSVM says how features of different scale are prepared, and reports whether they are.
func (s *sweep) prepareSVM(t *datasets.Table, o datasets.Outline) bool {
	if o.Uneven < unevenRanges {
		return false
	}
	if t.Sparse() && o.Stored < 0.5 {
		s.PrepareWhy = unevenText(o) + ", and the kernel sees the wide ones. " +
			"For a better classifier, scale the columns of the file."
		s.Saw = append(s.Saw, s.PrepareWhy)
		return false
	}
	s.Ref.Prepare = []string{"standardize-unit-expected-norm"}
	s.PrepareWhy = unevenText(o) + ", and the kernel would see the wide ones only: this gives all the same variance."
	return true
}

func unevenText(o datasets.Outline) string {
	return fmt.Sprintf("The ranges of features differ by a factor of %s", words.Rounded(o.Uneven))
}

// preparePCA centres what can be centred within the memory.
func (s *sweep) preparePCA(t *datasets.Table, o datasets.Outline, most int64) {
	s.Ref.Prepare = []string{"center", "unit-expected-norm"}
	s.PrepareWhy = "About the mean, and of norm 1 on average, which the grids of steps are for."
	if o.Uneven >= unevenRanges && !t.Sparse() {
		s.Ref.Prepare = []string{"standardize-unit-expected-norm"}
		s.PrepareWhy = unevenText(o) + ": about the mean, and all of the same variance."
	}
	if t.Sparse() && most > 0 && 8*float64(t.N)*float64(t.D) > float64(most)/4 {
		s.Ref.Prepare = s.Ref.Prepare[1:]
		s.PrepareWhy = "Of norm 1 on average. Centring would store all zeros, for which there is not the memory."
	}
}

// pca proposes dimensions.
func (s *sweep) pca(d int) error {
	if d < 2 {
		return fmt.Errorf("%s: PCA needs two features or more, and there is one", s.ID)
	}
	s.K = upTo([]int{1, 4, 16}, d/2)
	s.Repeats, s.Length = 3, 1000
	if s.Rows > 0 {
		s.Passes = words.Significant(float64(s.Length)/float64(s.trainRows(s.Rows)), 2)
	}
	return nil
}

func (s *sweep) trainRows(rows int) int { return rows * 6 / 10 }

// svm proposes a kernel and support sizes.
func (s *sweep) svm(t *datasets.Table) error {
	m := t.MedianDistance()
	if m == 0 {
		return fmt.Errorf("%s: the rows that were looked at are all the same: there is nothing to learn from", s.ID)
	}
	s.Median = words.Rounded(m)
	for _, times := range []float64{0.25, 1, 4} {
		s.Gamma = append(s.Gamma, words.Digits(times/m, 2))
	}
	s.Repeats, s.Length = 3, 10
	if s.kept < s.Rows {
		s.Subset = []int{s.trainRows(s.kept), s.kept * 2 / 10, s.kept * 2 / 10}
		s.SubsetWhy = fmt.Sprintf("%d of %d rows, to keep the sweep short. Remove this for all.", s.kept, s.Rows)
	}
	if s.Task == registry.TaskSparse {
		s.sparse(s.trainRows(s.kept))
	}
	return nil
}

// sparse proposes support sizes for a number of training rows.
func (s *sweep) sparse(train int) {
	s.Repeats, s.Length = 1, 5000 // the table is of one repeat
	s.Support = min(100, train)
	s.Sizes = append(upTo([]int{3, 10, 30}, s.Support-1), s.Support)
	for _, share := range []float64{0.25, 0.5, 1} {
		// Rounded down, so that the support is no larger.
		ratio := math.Floor(1e5*share*float64(s.Support)/float64(train)) / 1e5
		s.Ratio = append(s.Ratio, strconv.FormatFloat(math.Max(ratio, 1e-5), 'g', -1, 64))
	}
}

// upTo returns the increasing choices that are at most a bound, and always the first.
func upTo(choices []int, most int) []int {
	n := 1
	for n < len(choices) && choices[n] <= most {
		n++
	}
	return choices[:n]
}
