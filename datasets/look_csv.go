package datasets

import (
	"bytes"
	"encoding/csv"
	"slices"
)

// delimiters are the characters that may separate the fields of a CSV file, the likeliest
// first.
const delimiters = ",;\t| "

// delimiterOf tells which character separates the fields of a CSV file, 0 if none gives
// every line the same number of fields, more than one, and the last line numbers only.
func delimiterOf(head []byte, whole bool) rune {
	text := bytes.Join(fullLines(head, whole), []byte("\n"))
	for _, c := range delimiters {
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma, r.TrimLeadingSpace = c, c != '\t' && c != ' '
		records, err := r.ReadAll()
		if err != nil || len(records) == 0 || len(records[0]) < 2 {
			continue
		}
		if !slices.ContainsFunc(records[len(records)-1], func(s string) bool { return !isNumber(s) }) {
			return c
		}
	}
	return 0
}
