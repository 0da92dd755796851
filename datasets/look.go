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

// Look is what LookAt finds in a file of the user's own.
type Look struct {
	// Ref opens the file as it was understood. It names the format and what separates
	// fields only where the file's name does not tell.
	Ref Ref
	// Format is "csv", "libsvm", "idx" or "npy", Compression "gzip", "bzip2" or "".
	Format, Compression string
	// Header of a CSV file, nil without.
	Header []string
	// Left are the columns of a CSV file that Ref leaves out, for a message.
	Left []string
	// LabelWhy says why the column or file of the labels was taken for that, "" for data without
	// labels or where the user names it.
	LabelWhy string
}

// LookOptions say what is known of a file already.
type LookOptions struct {
	// Label is the column of the labels of a CSV or NumPy file, see csvOptions, "none" if it has
	// none, or the file of the labels of an IDX or NumPy file. "" looks for it.
	Label string
	// Header says whether the first line of a CSV file names the columns; nil lets its
	// content decide.
	Header *bool
	// Unlabelled says that labels are not needed: then only a name tells them.
	Unlabelled bool
	// Options has the folder of relative paths and the most memory that the file may take.
	Options Options
}

// LookAt looks at a file: its format by its content and its name, what separates its
// fields, and where its labels are. A CSV file is read as a whole, to find the column of its
// labels. An error says what is wrong with the file, or that nothing in it looks like labels.
func LookAt(path string, opt LookOptions) (*Look, error) {
	l := &Look{Ref: Ref{Path: path}}
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
		return nil, fmt.Errorf("%s: neither its name nor its content tells its format: "+
			"it should be LIBSVM (label index:value …), CSV (numbers, with one character between them), IDX or NumPy (.npy)", path)
	case l.Format != named:
		l.Ref.Format = l.Format
	}
	switch {
	case l.Format == "csv":
		err = l.csv(head, whole, opt)
	case opt.Header != nil:
		err = fmt.Errorf("%s: only a CSV file has a header; leave --header out", path)
	case l.Format != "libsvm":
		err = l.array(head, opt)
	case opt.Label != "":
		err = fmt.Errorf("%s: a LIBSVM file has its labels first in each line; leave --label out", path)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// readHead returns the beginning of the content of the file, and whether that is all of it.
func (l *Look) readHead(path string) (head []byte, whole bool, err error) {
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

// formatOfContent tells IDX, NumPy and LIBSVM files by how they begin, "" for anything else.
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

// siblings are what names of files of rows have where those of their labels have something else.
var siblings = [][2]string{
	{"images", "labels"}, {"features", "labels"}, {"data", "labels"}, {"data", "target"}, {"X", "y"}, {"x", "y"},
}

// array finds the labels of an IDX or NumPy file.
func (l *Look) array(head []byte, opt LookOptions) error {
	path := l.Ref.Path
	h, err := readArrayHeader(bytes.NewReader(head))
	_, notNumber := strconv.Atoi(opt.Label)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case len(h.dims) == 1:
		return fmt.Errorf("%s: it has one dimension, as a file of labels: "+
			"name the file of the rows, and this one with --label", path)
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
				l.LabelWhy = "it lies next to the file and has the name for it"
				return nil
			}
		}
	}
	if l.Format == "idx" {
		return fmt.Errorf("%s: an IDX file of rows has no labels: name the file of its labels with --label", path)
	}
	return fmt.Errorf("%s: nothing tells where the labels are: with --label give the number of their column, "+
		"-1 for the last, or the file that holds them", path)
}

// Outline is what the features of a table are like.
type Outline struct {
	// Stored is the share of entries that are not zero.
	Stored float64
	// Least and Most are the range of all values, zeros that are not stored among them.
	Least, Most float64
	// Constant is the number of features that have one value only.
	Constant int
	// RangeRatio is how many times wider the ranges of wide features are than those of narrow
	// ones: the quotient of the ninth and the first decile. It is 1 if all are constant.
	RangeRatio float64
}

// span is what one feature's values are like.
type span struct {
	least, most float64
	stored      int
}

// Outline goes through the table once.
func (t *Table) Outline() Outline {
	spans := make(map[int]*span) // of features that are stored: there may be billions of others
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
	o := Outline{Stored: float64(t.Nonzeros()) / float64(t.N) / float64(t.D), RangeRatio: 1}
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

// medianRows is the number of rows whose distances MedianDistance takes.
const medianRows = 300

// MedianDistance returns the median of the squared distances of rows that differ, of up to
// 300 rows at equal intervals; 0 if none differ.
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
