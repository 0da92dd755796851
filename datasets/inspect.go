package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/disk"
)

// Inspection describes a user's file, as detected by Inspect.
type Inspection struct {
	// Ref opens the file. It sets the format and the delimiter only where they do not follow from
	// the file name.
	Ref Ref
	// Format is "csv", "libsvm", "idx" or "npy", Compression "gzip", "bzip2" or "".
	Format, Compression string
	// Header is the header of a CSV file, or nil.
	Header []string
	// Left describes the columns of a CSV file that Ref ignores.
	Left []string
	// LabelReason is the reason for the choice of the label column or file. It is "" if there are no
	// labels or the user chose them.
	LabelReason string
}

// InspectOptions are the options of Inspect.
type InspectOptions struct {
	// Label is the label column of a CSV or NumPy file, as in Ref.Label, or the label file of an
	// IDX or NumPy file. "" detects it, "none" means no labels.
	Label string
	// Header says whether the first line of a CSV file names the columns; nil detects it.
	Header *bool
	// Unlabelled means that labels are optional: they are used only if a name identifies them.
	Unlabelled bool
	// Options provides Dir and MaxBytes.
	Options Options
}

// Inspect detects the format, the delimiter and the labels of a file. It reads all of a CSV file to
// find the label column. It returns an error if the file is invalid, or if labels are needed and
// not found.
func Inspect(path string, opt InspectOptions) (*Inspection, error) {
	l := &Inspection{Ref: Ref{Path: path}}
	head, whole, err := l.readHead(opt.Options.path(path))
	if err != nil {
		return nil, err
	}
	named := FormatOf(path)
	if l.Format = formatOfContent(head, whole); l.Format == "" {
		l.Format = named
	}
	if l.Format == "" && delimiterOf(head, whole) != 0 {
		l.Format = "csv"
	}
	switch {
	case l.Format == "":
		return nil, fmt.Errorf("%s: unknown format: want LIBSVM (label index:value …), "+
			"CSV (numbers separated by one character), IDX or NumPy (.npy)", path)
	case l.Format != named:
		l.Ref.Format = l.Format
	}
	switch {
	case l.Format == "csv":
		err = l.csv(head, whole, opt)
	case opt.Header != nil:
		err = fmt.Errorf("%s: only CSV files have a header; omit --header", path)
	case l.Format != "libsvm":
		err = l.array(head, opt)
	case opt.Label != "":
		err = fmt.Errorf("%s: each line of a LIBSVM file begins with its label; omit --label", path)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// readHead returns up to headBytes of the decompressed content, and whether that is all of it.
func (l *Inspection) readHead(path string) (head []byte, whole bool, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	r, compression, err := decompress(f)
	if err == nil {
		l.Compression = compression
		head, err = io.ReadAll(io.LimitReader(r, headBytes))
	}
	if err == nil {
		err = checkUTF8(head)
	}
	if err == nil && len(head) == 0 {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return nil, false, syntaxError(l.Ref.Path, 0, "%w", err)
	}
	return head, len(head) < headBytes, nil
}

// formatOfContent returns "idx", "npy" or "libsvm" if head has that format, else "".
func formatOfContent(head []byte, whole bool) string {
	switch {
	case isIDX(head):
		return "idx"
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return "npy"
	}
	pairs := false
	for _, line := range fullLines(head, whole) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		for i, field := range bytes.Fields(line) {
			index, _, pair := bytes.Cut(field, []byte(":"))
			_, err := strconv.ParseUint(string(index), 10, 64)
			if i == 0 && !isNumber(string(field)) || i > 0 && (!pair || err != nil) {
				return ""
			}
			pairs = pairs || pair
		}
	}
	if pairs {
		return "libsvm"
	}
	return ""
}

// siblings holds parts of names of data files and the corresponding parts of names of label files.
var siblings = [][2]string{
	{"images", "labels"}, {"features", "labels"}, {"data", "labels"}, {"data", "target"}, {"X", "y"}, {"x", "y"},
}

// array detects the labels of an IDX or NumPy file.
func (l *Inspection) array(head []byte, opt InspectOptions) error {
	path := l.Ref.Path
	h, err := readArrayHeader(bytes.NewReader(head))
	_, notNumber := strconv.Atoi(opt.Label)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case len(h.dims) == 1:
		return fmt.Errorf("%s: this looks like a label file, as it has one dimension: "+
			"give the file of the rows as the data and this one with --label", path)
	case opt.Label == "none" || opt.Label == "" && opt.Unlabelled:
		return nil
	case l.Format == "npy" && notNumber == nil:
		l.Ref.Label = opt.Label
		return nil
	case opt.Label != "":
		l.Ref.With = map[string]any{"labels": opt.Label}
		return nil
	}
	dir, base := filepath.Split(path)
	base = strings.NewReplacer("idx2", "idx1", "idx3", "idx1", "idx4", "idx1").Replace(base)
	for _, s := range siblings {
		sibling := dir + strings.Replace(base, s[0], s[1], 1)
		for _, name := range []string{sibling, strings.TrimSuffix(sibling, ".gz"), sibling + ".gz"} {
			if info, err := os.Stat(opt.Options.path(name)); name != path && err == nil && info.Mode().IsRegular() {
				l.Ref.With = map[string]any{"labels": name}
				l.LabelReason = "its name matches that of the data file next to it"
				return nil
			}
		}
	}
	if l.Format == "idx" {
		return fmt.Errorf("%s: an IDX file of rows contains no labels: give the label file with --label", path)
	}
	return fmt.Errorf("%s: the labels are unknown: with --label give the number of the label column, "+
		"-1 for the last, or the label file", path)
}

// FeatureSummary describes the features of a table.
type FeatureSummary struct {
	// Density is the fraction of nonzero entries.
	Density float64
	// Least and Most are the range of all values, including zeros that are not stored.
	Least, Most float64
	// Constant is the number of constant features.
	Constant int
	// RangeRatio is the ratio of the ninth to the first decile of the feature ranges, without
	// constant features. It is 1 if all are constant.
	RangeRatio float64
}

// span is the range and the number of stored values of a feature.
type span struct {
	least, most float64
	stored      int
}

// FeatureSummary computes the summary in one pass.
func (t *Table) FeatureSummary() FeatureSummary {
	spans := make(map[int]*span) // only features with stored values: a sparse table may have billions
	var buf []float64
	if !t.Sparse() {
		buf = make([]float64, t.D)
	}
	for i := range t.N {
		features, values := t.Entries(i, buf)
		for p, v := range values {
			j := p
			if features != nil {
				j = int(features[p])
			}
			s := spans[j]
			if s == nil {
				s = &span{least: v, most: v}
				spans[j] = s
			}
			s.least, s.most = min(s.least, v), max(s.most, v)
			s.stored++
		}
	}
	o := FeatureSummary{Density: float64(t.Nonzeros()) / float64(t.N) / float64(t.D), RangeRatio: 1}
	if len(spans) == t.D {
		o.Least, o.Most = math.Inf(1), math.Inf(-1)
	}
	var widths []float64
	for _, s := range spans {
		if s.stored < t.N {
			s.least, s.most = min(s.least, 0), max(s.most, 0)
		}
		o.Least, o.Most = min(o.Least, s.least), max(o.Most, s.most)
		if w := s.most - s.least; w > 0 {
			widths = append(widths, w)
		}
	}
	o.Constant = t.D - len(widths)
	if n := len(widths); n > 0 {
		slices.Sort(widths)
		o.RangeRatio = widths[(n-1)-(n-1)/10] / widths[(n-1)/10]
	}
	return o
}

// medianRows is the most rows that MedianDistance uses.
const medianRows = 300

// MedianDistance returns the median of the nonzero squared distances between up to 300 evenly spaced
// rows, or 0 if all are equal.
func (t *Table) MedianDistance() float64 {
	n := min(t.N, medianRows)
	var all []float64
	for i := range n {
		for j := range i {
			if d := t.distance(i*t.N/n, j*t.N/n); d > 0 {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// distance returns the squared distance of two rows.
func (t *Table) distance(i, j int) (sum float64) {
	fx, x := t.Entries(i, nil)
	fy, y := t.Entries(j, nil)
	p, q := 0, 0
	for p < len(x) || q < len(y) {
		var a, b float64
		first := p < len(x) && (q == len(y) || fx == nil || fx[p] <= fy[q])
		second := q < len(y) && (p == len(x) || fx == nil || fy[q] <= fx[p])
		if first {
			a = x[p]
			p++
		}
		if second {
			b = y[q]
			q++
		}
		sum += (a - b) * (a - b)
	}
	return sum
}
