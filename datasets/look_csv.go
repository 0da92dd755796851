package datasets

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// delimiters are the characters that may separate the fields of a CSV file, the likeliest
// first.
const delimiters = ",;\t| "

// delimiterOf tells which character separates the fields of a CSV file: of those that give
// every line the same number of fields, more than one, that with the least share of texts in
// the last line. It is 0 if there are nothing but texts.
func delimiterOf(head []byte, whole bool) (best rune) {
	least := 1.0
	for _, c := range delimiters {
		records, err := recordsOf(head, whole, c)
		if err != nil || len(records) == 0 || len(records[0]) < 2 {
			continue
		}
		texts, last := 0, records[len(records)-1]
		for _, field := range last {
			if isText(field) {
				texts++
			}
		}
		if share := float64(texts) / float64(len(last)); share < least {
			best, least = c, share
		}
	}
	return best
}

// decimalComma reports whether a field is a number but for a comma where the point should be.
func decimalComma(field string) bool {
	return strings.Count(field, ",") == 1 && isNumber(strings.Replace(field, ",", ".", 1))
}

// isText reports whether a field is neither a number, be it with a decimal comma, nor missing.
func isText(field string) bool {
	field = strings.TrimSpace(field)
	return !isNumber(field) && !decimalComma(field) && !isMissing(field)
}

// recordsOf returns the records of the beginning of a file.
func recordsOf(head []byte, whole bool, comma rune) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(bytes.Join(fullLines(head, whole), []byte("\n"))))
	r.Comma, r.TrimLeadingSpace = comma, comma != '\t' && comma != ' '
	return r.ReadAll()
}

// countedRows is the least rows of a file of which a column of whole numbers, each one more
// than the last, is taken for a count of the rows.
const countedRows = 10

// columns tells by the beginning of a file which columns are no features. label is that of
// the labels, by name or number, "" if it takes a look at all rows to tell; ignore are those
// that are left out, as they hold other texts or row numbers, by their indices.
func (l *Look) columns(head []byte, whole bool, comma rune, opt LookOptions) (label string, ignore []int, err error) {
	label = opt.Label
	records, err := recordsOf(head, whole, comma)
	if err != nil || len(records) == 0 {
		return label, nil, nil
	}
	p := csvParser{name: l.Ref.Path, opt: csvOptions{Label: label, Header: opt.Header}, label: -1}
	isHeader, err := p.start(records[0], 1, records[1:])
	if err != nil { // reading it says what is wrong
		return label, nil, nil
	}
	if isHeader {
		l.Header, records = p.header, records[1:]
		for _, name := range labelNames {
			c := slices.IndexFunc(p.header, func(h string) bool { return strings.EqualFold(h, name) })
			if c >= 0 && label == "" {
				p.label, label, l.LabelWhy = c, l.refer(c), "its name says so"
			}
		}
	}
	var texts []int
	for c := range p.feature {
		switch {
		case c == p.label:
		case holdsTexts(records, c):
			texts = append(texts, c)
		case countsRows(records, c):
			ignore = append(ignore, c)
		}
	}
	if label == "" {
		c, err := l.textLabel(&p, records, texts, opt)
		if err != nil {
			return "", nil, err
		}
		if c >= 0 {
			p.label, label = c, l.refer(c)
		}
	}
	ignore = append(ignore, slices.DeleteFunc(texts, func(c int) bool { return c == p.label })...)
	slices.Sort(ignore)
	for _, c := range ignore {
		l.Left = append(l.Left, p.column(c))
	}
	return label, ignore, nil
}

// holdsTexts reports whether most of what a column has are texts. Reading it tells where one
// is that should have been a number.
func holdsTexts(records [][]string, c int) bool {
	texts, there := 0, 0
	for _, record := range records {
		if !isMissing(strings.TrimSpace(record[c])) {
			there++
			if isText(record[c]) {
				texts++
			}
		}
	}
	return 2*texts > there
}

// textLabel returns which of the columns of texts holds the labels, -1 if none does: that
// which alone has few classes.
func (l *Look) textLabel(p *csvParser, records [][]string, texts []int, opt LookOptions) (int, error) {
	most := fewClasses
	if len(texts) == 1 {
		most = mostClasses
	}
	var able []int
	for _, c := range texts {
		classes := make(map[string]bool)
		for _, record := range records {
			if field := strings.TrimSpace(record[c]); !isMissing(field) {
				classes[field] = true
			}
		}
		if n := len(classes); n > 1 && n <= most && (n == 2 || n*rowsOfClass <= len(records)) {
			able = append(able, c)
		}
	}
	switch {
	case len(able) == 1:
		l.LabelWhy = "it is the only column of texts"
		if len(texts) > 1 {
			l.LabelWhy += " that has few different ones"
		}
		return able[0], nil
	case len(able) == 0 || opt.Unlabelled:
		return -1, nil
	}
	var names []string
	for _, c := range able {
		names = append(names, p.column(c))
	}
	return -1, fmt.Errorf("%s: several columns hold texts that may be labels: %s; name that of the labels with --label, "+
		"and the others are left out", l.Ref.Path, strings.Join(names[:min(len(names), maxListed)], ", "))
}

// countsRows reports whether a column holds whole numbers, each one more than the last.
func countsRows(records [][]string, c int) bool {
	for i, record := range records {
		n, err := strconv.ParseInt(strings.TrimSpace(record[c]), 10, 64)
		if err != nil {
			return false
		}
		if i > 0 {
			last, _ := strconv.ParseInt(strings.TrimSpace(records[i-1][c]), 10, 64)
			if n != last+1 {
				return false
			}
		}
	}
	return len(records) >= countedRows
}
