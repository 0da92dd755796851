package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/disk"
)

// Look is what is seen of a file of the user's own before it is said how to read it.
type Look struct {
	// Ref opens the file as it was understood. It names the format and what separates
	// fields only where the file's name does not tell.
	Ref Ref
	// Format is "csv", "libsvm" or "idx", Compression "gzip", "bzip2" or "".
	Format, Compression string
	// Header of a CSV file, nil without.
	Header []string
	// Left are the columns of a CSV file that Ref leaves out, for a message.
	Left []string
	// LabelWhy says why the column or file of the labels was taken for that, "" where
	// there is none or where it was given.
	LabelWhy string
}

// LookOptions say what is known of a file already.
type LookOptions struct {
	// Label is the column of the labels of a CSV file, see csvOptions, "none" if it has none,
	// or the file of the labels of an IDX file. "" looks for it.
	Label string
	// Header says whether the first line of a CSV file names the columns; nil lets its
	// content decide.
	Header *bool
	// Unlabelled says that labels are not needed: then only a name tells them.
	Unlabelled bool
	// MaxBytes is the most memory that the file may take, 0 for any.
	MaxBytes int64
}

// headBytes is how much of a file its format is told by.
const headBytes = 64 << 10

// LookAt looks at a file: its format by its content and its name, what separates its
// fields, and where its labels are. A CSV file is read as a whole, within MaxBytes, to find
// the column of its labels. An error says what is wrong with the file, or that nothing in
// it looks like labels.
func LookAt(path string, opt LookOptions) (*Look, error) {
	head, compression, whole, err := readHead(path)
	if err != nil {
		return nil, err
	}
	l := &Look{Ref: Ref{Path: path}, Compression: compression}
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
			"it should be LIBSVM (label index:value …), CSV (numbers, with one character between them) or IDX", path)
	case l.Format != named:
		l.Ref.Format = l.Format
	}
	switch {
	case l.Format == "csv":
		err = l.csv(head, whole, opt)
	case opt.Header != nil:
		err = fmt.Errorf("%s: only a CSV file has a header; leave --header out", path)
	case l.Format == "idx":
		err = l.idx(head, opt)
	default:
		if opt.Label != "" {
			err = fmt.Errorf("%s: a LIBSVM file has its labels first in each line; leave --label out", path)
		}
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// readHead returns the beginning of the content of a file, and whether that is all of it.
func readHead(path string) (head []byte, compression string, whole bool, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, "", false, err
	}
	defer f.Close()
	r, err := decompress(f)
	if err != nil {
		return nil, "", false, &SyntaxError{File: path, Msg: err.Error(), Err: err}
	}
	if d, ok := r.(*decompressor); ok {
		compression = d.kind
	}
	head, err = io.ReadAll(io.LimitReader(r, headBytes))
	if err == nil && len(head) == 0 {
		err = errors.New("the file is empty")
	}
	if err != nil {
		return nil, "", false, &SyntaxError{File: path, Msg: err.Error(), Err: err}
	}
	return head, compression, len(head) < headBytes, nil
}

// formatOfContent tells IDX and LIBSVM files by how they begin, "" for anything else.
func formatOfContent(head []byte, whole bool) string {
	if len(head) >= 4 && head[0] == 0 && head[1] == 0 && idxTypes[head[2]].size > 0 && head[3] > 0 {
		return "idx"
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

// fullLines returns the lines of the beginning of a file, without the last if it may go on.
func fullLines(head []byte, whole bool) [][]byte {
	lines := bytes.Split(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	if !whole && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// csv finds out what separates the fields, and which column holds the labels.
func (l *Look) csv(head []byte, whole bool, opt LookOptions) error {
	o, err := l.Ref.pathOptions()
	if err != nil {
		return err
	}
	with := make(map[string]any)
	if c := delimiterOf(head, whole); c != 0 && c != o.csv.Comma {
		with["delimiter"], o.csv.Comma = string(c), c
	}
	if opt.Header != nil {
		with["header"], o.csv.Header = *opt.Header, opt.Header
	}
	sure, left, err := l.columns(head, whole, o.csv.Comma, opt)
	if err != nil {
		return err
	}
	o.csv.Label, o.csv.Missing, o.csv.Ignore = sure, "skip", l.namesOf(left)
	var f *ownFile
	err = readFile(l.Ref.Path, func(r io.Reader) (err error) {
		f, err = readCSV(r, l.Ref.Path, o.csv, newRoom(opt.MaxBytes))
		return err
	})
	if line, ok := errors.AsType[*SyntaxError](err); ok && strings.HasSuffix(line.Msg, "is not a number") {
		return fmt.Errorf("%w; only labels may be texts: write a number, leave it empty for a missing value, or take the column out of the file", err)
	}
	if err != nil {
		return err
	}
	l.Header = f.header
	if f.skipped > 0 {
		with["missing"] = "skip"
	}
	if len(left) > 0 {
		with["ignore"] = o.csv.Ignore
	}
	if len(with) > 0 {
		l.Ref.With = with
	}
	columns := f.table.D + len(left)
	switch sure {
	case "none":
		return nil
	case "":
	default:
		l.Ref.Label = l.columnName(sure, columns+1)
		return nil
	}
	var kept []int
	for c := range columns {
		if !slices.Contains(left, c) {
			kept = append(kept, c)
		}
	}
	c, err := l.labelColumn(f.table, kept, opt)
	if err != nil || c < 0 {
		return err
	}
	l.Ref.Label = l.refer(c)
	return nil
}

// namesOf writes columns as csvOptions.Ignore has them.
func (l *Look) namesOf(columns []int) string {
	var out []string
	for _, c := range columns {
		name := l.refer(c)
		if strings.Contains(name, ",") {
			name = strconv.Itoa(c + 1)
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// columnName returns the name of the column that a label option means, or its number.
func (l *Look) columnName(label string, columns int) string {
	p := csvParser{name: l.Ref.Path, opt: csvOptions{Label: label}, header: l.Header, label: -1}
	if p.findLabel(columns, 1) != nil || p.label < 0 {
		return label
	}
	return l.refer(p.label)
}
