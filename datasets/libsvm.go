package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// readLIBSVM reads a sparse table in the LIBSVM (SVMlight) text format: a line is a label and
// then index:value pairs, with indices that start at 1 and increase strictly. A row may have no
// pair at all. "#" begins a comment; blank lines are skipped; lines may end in CR LF; a byte
// order mark may come first. Labels may be any finite number. The number of features may be
// given; 0 means the largest index that occurs. An index above it is an error.
//
// The name stands for the file in errors, which are *SyntaxError ("name:line: message"). r must
// be decompressed already. m bounds the memory of the rows.
func readLIBSVM(r io.Reader, name string, features int, m *room) (*Table, error) {
	bounded, br, err := m.lines(r)
	if err != nil {
		return nil, syntaxError(name, 1, "%w", err)
	}
	t := &Table{indptr: []int{0}, Labels: []float64{}}
	for line := 1; ; line++ {
		bounded.next()
		text, err := br.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, syntaxError(name, line, "%w", err)
		}
		entries, rows := len(t.values), t.N
		perr := t.appendLIBSVM(text, features)
		if perr == nil {
			perr = m.take(entryBytes*int64(len(t.values)-entries) + rowBytes*int64(t.N-rows))
		}
		if perr != nil {
			return nil, syntaxError(name, line, "%w", perr)
		}
		if err == io.EOF {
			break
		}
	}
	if features > 0 {
		t.D = features
	}
	switch {
	case t.N == 0:
		return nil, syntaxError(name, 0, "no rows")
	case t.D == 0:
		return nil, syntaxError(name, 0, "no row has a feature: set `features`")
	}
	return t, nil
}

// appendLIBSVM adds one line to t, which has max index D so far.
func (t *Table) appendLIBSVM(text []byte, features int) error {
	if i := bytes.IndexByte(text, '#'); i >= 0 {
		text = text[:i]
	}
	var label float64
	last := -1 // before the label
	for field := range bytes.FieldsSeq(text) {
		if last < 0 {
			var err error
			if label, err = parseNumber(field); err != nil {
				return fmt.Errorf("label: %w", err)
			}
			last = 0
			continue
		}
		before, after, ok := bytes.Cut(field, []byte{':'})
		if !ok {
			return fmt.Errorf("%s: want index:value", quote(field))
		}
		index, err := strconv.ParseUint(string(before), 10, 64)
		switch {
		case err != nil && string(before) == "qid":
			return errors.New("qid: ranking data are not supported")
		case errors.Is(err, strconv.ErrRange) || err == nil && index > math.MaxInt32:
			return fmt.Errorf("%s: the index is above %d", quote(field), math.MaxInt32)
		case err != nil:
			return fmt.Errorf("%s: the index is not a whole number", quote(field))
		case index == 0:
			return fmt.Errorf("%s: index 0, but indices start at 1 (add one to every index of the file)", quote(field))
		case int(index) == last:
			return fmt.Errorf("%s: index %d occurs twice in the row", quote(field), index)
		case int(index) < last:
			return fmt.Errorf("%s: index %d after index %d: indices must increase", quote(field), index, last)
		case features > 0 && int(index) > features:
			return fmt.Errorf("%s: index %d, but the data have %d features", quote(field), index, features)
		}
		value, err := parseNumber(after)
		if err != nil {
			return fmt.Errorf("%s: value: %w", quote(field), err)
		}
		last = int(index)
		t.indices, t.values = append(t.indices, int32(last-1)), append(t.values, value)
	}
	if last < 0 {
		return nil
	}
	t.D = max(t.D, last)
	t.N++
	t.Labels = append(t.Labels, label)
	t.indptr = append(t.indptr, len(t.indices))
	return nil
}
