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

// headBytes is how much of a file is looked at to tell its format and its header.
const headBytes = 64 << 10

// csvColumn is what a column of some records of a CSV file holds.
type csvColumn struct {
	// there are the fields that are not missing, texts those of them that are no numbers.
	there, missing, texts int
	// fraction: a number is not whole. uneven: the fields are not numbers of which each is
	// one more than the one before. unordered: they are not whole numbers that increase.
	fraction, uneven, unordered bool
	last                        int64
	// values holds the different fields, the numbers among them as they are written shortest.
	// many says that more than mostClasses values occur.
	values map[string]bool
	many   bool
}

// inspect adds a record to what is known of the columns.
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
	first := c.there+c.missing == 0
	c.uneven = c.uneven || err != nil || !first && n != c.last+1
	c.unordered = c.unordered || err != nil || !first && n <= c.last
	c.last = n
	if isMissing(field) {
		c.missing++
		return
	}
	c.there++
	if v, err := strconv.ParseFloat(field, 64); err == nil {
		field = labelText(v)
		c.fraction = c.fraction || v != math.Trunc(v)
	} else if isText(field) {
		c.texts++
	}
	if c.many || c.values[field] {
		return
	}
	if c.values == nil {
		c.values = make(map[string]bool)
	}
	c.values[strings.Clone(field)] = true
	c.many = len(c.values) > mostClasses
}

// holdsTexts reports whether most of what the column has are texts. Reading it tells where one
// is that should have been a number.
func (c *csvColumn) holdsTexts() bool { return 2*c.texts > c.there }

// countedRows is the least rows of a file of which a column of whole numbers, each one more
// than the last, is taken for a count of the rows.
const countedRows = 10

// unfit reports whether a column holds no features, but texts or numbers of the rows: pandas writes
// these first, without a name, and with gaps if rows were removed.
func (p *csvColumns) unfit(columns []csvColumn, i int) bool {
	c := &columns[i]
	unnamed := p.header != nil && (p.header[i] == "" || strings.HasPrefix(p.header[i], "Unnamed: "))
	return c.holdsTexts() || !c.uneven && c.there >= countedRows || unnamed && !c.unordered
}

// classes reports whether the column has a few different values, as labels have.
func (c *csvColumn) classes(most int) bool {
	n := len(c.values)
	return n > 1 && n <= most && (n == 2 || n*rowsOfClass <= c.there)
}

// isMissing reports whether a field says that its value is not known.
func isMissing(field string) bool {
	switch strings.ToLower(field) {
	case "", "na", "n/a", "nan", "null", "?":
		return true
	}
	return false
}

// isNumber reports whether s reads as a number, NaN and infinities included.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// decimalComma reports whether a field would be a number with a point in place of its comma.
func decimalComma(field string) bool {
	return strings.Count(field, ",") == 1 && isNumber(strings.Replace(field, ",", ".", 1))
}

// isText reports whether a field is neither a number, be it with a decimal comma, nor missing.
func isText(field string) bool {
	return !isNumber(field) && !decimalComma(field) && !isMissing(field)
}

// fullLines returns the lines of the beginning of a file, without the last if it may go on.
func fullLines(head []byte, whole bool) [][]byte {
	lines := bytes.Split(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	if !whole && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// recordsOf returns the records of the beginning of a file.
func recordsOf(head []byte, whole bool, comma rune) ([][]string, error) {
	text := bytes.Join(fullLines(head, whole), []byte("\n"))
	return newCSVReader(bytes.NewReader(text), comma).ReadAll()
}

// delimiters are the characters that may separate the fields of a CSV file, the likeliest first.
const delimiters = ",;\t| "

// delimiterOf returns the character that separates the fields of a CSV file: among the ones that
// give every line the same number of fields, more than one, the one with the least share of texts
// in the last line. It is 0 if all fields are texts.
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

// hasDecimalCommas reports whether a field of the beginning of a CSV file is a number with a comma.
func hasDecimalCommas(head []byte, whole bool, comma rune) bool {
	records, _ := recordsOf(head, whole, comma)
	return slices.ContainsFunc(records, func(record []string) bool {
		return slices.ContainsFunc(record, func(field string) bool { return decimalComma(strings.TrimSpace(field)) })
	})
}

// findHeader reports whether a record, the first of a file, names the columns, and keeps it if it
// does. said is what the user says of it, nil for nothing; next are some of the records that
// follow it.
func (p *csvColumns) findHeader(said *bool, record []string, next [][]string) (is bool, err error) {
	if said != nil {
		is = *said
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

// isHeader tells by the numbers and texts of a record, and by what stands below them.
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
			return false, nil // a class, and no name
		case b.texts == 0 && b.there > 0:
			return true, nil // every other row has a number
		}
		texts = true
	}
	from, count := countsUp(record)
	alike := false // the next record counts up, too
	if len(next) > 0 {
		first, n := countsUp(next[0])
		alike = first >= 0 && n > 1
	}
	switch {
	case count == 0:
		return strings.Join(record, "") != "", nil
	case from == 0 && (count > 2 || count == 2 && texts) && !alike:
		return true, nil
	case from == 0 && (count > 1 || texts), from > 0 && (count > 3 || count > 1 && texts) && !alike:
		return false, p.errorf(p.first, "this line may be a header or a row: its numbers count up from %v; "+
			"say which by `with: {header: true}` or `with: {header: false}` (stochopt new: --header or --header=false)", from)
	}
	return false, nil
}

// countsUp returns the first and the number of the numbers of a record, each one more than the one
// before, -1 as the first if they do not count up.
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

// csv finds out what separates the fields, and what the columns hold.
func (l *Look) csv(head []byte, whole bool, opt LookOptions) error {
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
		return p.scan(r, o.csv, newRoom(opt.Options.MaxBytes), func(record []string, _ int) error {
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
		label, l.LabelWhy, err = p.guessLabel(columns, opt.Unlabelled)
	}
	if err != nil {
		return err
	}
	l.Header = p.header
	var ignore []string
	for c := range columns {
		if column := &columns[c]; c != label && p.unfit(columns, c) {
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

// labelNames are what columns of labels are called.
var labelNames = []string{"label", "labels", "class", "classes", "target", "y", "outcome", "category"}

// guessLabel returns the column that looks like labels, and why it does, or -1 if labels are not
// needed: one that is called so, the only one of texts that has few different ones, or one of few
// different whole numbers, the last column sooner than the first and that sooner than others.
func (p *csvColumns) guessLabel(columns []csvColumn, unlabelled bool) (label int, why string, err error) {
	for _, name := range labelNames {
		if c := slices.IndexFunc(p.header, func(h string) bool { return strings.EqualFold(h, name) }); c >= 0 {
			return c, "its name says so", nil
		}
	}
	var texts, kept, able []int
	for c := range columns {
		switch column := &columns[c]; {
		case column.holdsTexts():
			texts = append(texts, c)
		case !p.unfit(columns, c):
			kept = append(kept, c)
		}
	}
	most := fewClasses
	why = "it is the only column of texts that has few different ones"
	if len(texts) == 1 {
		most, why = mostClasses, "it is the only column of texts"
	}
	for _, c := range texts {
		if columns[c].classes(most) {
			able = append(able, c)
		}
	}
	switch {
	case len(able) == 1:
		return able[0], why, nil
	case unlabelled:
		return -1, "", nil
	case len(able) == 0:
		able = slices.DeleteFunc(slices.Clone(kept), func(c int) bool { return columns[c].fraction || !columns[c].classes(fewClasses) })
		if len(able) == 0 {
			return -1, "", fmt.Errorf("%s: no column looks like labels: none is called %s, "+
				"or has only 2 to %d different whole numbers; name it with --label",
				p.name, strings.Join(labelNames, ", "), fewClasses)
		}
		const few = "it has few different values, all whole"
		switch first, last := able[0], able[len(able)-1]; {
		case last == kept[len(kept)-1]:
			return last, few, nil
		case first == kept[0] || first == last:
			return first, few, nil
		}
	}
	var names []string
	for _, c := range able[:min(len(able), maxListed)] {
		names = append(names, p.column(c))
	}
	return -1, "", fmt.Errorf("%s: several columns may be the labels: %s; name one with --label", p.name, strings.Join(names, ", "))
}

// refer returns what csvOptions.Label calls a column: its name, or its number if it has no
// name or the name has another meaning.
func (p *csvColumns) refer(c int) string {
	number := strconv.Itoa(c + 1)
	switch {
	case p.header == nil:
		return number
	case p.header[c] != "" && p.header[c] != "none":
		return p.header[c]
	case slices.Contains(p.header, number): // names go before numbers
		return strconv.Itoa(c - len(p.header))
	}
	return number
}
