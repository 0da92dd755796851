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

// Delimiter tells which character separates the fields of a CSV file, 0 if that cannot be
// told. An error is of reading the file.
func Delimiter(path string) (rune, error) {
	head, _, whole, err := readHead(path)
	return delimiterOf(head, whole), err
}

// delimiterOf tells which character separates the fields of a CSV file, 0 if none gives
// every line the same number of fields, more than one, and the last line numbers only, but
// for what is missing and one text, which may be a label.
func delimiterOf(head []byte, whole bool) rune {
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
		if texts <= 1 {
			return c
		}
	}
	return 0
}

// isText reports whether a field is neither a number nor missing.
func isText(field string) bool {
	field = strings.TrimSpace(field)
	return !isNumber(field) && !isMissing(field)
}

// recordsOf returns the records of the beginning of a file.
func recordsOf(head []byte, whole bool, comma rune) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(bytes.Join(fullLines(head, whole), []byte("\n"))))
	r.Comma, r.TrimLeadingSpace = comma, comma != '\t' && comma != ' '
	return r.ReadAll()
}

// sureLabel returns the column of the labels, by name or number, as far as it can be told
// without a look at all rows: that which is given, or named for it, or the only one of texts.
// It is "" if none is.
func (l *Look) sureLabel(head []byte, whole bool, comma rune, opt LookOptions) (string, error) {
	records, err := recordsOf(head, whole, comma)
	if opt.Label != "" || err != nil || len(records) == 0 { // reading it says what is wrong
		return opt.Label, nil
	}
	p := csvParser{name: l.Ref.Path, label: -1}
	isHeader, err := p.start(records[0], 1)
	if err != nil {
		return "", nil
	}
	if isHeader {
		records = records[1:]
		for _, name := range labelNames {
			if c := slices.IndexFunc(p.header, func(h string) bool { return strings.EqualFold(h, name) }); c >= 0 {
				l.LabelWhy = "its name says so"
				return strconv.Itoa(c + 1), nil
			}
		}
	}
	var texts []int
	for c := range p.feature {
		if slices.ContainsFunc(records, func(record []string) bool { return isText(record[c]) }) {
			texts = append(texts, c)
		}
	}
	switch len(texts) {
	case 0:
		return "", nil
	case 1:
		l.LabelWhy = "it is the only column of texts"
		return strconv.Itoa(texts[0] + 1), nil
	}
	var names []string
	for _, c := range texts {
		names = append(names, p.column(c))
	}
	return "", fmt.Errorf("%s: several columns hold texts: %s; name that of the labels with --label, "+
		"and give the values of the others numbers, or leave them out", l.Ref.Path, strings.Join(names[:min(len(names), maxListed)], ", "))
}
