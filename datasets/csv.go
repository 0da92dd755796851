package datasets

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// csvOptions are the options of readCSV.
type csvOptions struct {
	// Label is the label column: its name in the header, or its number, where 1 is the first
	// column and -1 the last. "" or "none" means no labels.
	Label string
	// Header says whether the first line names the columns; nil detects it. A header has no numbers,
	// or text where all other rows have a number, or numbers that count up from 0. An ambiguous file
	// is an error.
	Header *bool
	// Comma separates the fields; 0 means ','.
	Comma rune
	// Decimal is the decimal mark, "." or ","; "" means ".".
	Decimal string
	// Features is the expected number of features; 0 means any.
	Features int
	// Missing says how to handle a row with a missing value (empty, NA, N/A, NaN, null or ?):
	// "error" or "" rejects the file, "skip" skips the row.
	Missing string
	// Ignore lists columns that are neither features nor labels, separated by commas, in the form of
	// Label. A column whose name contains a comma needs its number.
	Ignore string

	// train is the training table when reading a test file. Text labels get the codes of train.
	train *Table
}

// readCSV reads a dense table from a CSV file (RFC 4180). Features must be finite numbers. Labels
// must be all finite numbers or all text. Two text labels are coded as -1 and +1, more as
// 1, 2, …, sorted bytewise. r must be decompressed; m limits the memory of the rows. Errors are
// *SyntaxError with the given file name, the line and the column.
func readCSV(r io.Reader, name string, opt csvOptions, m *budget) (*dataFile, error) {
	p := &csvParser{csvColumns: csvColumns{name: name}, opt: opt}
	err := p.scan(r, opt, m, func(record []string, line int) error {
		if p.feature == nil {
			if err := p.start(len(record)); err != nil {
				return err
			}
		}
		if err := p.row(record, line); err != nil {
			return err
		}
		if err := m.use(8 * int64(len(record))); err != nil {
			return p.errorf(line, "%w", err)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case p.n == 0 && p.skipped > 0:
		return nil, p.errorf(0, "no rows left: all %d have missing values, most of them in column %s",
			p.skipped, p.column(slices.Index(p.missing, slices.Max(p.missing))))
	case p.n == 0:
		return nil, p.errorf(0, "no rows")
	}
	f := &dataFile{header: p.header, skipped: p.skipped, table: NewDense(p.n, p.d, p.data, p.labels)}
	if p.texts != nil {
		f.table.texts = codeTexts(p.labels, p.texts)
	}
	return f, nil
}

// csvColumns are the columns of a CSV file.
type csvColumns struct {
	name   string
	header []string // nil without a header
	first  int      // line number of the first record
}

// scan calls row for each record of a file except the header, which it stores. It trims blanks
// around fields.
func (p *csvColumns) scan(r io.Reader, opt csvOptions, m *budget, row func(record []string, line int) error) error {
	bounded, br, err := m.lines(r)
	if err != nil {
		return p.errorf(0, "%w", err)
	}
	comma := opt.Comma
	if comma == 0 {
		comma = ','
	}
	head, err := br.Peek(headBytes) // Read below reports the error, if any
	next, _ := recordsOf(head, err != nil, comma)
	cr := newCSVReader(br, comma)
	cr.ReuseRecord = true
	line := 0
	for first := true; ; first = false {
		bounded.next()
		record, err := cr.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return p.readError(err, line+1)
		}
		line, _ = cr.FieldPos(0)
		opt.clean(record)
		if first {
			p.first = line
			for _, other := range next {
				opt.clean(other)
			}
			isHeader, err := p.findHeader(opt.Header, record, next[min(1, len(next)):])
			if err != nil {
				return err
			}
			if isHeader {
				continue
			}
		}
		if err := row(record, line); err != nil {
			return err
		}
	}
}

// swapMarks exchanges decimal commas and points.
var swapMarks = strings.NewReplacer(",", ".", ".", ",")

// clean trims blanks around fields and replaces decimal commas by points. If the decimal mark is a
// comma, it also replaces points by commas, so that a number with a point is rejected.
func (opt *csvOptions) clean(record []string) {
	for c, field := range record {
		record[c] = strings.TrimSpace(field)
		if opt.Decimal == "," && (isNumber(record[c]) || decimalComma(record[c])) {
			record[c] = swapMarks.Replace(record[c])
		}
	}
}

func newCSVReader(r io.Reader, comma rune) *csv.Reader {
	cr := csv.NewReader(r)
	cr.Comma, cr.TrimLeadingSpace = comma, comma != '\t' && comma != ' '
	return cr
}

func (p *csvColumns) errorf(line int, format string, args ...any) error {
	return syntaxError(p.name, line, format, args...)
}

// readError converts an error of the CSV reader. line is the line of a record without a position.
func (p *csvColumns) readError(err error, line int) error {
	pe, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return p.errorf(line, "%w", err)
	case errors.Is(pe.Err, csv.ErrFieldCount):
		return p.errorf(pe.Line, "the number of columns differs from that in the first line")
	}
	return p.errorf(pe.Line, "column %d: %w", pe.Column, pe.Err)
}

// column describes column c in messages.
func (p *csvColumns) column(c int) string {
	if p.header != nil {
		return fmt.Sprintf("%d (%q)", c+1, p.header[c])
	}
	return strconv.Itoa(c + 1)
}

// find returns the index of the column with the given name or number. Errors call it a what column.
func (p *csvColumns) find(what, name string, columns int) (int, error) {
	if i := slices.Index(p.header, name); i >= 0 {
		return i, nil
	}
	c, err := strconv.Atoi(name)
	switch {
	case err != nil && p.header == nil:
		return 0, p.errorf(p.first, "%s column %q: the file has no header; give the column number, "+
			"1 for the first, -1 for the last", what, name)
	case err != nil:
		return 0, p.errorf(p.first, "%s: %v", what, unknown("column", name, p.header))
	case c == 0 || c > columns || c < -columns:
		return 0, p.errorf(p.first, "%s column %d: the file has columns 1 to %d (or -1 for the last)", what, c, columns)
	case c > 0:
		return c - 1, nil
	}
	return columns + c, nil
}

// findLabel returns the index of the label column, or -1 without labels.
func (p *csvColumns) findLabel(label string, columns int) (int, error) {
	if label == "" || label == "none" {
		return -1, nil
	}
	return p.find("label", label, columns)
}

// csvParser converts the records of a CSV file to a table.
type csvParser struct {
	csvColumns
	opt     csvOptions
	label   int   // index of the label column, or -1
	feature []int // feature index of each column, -1 for other columns
	n, d    int
	data    []float64
	labels  []float64 // numbers, or indices into texts
	texts   []string
	skipped int   // number of skipped rows
	missing []int // number of rows skipped because of each column
}

// start assigns the columns to features and labels.
func (p *csvParser) start(columns int) (err error) {
	if p.label, err = p.findLabel(p.opt.Label, columns); err != nil {
		return err
	}
	if p.label >= 0 {
		p.labels = []float64{}
	}
	p.missing = make([]int, columns)
	ignored := make([]bool, columns)
	for name := range strings.SplitSeq(p.opt.Ignore, ",") {
		if p.opt.Ignore == "" {
			break
		}
		c, err := p.find("ignore", strings.TrimSpace(name), columns)
		switch {
		case err != nil:
			return err
		case c == p.label:
			return p.errorf(p.first, "ignore: column %s is the label column", p.column(c))
		}
		ignored[c] = true
	}
	p.feature = make([]int, columns)
	for c := range p.feature {
		p.feature[c] = -1
		if c != p.label && !ignored[c] {
			p.feature[c] = p.d
			p.d++
		}
	}
	switch {
	case p.d == 0:
		return p.errorf(p.first, "no feature columns are left")
	case p.opt.Features > 0 && p.d != p.opt.Features:
		return p.errorf(p.first, "%d features, want %d", p.d, p.opt.Features)
	}
	return nil
}

func (p *csvParser) row(record []string, line int) error {
	if skip, err := p.skip(record, line); skip || err != nil {
		return err
	}
	for c, field := range record {
		switch {
		case c == p.label:
			if err := p.addLabel(field, line); err != nil {
				return err
			}
			continue
		case p.feature[c] < 0:
			continue
		}
		v, err := parseNumber([]byte(field))
		if err != nil {
			hint := "; only labels may be text: write a number, leave the field empty if the value is missing, " +
				"or remove the column"
			switch {
			case p.n == 0 && p.header == nil:
				hint = " (if this line is a header, set `with: {header: true}`)"
			case decimalComma(field) && p.opt.Decimal == ",":
				err, hint = fmt.Errorf("%s has a decimal point", quote([]byte(swapMarks.Replace(field)))),
					", but `with: {decimal: \",\"}` sets a decimal comma"
			case decimalComma(field):
				hint = "; if the comma is the decimal mark, set `with: {decimal: \",\"}`"
			}
			return p.errorf(line, "column %s: %v%s", p.column(c), err, hint)
		}
		p.data = append(p.data, v)
	}
	p.n++
	return nil
}

// skip reports whether to skip a row because of a missing value. It returns an error if values must
// not be missing.
func (p *csvParser) skip(record []string, line int) (bool, error) {
	for c, field := range record {
		switch {
		case !isMissing(field) || p.feature[c] < 0 && c != p.label:
		case p.opt.Missing == "skip":
			p.missing[c]++
			p.skipped++
			return true, nil
		default:
			return false, p.errorf(line, "column %s: the value is missing (%s): "+
				"fill it in, or skip such rows with `with: {missing: skip}`", p.column(c), quote([]byte(field)))
		}
	}
	return false, nil
}

// addLabel appends a label. The first label decides whether all must be numbers or text.
func (p *csvParser) addLabel(field string, line int) (err error) {
	var only []string
	if p.opt.train != nil {
		only = p.opt.train.texts
	}
	if p.n == 0 {
		p.texts = slices.Clone(only)
	}
	var v float64
	if p.texts != nil || p.n == 0 && p.opt.train == nil && !isNumber(field) {
		var place int
		p.texts, place, err = addText(p.texts, only, field)
		v = float64(place)
	} else {
		v, err = parseNumber([]byte(field))
	}
	if err != nil {
		return p.errorf(line, "column %s: %w", p.column(p.label), err)
	}
	p.labels = append(p.labels, v)
	return nil
}
