package datasets

import (
	"bufio"
	"slices"
	"strconv"
	"strings"
)

// csvHead returns the first records of a CSV file without taking them from r.
func csvHead(r *bufio.Reader, comma rune) [][]string {
	head, err := r.Peek(headBytes) // what the error is, reading tells
	records, _ := recordsOf(head, err != nil, comma)
	return records
}

// hasHeader reports whether a record, the first of a file, names the columns. next are
// some of the records that follow it.
func (p *csvParser) hasHeader(record []string, line int, next [][]string) (bool, error) {
	if p.opt.Header != nil {
		return *p.opt.Header, nil
	}
	var numbers []float64
	texts := false
	for c, field := range record {
		field = strings.TrimSpace(field)
		if v, err := strconv.ParseFloat(field, 64); err == nil {
			numbers = append(numbers, v)
			continue
		}
		if !isText(field) {
			continue
		}
		below, others := columnBelow(next, c)
		switch {
		case slices.Contains(below, field):
			return false, nil // a class, and no name
		case others == 0 && len(below) > 0:
			return true, nil // every other row has a number
		}
		texts = true
	}
	switch count, from := len(numbers), countsUp(numbers); {
	case count == 0:
		return strings.Join(record, "") != "", nil
	case from == 0 && (count > 2 || count == 2 && texts) && !countUp(next):
		return true, nil
	case from == 0 && (count > 1 || texts), from > 0 && (count > 3 || count > 1 && texts) && !countUp(next):
		return false, p.errorf(line, "this line may be a header or a row: its numbers count up from %d; "+
			"say which by `with: {header: true}` or `with: {header: false}` (stochopt new: --header true or --header false)", from)
	}
	return false, nil
}

// columnBelow returns the fields of a column that are not missing, and how many of them are
// not numbers.
func columnBelow(records [][]string, c int) (fields []string, texts int) {
	for _, record := range records {
		if field := strings.TrimSpace(record[c]); !isMissing(field) {
			fields = append(fields, field)
			if !isNumber(field) {
				texts++
			}
		}
	}
	return fields, texts
}

// countsUp returns the first of whole numbers of which each is one more than the one before,
// -1 if they are not or start below zero.
func countsUp(numbers []float64) int {
	for i, v := range numbers {
		if v != numbers[0]+float64(i) {
			return -1
		}
	}
	if len(numbers) == 0 || numbers[0] < 0 || numbers[0] > 1e9 || numbers[0] != float64(int(numbers[0])) {
		return -1
	}
	return int(numbers[0])
}

// countUp reports whether the numbers of most records count up.
func countUp(records [][]string) bool {
	n := 0
	for _, record := range records {
		var numbers []float64
		for _, field := range record {
			if v, err := strconv.ParseFloat(strings.TrimSpace(field), 64); err == nil {
				numbers = append(numbers, v)
			}
		}
		if len(numbers) > 1 && countsUp(numbers) >= 0 {
			n++
		}
	}
	return 2*n > len(records)
}

// nameColumns takes a record for the names of the columns, of which no two may be the same.
func (p *csvParser) nameColumns(record []string, line int) error {
	p.header = slices.Clone(record)
	seen := make(map[string]int, len(record))
	for c, name := range record {
		name = strings.TrimSpace(name)
		if before, ok := seen[name]; ok {
			return p.errorf(line, "columns %d and %d are both called %q; rename one of them", before+1, c+1, name)
		}
		p.header[c], seen[name] = name, c
	}
	return nil
}
