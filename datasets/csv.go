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
	// Label is the column of the labels: a name of the header, or a number,
	// 1 for the first column, -1 for the last. "" or "none": no labels.
	Label string
	// Header says whether the first line names the columns. If it is nil, the line is a header if
	// none of its fields is a number, if it has a text where every other row has a number, or if
	// its numbers count up from 0. If that does not decide it, the file is refused.
	Header *bool
	// Comma separates the fields; 0 means ','.
	Comma rune
	// Decimal is the decimal mark: "." or, which "" stands for, too, or ",".
	Decimal string
	// Features is the expected number of features; 0 means any.
	Features int
	// Missing says what to do about a row in which a value is missing (empty, NA, N/A, NaN,
	// null or ?): "error" or, as "" does, refuse the file; "skip" leaves the row out.
	Missing string
	// Ignore names the columns that are neither features nor labels, each as Label does,
	// with commas between; a name with a comma in it only by its number.
	Ignore string

	// train is the table of the training file if the file is a test file: labels that are
	// texts are coded as in train.
	train *Table
}

// readCSV reads a dense table from a CSV file (RFC 4180). Every feature must be a finite
// number. So must every label, or else none may be a number. Labels that are texts are coded
// in the order of their bytes: two as -1 and +1, more as 1, 2, …. Errors are *SyntaxError with
// the given name, the line and the column. r must be decompressed already. m bounds the
// memory of the rows.
func readCSV(r io.Reader, name string, opt csvOptions, m *room) (*ownFile, error) {
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
		if err := m.take(8 * int64(len(record))); err != nil {
			return p.errorf(line, "%w", err)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case p.n == 0 && p.skipped > 0:
		return nil, p.errorf(0, "no rows: all %d have missing values, most in column %s",
			p.skipped, p.column(slices.Index(p.missing, slices.Max(p.missing))))
	case p.n == 0:
		return nil, p.errorf(0, "no rows")
	}
	f := &ownFile{header: p.header, skipped: p.skipped, table: NewDense(p.n, p.d, p.data, p.labels)}
	if p.texts != nil {
		f.table.texts = codeTexts(p.labels, p.texts)
	}
	return f, nil
}

// csvColumns are the columns of a CSV file.
type csvColumns struct {
	name   string
	header []string // nil without a header
	first  int      // the line of the first record
}

// scan reads the records of a file and calls row for each but the header, which it keeps. Fields
// come without blanks around them.
func (p *csvColumns) scan(r io.Reader, opt csvOptions, m *room, row func(record []string, line int) error) error {
	bounded, br, err := m.lines(r)
	if err != nil {
		return p.errorf(0, "%w", err)
	}
	comma := opt.Comma
	if comma == 0 {
		comma = ','
	}
	head, err := br.Peek(headBytes) // what the error is, reading tells
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

// clean removes blanks around fields, and writes numbers with a decimal point. A number that has a
// point where the mark is a comma gets a comma, so that it is no number.
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

// readError says what is wrong with what begins in a line.
func (p *csvColumns) readError(err error, line int) error {
	pe, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return p.errorf(line, "%w", err)
	case errors.Is(pe.Err, csv.ErrFieldCount):
		return p.errorf(pe.Line, "the number of columns differs from the first line's")
	}
	return p.errorf(pe.Line, "column %d: %w", pe.Column, pe.Err)
}

// column names column c for a message.
func (p *csvColumns) column(c int) string {
	if p.header != nil {
		return fmt.Sprintf("%d (%q)", c+1, p.header[c])
	}
	return strconv.Itoa(c + 1)
}

// find returns the column of a name or number; what says what for.
func (p *csvColumns) find(what, name string, columns int) (int, error) {
	if i := slices.Index(p.header, name); i >= 0 {
		return i, nil
	}
	c, err := strconv.Atoi(name)
	switch {
	case err != nil && p.header == nil:
		return 0, p.errorf(p.first, "%s column %q: the file has no header; give the number of the column, 1 for the first, -1 for the last", what, name)
	case err != nil:
		return 0, p.errorf(p.first, "%s: %v", what, unknown("column", name, p.header))
	case c == 0 || c > columns || c < -columns:
		return 0, p.errorf(p.first, "%s column %d: the file has columns 1 to %d (or -1 for the last)", what, c, columns)
	case c > 0:
		return c - 1, nil
	}
	return columns + c, nil
}

// findLabel returns the column of the labels, -1 for none.
func (p *csvColumns) findLabel(label string, columns int) (int, error) {
	if label == "" || label == "none" {
		return -1, nil
	}
	return p.find("label", label, columns)
}

// csvParser makes a table of the records of a CSV file.
type csvParser struct {
	csvColumns
	opt   csvOptions
	label int // column of the labels, -1 for none
	// feature says which feature each column is, -1 for one that is left out.
	feature []int
	n, d    int
	data    []float64
	// labels are numbers, or the places in texts of those that are texts.
	labels []float64
	texts  []string
	// skipped are the rows that were left out, and missing counts by column why.
	skipped int
	missing []int
}

// start finds out what the columns hold.
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
			return p.errorf(p.first, "ignore: column %s is that of the labels", p.column(c))
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
		return p.errorf(p.first, "no column is left for the features")
	case p.opt.Features > 0 && p.d != p.opt.Features:
		return p.errorf(p.first, "%d features, want %d", p.d, p.opt.Features)
	}
	return nil
}

func (p *csvParser) row(record []string, line int) error {
	if left, err := p.leaveOut(record, line); left || err != nil {
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
			hint := "; only labels may be texts: write a number, leave it empty for a missing value, or take the column out of the file"
			switch {
			case p.n == 0 && p.header == nil:
				hint = " (if this line is a header, set `with: {header: true}`)"
			case decimalComma(field) && p.opt.Decimal == ",":
				err, hint = fmt.Errorf("%s has a decimal point", quote([]byte(swapMarks.Replace(field)))),
					", but `with: {decimal: \",\"}` says that the mark is a comma"
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

// leaveOut reports whether a row is left out, as a value is missing. It returns an error if
// one is that must not be.
func (p *csvParser) leaveOut(record []string, line int) (bool, error) {
	for c, field := range record {
		switch {
		case !isMissing(field) || p.feature[c] < 0 && c != p.label:
		case p.opt.Missing == "skip":
			p.missing[c]++
			p.skipped++
			return true, nil
		default:
			return false, p.errorf(line, "column %s: the value is missing (%s): "+
				"fill it in, or leave such rows out by `with: {missing: skip}`", p.column(c), quote([]byte(field)))
		}
	}
	return false, nil
}

// addLabel reads a label, a number or a text as the first one is.
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
