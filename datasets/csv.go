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

// headers holds the values of CSVOptions.Header.
var headers = []string{"auto", "yes", "no"}

// CSVOptions are the options of ReadCSV.
type CSVOptions struct {
	// Label is the column of the labels: a name of the header, or a number,
	// 1 for the first column, -1 for the last. "" or "none": no labels.
	Label string
	// Header says whether the first line names the columns: "yes", "no" or, as "" does,
	// "auto", which takes it for a header if none of its fields is a number.
	Header string
	// Comma separates the fields; 0 means ','.
	Comma rune
	// Features is the expected number of features; 0 means any.
	Features int

	rows int // how many there are, if that is known
}

// ReadCSV reads a dense table of numbers from a CSV file (RFC 4180). Every
// field must be a finite number. Errors are *SyntaxError with the given name,
// the line and the column. r must be decompressed already.
// The header is nil if there is none.
func ReadCSV(r io.Reader, name string, opt CSVOptions) (t *Table, header []string, err error) {
	return readCSV(r, name, opt, nil)
}

// readCSV is ReadCSV within the room that there is.
func readCSV(r io.Reader, name string, opt CSVOptions, m *room) (t *Table, header []string, err error) {
	bounded := m.lines(r)
	br := bufio.NewReader(bounded)
	if err := skipBOM(br); err != nil {
		return nil, nil, &SyntaxError{File: name, Msg: err.Error(), Err: err}
	}
	cr := csv.NewReader(br)
	cr.ReuseRecord = true
	if opt.Comma != 0 {
		cr.Comma = opt.Comma
	}
	cr.TrimLeadingSpace = cr.Comma != '\t' && cr.Comma != ' '

	p := csvParser{name: name, opt: opt, label: -1}
	line := 0
	for first := true; ; first = false {
		bounded.next()
		record, err := cr.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, p.readError(err, line+1)
		}
		line, _ = cr.FieldPos(0)
		if first {
			isHeader, err := p.start(record, line)
			if err != nil {
				return nil, nil, err
			}
			if isHeader {
				continue
			}
		}
		if err := p.row(record, line); err != nil {
			return nil, nil, err
		}
		if err := m.take(8 * int64(len(record))); err != nil {
			return nil, nil, p.errorf(line, "%w", err)
		}
	}
	if p.n == 0 {
		return nil, nil, &SyntaxError{File: name, Msg: "no rows"}
	}
	return NewDense(p.n, p.d, p.data, p.labels), p.header, nil
}

type csvParser struct {
	name   string
	opt    CSVOptions
	header []string // nil without a header
	label  int      // column of the labels, -1 for none
	n, d   int
	data   []float64
	labels []float64
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

// start looks at the first record: header or not, and where the labels are.
func (p *csvParser) start(record []string, line int) (isHeader bool, err error) {
	switch p.opt.Header {
	case "yes":
		isHeader = true
	case "no":
	case "auto", "":
		isHeader = !slices.ContainsFunc(record, isNumber) && strings.Join(record, "") != ""
	default:
		return false, fmt.Errorf("csv header: %w", unknown("value", p.opt.Header, headers))
	}
	if isHeader {
		p.header = slices.Clone(record)
		for i := range p.header {
			p.header[i] = strings.TrimSpace(p.header[i])
		}
	}
	if err := p.findLabel(len(record), line); err != nil {
		return false, err
	}
	p.d = len(record)
	if p.label >= 0 {
		p.d--
		p.labels = []float64{}
	}
	if p.d == 0 {
		return false, p.errorf(line, "no column is left for the features")
	}
	p.data = make([]float64, 0, p.opt.rows*p.d)
	if p.opt.Features > 0 && p.d != p.opt.Features {
		return false, p.errorf(line, "%d features, want %d", p.d, p.opt.Features)
	}
	return isHeader, nil
}

func (p *csvParser) findLabel(columns, line int) error {
	if p.opt.Label == "" || p.opt.Label == "none" {
		return nil
	}
	if i := slices.Index(p.header, p.opt.Label); i >= 0 {
		p.label = i
		return nil
	}
	c, err := strconv.Atoi(p.opt.Label)
	switch {
	case err != nil && p.header == nil:
		return p.errorf(line, "label column %q: the file has no header; give the number of the column, 1 for the first, -1 for the last", p.opt.Label)
	case err != nil:
		return p.errorf(line, "label: %v", unknown("column", p.opt.Label, p.header))
	case c == 0 || c > columns || c < -columns:
		return p.errorf(line, "label column %d: the file has columns 1 to %d (or -1 for the last)", c, columns)
	case c > 0:
		p.label = c - 1
	default:
		p.label = columns + c
	}
	return nil
}

func (p *csvParser) row(record []string, line int) error {
	for c, field := range record {
		field = strings.TrimSpace(field)
		if field == "" {
			return p.errorf(line, "column %s: empty field, want a number", p.column(c))
		}
		v, err := parseNumber([]byte(field))
		if err != nil {
			hint := ""
			if p.n == 0 && p.header == nil {
				hint = " (if this line is a header, set `header: yes`)"
			}
			return p.errorf(line, "column %s: %v%s", p.column(c), err, hint)
		}
		if c == p.label {
			p.labels = append(p.labels, v)
		} else {
			p.data = append(p.data, v)
		}
	}
	p.n++
	return nil
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
