package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// readLIBSVM reads a sparse table in LIBSVM (SVMlight) text format. A line has a label, any finite
// number, and index:value pairs with strictly increasing indices, starting at 1. A row may have no
// pairs. "#" begins a comment. Blank lines, CR LF and a byte order mark are accepted.
//
// features is the number of features; 0 means the largest index. A larger index is an error. r must
// be decompressed; m limits the memory of the rows. Errors are *SyntaxError with the given file name.
func readLIBSVM(r io.Reader, name string, features int, m *budget) (*Table, error) {
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
			perr = m.use(entryBytes*int64(len(t.values)-entries) + rowBytes*int64(t.N-rows))
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
		return nil, syntaxError(name, 0, "no row has any features: set their number with `features`")
	}
	return t, nil
}

// appendLIBSVM appends one line to t. It raises D to the largest index so far.
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
			return errors.New("qid: ranking datasets are not supported")
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
			return fmt.Errorf("%s: index %d exceeds the number of features, %d", quote(field), index, features)
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
