package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// headBytes is the length of the prefix of a file that is used to detect its format and header.
const headBytes = 64 << 10

// csvColumn summarises the fields of a column of a CSV file.
type csvColumn struct {
	present, missing, texts int  // numbers of fields; texts counts the present ones that are text
	fractional              bool // a number is not whole
	inconsecutive           bool // not whole numbers, each one more than the last
	unordered               bool // not increasing whole numbers
	last                    int64
	// values is the set of distinct fields, with numbers in shortest form. It stops growing once
	// tooMany is set, which means more than mostClasses values.
	values  map[string]bool
	tooMany bool
}

// inspect adds a record to the summaries of its columns.
func inspect(columns []csvColumn, record []string) []csvColumn {
	if columns == nil {
		columns = make([]csvColumn, len(record))
	}
	for c, field := range record {
		columns[c].add(field)
	}
	return columns
}

func (c *csvColumn) add(field string) {
	n, err := strconv.ParseInt(field, 10, 64)
	first := c.present+c.missing == 0
	c.inconsecutive = c.inconsecutive || err != nil || !first && n != c.last+1
	c.unordered = c.unordered || err != nil || !first && n <= c.last
	c.last = n
	if isMissing(field) {
		c.missing++
		return
	}
	c.present++
	if v, err := strconv.ParseFloat(field, 64); err == nil {
		field = labelText(v)
		c.fractional = c.fractional || v != math.Trunc(v)
	} else if isText(field) {
		c.texts++
	}
	if c.tooMany || c.values[field] {
		return
	}
	if c.values == nil {
		c.values = make(map[string]bool)
	}
	c.values[strings.Clone(field)] = true
	c.tooMany = len(c.values) > mostClasses
}

// isText reports whether most of the present fields are text. If some are not numbers, readCSV
// reports where.
func (c *csvColumn) isText() bool { return 2*c.texts > c.present }

// minIndexRows is the least number of rows for which consecutive whole numbers count as row numbers.
const minIndexRows = 10

// notFeature reports whether a column holds text or row numbers. pandas writes row numbers to an
// unnamed first column, with gaps if rows were removed.
func (p *csvColumns) notFeature(columns []csvColumn, i int) bool {
	c := &columns[i]
	unnamed := p.header != nil && (p.header[i] == "" || strings.HasPrefix(p.header[i], "Unnamed: "))
	return c.isText() || !c.inconsecutive && c.present >= minIndexRows || unnamed && !c.unordered
}

// likeClasses reports whether the column has 2 to most distinct values, few enough for its rows.
func (c *csvColumn) likeClasses(most int) bool {
	n := len(c.values)
	return n > 1 && n <= most && (n == 2 || n*rowsOfClass <= c.present)
}

// isMissing reports whether a field denotes a missing value.
func isMissing(field string) bool {
	switch strings.ToLower(field) {
	case "", "na", "n/a", "nan", "null", "?":
		return true
	}
	return false
}

// isNumber reports whether s is a number, NaN or an infinity.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// decimalComma reports whether a field is a number with a decimal comma.
func decimalComma(field string) bool {
	return strings.Count(field, ",") == 1 && isNumber(strings.Replace(field, ",", ".", 1))
}

// isText reports whether a field is neither missing nor a number, with either decimal mark.
func isText(field string) bool {
	return !isNumber(field) && !decimalComma(field) && !isMissing(field)
}

// fullLines returns the lines of head, the beginning of a file. Unless head is the whole file, it
// omits the last line, which may be incomplete.
func fullLines(head []byte, whole bool) [][]byte {
	lines := bytes.Split(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	if !whole && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// recordsOf returns the records of head, the beginning of a file. See fullLines.
func recordsOf(head []byte, whole bool, comma rune) ([][]string, error) {
	text := bytes.Join(fullLines(head, whole), []byte("\n"))
	return newCSVReader(bytes.NewReader(text), comma).ReadAll()
}

// delimiters lists the delimiters that delimiterOf detects, the most likely first.
const delimiters = ",;\t| "

// delimiterOf detects the delimiter of a CSV file. A candidate must give every line the same number of
// fields, at least two. delimiterOf returns the candidate with the least share of text fields in the
// last line, or 0 if that share is 1.
func delimiterOf(head []byte, whole bool) (best rune) {
	least := 1.0
	for _, comma := range delimiters {
		records, err := recordsOf(head, whole, comma)
		if err != nil || len(records) == 0 || len(records[0]) < 2 {
			continue
		}
		texts, last := 0, records[len(records)-1]
		for _, field := range last {
			if isText(strings.TrimSpace(field)) {
				texts++
			}
		}
		if share := float64(texts) / float64(len(last)); share < least {
			best, least = comma, share
		}
	}
	return best
}

// hasDecimalCommas reports whether a field of head is a number with a decimal comma.
func hasDecimalCommas(head []byte, whole bool, comma rune) bool {
	records, _ := recordsOf(head, whole, comma)
	return slices.ContainsFunc(records, func(record []string) bool {
		return slices.ContainsFunc(record, func(field string) bool { return decimalComma(strings.TrimSpace(field)) })
	})
}

// findHeader reports whether the first record is a header, and stores it if so. given is the user's
// setting or nil; next holds some of the following records.
func (p *csvColumns) findHeader(given *bool, record []string, next [][]string) (is bool, err error) {
	if given != nil {
		is = *given
	} else if is, err = p.isHeader(record, next); err != nil {
		return false, err
	}
	if !is {
		return false, nil
	}
	p.header = slices.Clone(record)
	for c, name := range record {
		if before := slices.Index(record, name); before < c {
			return false, p.errorf(p.first, "columns %d and %d are both called %q; rename one of them", before+1, c+1, name)
		}
	}
	return true, nil
}

// isHeader detects a header by comparing the first record with the records below it.
func (p *csvColumns) isHeader(record []string, next [][]string) (bool, error) {
	below := make([]csvColumn, len(record))
	for _, other := range next {
		inspect(below, other)
	}
	texts := false
	for c, field := range record {
		switch b := &below[c]; {
		case !isText(field):
			continue
		case b.values[field]:
			return false, nil // a class, not a name
		case b.texts == 0 && b.present > 0:
			return true, nil // all other rows have a number
		}
		texts = true
	}
	from, count := countsUp(record)
	nextToo := false // the next record counts up as well
	if len(next) > 0 {
		first, n := countsUp(next[0])
		nextToo = first >= 0 && n > 1
	}
	switch {
	case count == 0:
		return strings.Join(record, "") != "", nil
	case from == 0 && (count > 2 || count == 2 && texts) && !nextToo:
		return true, nil
	case from == 0 && (count > 1 || texts), from > 0 && (count > 3 || count > 1 && texts) && !nextToo:
		return false, p.errorf(p.first, "this line may be a header or a row: its numbers count up from %v; "+
			"set `with: {header: true}` or `with: {header: false}` (stochopt new: --header or --header=false)", from)
	}
	return false, nil
}

// countsUp returns the first number in a record and how many numbers it has. If they do not increase
// in steps of 1, first is -1.
func countsUp(record []string) (first float64, count int) {
	for _, field := range record {
		v, err := strconv.ParseFloat(field, 64)
		switch {
		case err != nil:
			continue
		case count == 0:
			first = v
		case v != first+float64(count):
			return -1, count
		}
		count++
	}
	return first, count
}

// csv detects the delimiter, the decimal mark, the header, the labels and the columns to ignore.
func (l *Inspection) csv(head []byte, whole bool, opt InspectOptions) error {
	o, err := l.Ref.pathOptions()
	if err != nil {
		return err
	}
	with := make(map[string]any)
	if c := delimiterOf(head, whole); c != 0 && c != o.csv.Comma {
		with["delimiter"], o.csv.Comma = string(c), c
	}
	if o.csv.Comma != ',' && hasDecimalCommas(head, whole, o.csv.Comma) {
		with["decimal"], o.csv.Decimal = ",", ","
	}
	if opt.Header != nil {
		with["header"], o.csv.Header = *opt.Header, opt.Header
	}
	p := csvColumns{name: l.Ref.Path}
	var columns []csvColumn
	err = readFile(opt.Options.path(l.Ref.Path), io.Discard, func(r io.Reader) error {
		return p.scan(r, o.csv, newBudget(opt.Options.MaxBytes), func(record []string, _ int) error {
			columns = inspect(columns, record)
			return nil
		})
	})
	switch {
	case err != nil:
		return err
	case columns == nil:
		return p.errorf(0, "no rows")
	}
	label, err := p.findLabel(opt.Label, len(columns))
	if err == nil && opt.Label == "" {
		label, l.LabelReason, err = p.guessLabel(columns, opt.Unlabelled)
	}
	if err != nil {
		return err
	}
	l.Header = p.header
	var ignore []string
	for c := range columns {
		if column := &columns[c]; c != label && p.notFeature(columns, c) {
			l.Left = append(l.Left, p.column(c))
			name := p.refer(c)
			if strings.Contains(name, ",") {
				name = strconv.Itoa(c + 1)
			}
			ignore = append(ignore, name)
		} else if column.missing > 0 {
			with["missing"] = "skip"
		}
	}
	if len(ignore) > 0 {
		with["ignore"] = strings.Join(ignore, ", ")
	}
	if len(with) > 0 {
		l.Ref.With = with
	}
	if label >= 0 {
		l.Ref.Label = p.refer(label)
	}
	return nil
}

// labelNames lists common names of label columns, in order of preference.
var labelNames = []string{"label", "labels", "class", "classes", "target", "y", "outcome", "category"}

// guessLabel returns the most likely label column and the reason. It tries, in this order:
//   - a column with one of labelNames;
//   - the only text column with few distinct values; without one, -1 if unlabelled;
//   - a column of few distinct whole numbers: the last column, the first, or the only one.
func (p *csvColumns) guessLabel(columns []csvColumn, unlabelled bool) (label int, why string, err error) {
	for _, name := range labelNames {
		if c := slices.IndexFunc(p.header, func(h string) bool { return strings.EqualFold(h, name) }); c >= 0 {
			return c, "its name says so", nil
		}
	}
	var texts, numeric, candidates []int
	for c := range columns {
		switch column := &columns[c]; {
		case column.isText():
			texts = append(texts, c)
		case !p.notFeature(columns, c):
			numeric = append(numeric, c)
		}
	}
	most := fewClasses
	why = "it is the only text column with few distinct values"
	if len(texts) == 1 {
		most, why = mostClasses, "it is the only text column"
	}
	for _, c := range texts {
		if columns[c].likeClasses(most) {
			candidates = append(candidates, c)
		}
	}
	switch {
	case len(candidates) == 1:
		return candidates[0], why, nil
	case unlabelled:
		return -1, "", nil
	case len(candidates) == 0:
		for _, c := range numeric {
			if !columns[c].fractional && columns[c].likeClasses(fewClasses) {
				candidates = append(candidates, c)
			}
		}
		if len(candidates) == 0 {
			return -1, "", fmt.Errorf("%s: no column looks like labels: none is named %s, "+
				"and none has only 2 to %d distinct whole numbers; choose the label column with --label",
				p.name, strings.Join(labelNames, ", "), fewClasses)
		}
		const few = "it has few distinct values, all whole numbers"
		switch first, last := candidates[0], candidates[len(candidates)-1]; {
		case last == numeric[len(numeric)-1]:
			return last, few, nil
		case first == numeric[0] || first == last:
			return first, few, nil
		}
	}
	var names []string
	for _, c := range candidates[:min(len(candidates), maxListed)] {
		names = append(names, p.column(c))
	}
	return -1, "", fmt.Errorf("%s: several columns may be the labels: %s; choose one with --label",
		p.name, strings.Join(names, ", "))
}

// refer returns the value of csvOptions.Label for column c: its name, or its number if it has no name
// or an ambiguous one.
func (p *csvColumns) refer(c int) string {
	number := strconv.Itoa(c + 1)
	switch {
	case p.header == nil:
		return number
	case p.header[c] != "" && p.header[c] != "none":
		return p.header[c]
	case slices.Contains(p.header, number): // names take precedence over numbers
		return strconv.Itoa(c - len(p.header))
	}
	return number
}
