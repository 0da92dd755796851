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

// headers holds the values of CSVOptions.Header, missings those of CSVOptions.Missing.
var headers, missings = []string{"auto", "yes", "no"}, []string{"error", "skip"}

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
	// Missing says what to do about a row in which a value is missing (empty, NA, N/A, NaN,
	// null or ?): "error" or, as "" does, refuse the file; "skip" leaves the row out.
	Missing string
	// Ignore names the columns that are neither features nor labels, each as Label does,
	// with commas between; a name with a comma in it only by its number.
	Ignore string

	rows int // how many there are, if that is known
	// like is what columns are found like, and coded what labels are coded like, nil for none.
	like, coded *Recipe
}

// ReadCSV reads a dense table from a CSV file (RFC 4180). Every feature must be a finite
// number. So must every label, or else none may be a number: labels of text are coded, see
// Recipe.Classes. Errors are *SyntaxError with the given name, the line and the column. r
// must be decompressed already. The header is nil if there is none.
func ReadCSV(r io.Reader, name string, opt CSVOptions) (t *Table, header []string, err error) {
	f, err := readCSV(r, name, opt, nil)
	if err != nil {
		return nil, nil, err
	}
	return f.table, f.header, nil
}

// readCSV is ReadCSV within the room that there is.
func readCSV(r io.Reader, name string, opt CSVOptions, m *room) (*ownFile, error) {
	bounded := m.lines(r)
	br := bufio.NewReader(bounded)
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
			isHeader, err := p.start(record, line)
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
	opt    CSVOptions
	header []string // nil without a header
	label  int      // column of the labels, -1 for none
	// feature says which feature each column is, -1 for one that is left out.
	feature []int
	ignored []string // the columns that are left out
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
	f := &ownFile{header: p.header, ignored: p.ignored, skipped: p.skipped}
	f.recipe = Recipe{Columns: p.columns(), Classes: p.words.code(p.labels)}
	if p.label >= 0 && p.header != nil {
		f.recipe.Label = p.header[p.label]
	}
	f.table = NewDense(p.n, p.d, p.data, p.labels)
	f.table.texts = f.recipe.Classes
	return f, nil
}

// columns returns the names of the features, nil if there are none.
func (p *csvParser) columns() []string {
	if p.header == nil {
		return nil
	}
	out := make([]string, p.d)
	for c, j := range p.feature {
		if j >= 0 {
			out[j] = p.header[c]
		}
	}
	return out
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
		isHeader = !slices.ContainsFunc(record, isNumber) && strings.Join(record, "") != "" || p.namesAll(record)
	default:
		return false, fmt.Errorf("csv header: %w", unknown("value", p.opt.Header, headers))
	}
	if isHeader {
		p.header = slices.Clone(record)
		seen := make(map[string]int, len(record))
		for c, name := range record {
			name = strings.TrimSpace(name)
			if before, ok := seen[name]; ok {
				return false, p.errorf(line, "columns %d and %d are both called %q; rename one of them", before+1, c+1, name)
			}
			p.header[c], seen[name] = name, c
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

// namesAll reports whether a record has all names of the columns that are looked for.
func (p *csvParser) namesAll(record []string) bool {
	return p.opt.like != nil && p.opt.like.Columns != nil &&
		!slices.ContainsFunc(p.opt.like.Columns, func(name string) bool { return !slices.Contains(record, name) })
}

// findFeatures says which feature each column is: in the order of the file or, by name, in
// that of the file which this one is read like.
func (p *csvParser) findFeatures(columns, line int) error {
	p.feature = make([]int, columns)
	ignored, err := p.findIgnored(columns, line)
	if err != nil {
		return err
	}
	like := p.opt.like
	if like == nil || like.Columns == nil || p.header == nil {
		for c := range p.feature {
			p.feature[c] = -1
			if c != p.label && !ignored[c] {
				p.feature[c] = p.d
				p.d++
			}
		}
		if p.d == 0 {
			return p.errorf(line, "no column is left for the features")
		}
		return nil
	}
	p.d = len(like.Columns)
	found := make([]bool, p.d)
	for c, name := range p.header {
		j := slices.Index(like.Columns, name)
		p.feature[c] = j
		switch {
		case c == p.label:
			p.feature[c] = -1
		case j < 0:
			p.ignored = append(p.ignored, name)
		default:
			found[j] = true
		}
	}
	var lost []string
	for j, name := range like.Columns {
		if !found[j] {
			lost = append(lost, strconv.Quote(name))
		}
	}
	if lost == nil {
		return nil
	}
	text := fmt.Sprintf("there is no column %s", strings.Join(lost[:min(len(lost), maxListed)], ", "))
	if len(lost) > maxListed {
		text += fmt.Sprintf(" and %d more", len(lost)-maxListed)
	}
	if p.ignored != nil {
		text += fmt.Sprintf(" (there is %q)", p.ignored[0])
	}
	return p.errorf(line, "%s; the columns must be called as in the file that was trained on", text)
}

func (p *csvParser) findLabel(columns, line int) error {
	if p.opt.like != nil && p.opt.Label == "" {
		p.label = slices.Index(p.header, p.opt.like.Label)
		return nil
	}
	if p.opt.Label == "" || p.opt.Label == "none" {
		return nil
	}
	c, err := p.find("label", p.opt.Label, columns, line)
	if err == nil {
		p.label = c
	}
	return err
}

// find returns the column of a name or number; what says what for.
func (p *csvParser) find(what, name string, columns, line int) (int, error) {
	if i := slices.Index(p.header, name); i >= 0 {
		return i, nil
	}
	c, err := strconv.Atoi(name)
	switch {
	case err != nil && p.header == nil:
		return 0, p.errorf(line, "%s column %q: the file has no header; give the number of the column, 1 for the first, -1 for the last", what, name)
	case err != nil:
		return 0, p.errorf(line, "%s: %v", what, unknown("column", name, p.header))
	case c == 0 || c > columns || c < -columns:
		return 0, p.errorf(line, "%s column %d: the file has columns 1 to %d (or -1 for the last)", what, c, columns)
	case c > 0:
		return c - 1, nil
	}
	return columns + c, nil
}

// findIgnored says of each column whether it is neither a feature nor labels.
func (p *csvParser) findIgnored(columns, line int) ([]bool, error) {
	ignored := make([]bool, columns)
	if p.opt.Ignore == "" {
		return ignored, nil
	}
	for name := range strings.SplitSeq(p.opt.Ignore, ",") {
		c, err := p.find("ignore", strings.TrimSpace(name), columns, line)
		switch {
		case err != nil:
			return nil, err
		case c == p.label:
			return nil, p.errorf(line, "ignore: column %s is that of the labels", p.column(c))
		}
		ignored[c] = true
	}
	return ignored, nil
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
				hint = " (if this line is a header, set `header: yes`)"
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
		case c == p.label && p.opt.like != nil: // labels are not known yet
			p.label, p.labels = -1, nil
		default:
			return false, p.errorf(line, "column %s: the value is missing (%s): %s", p.column(c), quote([]byte(field)), p.mend())
		}
	}
	return false, nil
}

// mend says what to do about a missing value.
func (p *csvParser) mend() string {
	if p.opt.like != nil {
		return "fill it in, or leave the row out of the file"
	}
	return "fill it in, or leave such rows out by `with: {missing: skip}`"
}

// addLabel reads a label, a number or a text as the first one is.
func (p *csvParser) addLabel(field string, line int) error {
	switch coded := p.opt.coded; {
	case coded != nil:
		p.words.used, p.words.known = coded.Classes != nil, coded.Classes
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
