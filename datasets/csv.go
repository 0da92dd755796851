package datasets

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// missings holds the values of csvOptions.Missing.
var missings = []string{"error", "skip"}

// csvOptions are the options of readCSV.
type csvOptions struct {
	// Label is the column of the labels: a name of the header, or a number,
	// 1 for the first column, -1 for the last. "" or "none": no labels.
	Label string
	// Header says whether the first line names the columns. If it is nil, the line is a
	// header if none of its fields is a number, if it has a text where every other row has a
	// number, or if its numbers count up from 0. If that does not decide it, the file is
	// refused.
	Header *bool
	// Comma separates the fields; 0 means ','.
	Comma rune
	// Features is the expected number of features; 0 means any.
	Features int
	// Missing says what to do about a row in which a value is missing (empty, NA, N/A, NaN,
	// null or ?): "error" or, as "" does, refuse the file; "skip" leaves the row out.
	Missing string
	// Ignore names the columns that are neither features nor labels, each as Label does,
	// with commas between; a name with a comma in it only by its number.
	Ignore string

	rows int // how many there are, if that is known
	// train is the table of the training file if the file is a test file: labels that are
	// texts are coded as in train.
	train *Table
}

// readCSV reads a dense table from a CSV file (RFC 4180). Every feature must be a finite
// number. So must every label, or else none may be a number. Labels that are texts are coded
// in the order of their bytes: two as -1 and +1, more as 1, 2, …. Errors are *SyntaxError with
// the given name, the line and the column. r must be decompressed already. m bounds the
// memory of the rows; nil means no bound.
func readCSV(r io.Reader, name string, opt csvOptions, m *room) (*ownFile, error) {
	bounded := m.lines(r)
	br := bufio.NewReaderSize(bounded, headBytes)
	if err := skipBOM(br); err != nil {
		return nil, &SyntaxError{File: name, Msg: err.Error(), Err: err}
	}
	cr := csv.NewReader(br)
	cr.ReuseRecord = true
	if opt.Comma != 0 {
		cr.Comma = opt.Comma
	}
	cr.TrimLeadingSpace = cr.Comma != '\t' && cr.Comma != ' '

	p := csvParser{name: name, opt: opt, label: -1}
	head := csvHead(br, cr.Comma)
	line := 0
	for first := true; ; first = false {
		bounded.next()
		record, err := cr.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, p.readError(err, line+1)
		}
		line, _ = cr.FieldPos(0)
		if first {
			isHeader, err := p.start(record, line, head[min(1, len(head)):])
			if err != nil {
				return nil, err
			}
			if isHeader {
				continue
			}
		}
		if err := p.row(record, line); err != nil {
			return nil, err
		}
		if err := m.take(8 * int64(len(record))); err != nil {
			return nil, p.errorf(line, "%w", err)
		}
	}
	return p.end()
}

type csvParser struct {
	name   string
	opt    csvOptions
	header []string // nil without a header
	label  int      // column of the labels, -1 for none
	// feature says which feature each column is, -1 for one that is left out.
	feature []int
	n, d    int
	data    []float64
	labels  []float64
	words   classWords
	// skipped are the rows that were left out, and missing counts by column why.
	skipped int
	missing []int
}

// end returns what was read.
func (p *csvParser) end() (*ownFile, error) {
	switch {
	case p.n == 0 && p.skipped > 0:
		return nil, &SyntaxError{File: p.name, Msg: fmt.Sprintf("no rows: all %d have missing values, most in column %s",
			p.skipped, p.column(slices.Index(p.missing, slices.Max(p.missing))))}
	case p.n == 0:
		return nil, &SyntaxError{File: p.name, Msg: "no rows"}
	}
	texts := p.words.code(p.labels)
	f := &ownFile{header: p.header, skipped: p.skipped, table: NewDense(p.n, p.d, p.data, p.labels)}
	f.table.texts = texts
	return f, nil
}

func (p *csvParser) errorf(line int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &SyntaxError{File: p.name, Line: line, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// readError says what is wrong with what begins in a line.
func (p *csvParser) readError(err error, line int) error {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return &SyntaxError{File: p.name, Line: line, Msg: err.Error(), Err: err}
	}
	if errors.Is(pe.Err, csv.ErrFieldCount) {
		return p.errorf(pe.Line, "the number of columns differs from the first line's")
	}
	return &SyntaxError{File: p.name, Line: pe.Line, Msg: fmt.Sprintf("column %d: %v", pe.Column, pe.Err), Err: err}
}

// start looks at the first record: header or not, and where the labels are. next are some
// of the records that follow it.
func (p *csvParser) start(record []string, line int, next [][]string) (isHeader bool, err error) {
	if isHeader, err = p.hasHeader(record, line, next); err != nil {
		return false, err
	}
	if isHeader {
		if err := p.nameColumns(record, line); err != nil {
			return false, err
		}
	}
	if err := p.findLabel(len(record), line); err != nil {
		return false, err
	}
	p.missing = make([]int, len(record))
	if err := p.findFeatures(len(record), line); err != nil {
		return false, err
	}
	if p.label >= 0 {
		p.labels = []float64{}
	}
	p.data = make([]float64, 0, p.opt.rows*p.d)
	if p.opt.Features > 0 && p.d != p.opt.Features {
		return false, p.errorf(line, "%d features, want %d", p.d, p.opt.Features)
	}
	return isHeader, nil
}

func (p *csvParser) row(record []string, line int) error {
	for c := range record {
		record[c] = strings.TrimSpace(record[c])
	}
	if left, err := p.leaveOut(record, line); left || err != nil {
		return err
	}
	n := len(p.data)
	p.data = slices.Grow(p.data, p.d)[:n+p.d]
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
			hint := ""
			if decimalComma(field) {
				hint = " (the decimal mark must be a point)"
			}
			if p.n == 0 && p.header == nil {
				hint = " (if this line is a header, set `with: {header: true}`)"
			}
			return p.errorf(line, "column %s: %v%s", p.column(c), err, hint)
		}
		p.data[n+p.feature[c]] = v
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
func (p *csvParser) addLabel(field string, line int) error {
	switch train := p.opt.train; {
	case train != nil:
		p.words.used, p.words.known = train.texts != nil, train.texts
	case p.n == 0:
		p.words.used = !isNumber(field)
	}
	var v float64
	var err error
	switch {
	case !p.words.used:
		v, err = parseNumber([]byte(field))
	case p.words.known == nil && isNumber(field):
		err = fmt.Errorf("%s is a number, but the labels above are texts", quote([]byte(field)))
	default:
		v, err = p.words.add(field)
	}
	if err != nil {
		return p.errorf(line, "column %s: %w", p.column(p.label), err)
	}
	p.labels = append(p.labels, v)
	return nil
}

// isMissing reports whether a field says that its value is not known.
func isMissing(field string) bool {
	switch strings.ToLower(field) {
	case "", "na", "n/a", "nan", "null", "?":
		return true
	}
	return false
}

// column names column c for a message.
func (p *csvParser) column(c int) string {
	if p.header != nil {
		return fmt.Sprintf("%d (%q)", c+1, p.header[c])
	}
	return strconv.Itoa(c + 1)
}

// isNumber reports whether s reads as a number, NaN and infinities included.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
