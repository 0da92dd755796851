package record

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// IndexSet is a strictly increasing list of indices 0 <= i < 2^31. Its text is the base64 encoding of
// unsigned varints: the first index, then each index minus its predecessor, minus 1.
type IndexSet []int32

// MarshalText implements encoding.TextMarshaler. It returns an error if the indices are negative or not
// strictly increasing.
func (s IndexSet) MarshalText() ([]byte, error) {
	var b []byte
	next := int64(0)
	for k, i := range s {
		if int64(i) < next {
			return nil, fmt.Errorf("results: index %d at position %d of a set is negative or not above the previous index", i, k)
		}
		b = binary.AppendUvarint(b, uint64(int64(i)-next))
		next = int64(i) + 1
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

var errIndexSet = errors.New("results: a set of indices is malformed")

// UnmarshalText implements encoding.TextUnmarshaler. It accepts only the output of MarshalText.
func (s *IndexSet) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("%w: %v", errIndexSet, err)
	}
	if bytes.ContainsAny(text, "\r\n") { // the decoder skips these
		return errIndexSet
	}
	set := make(IndexSet, 0, len(b)) // an index takes at least a byte
	next := uint64(0)
	for i := 1; i < len(b); i++ {
		if b[i] == 0 && b[i-1] >= 0x80 {
			return errIndexSet // a varint with redundant bytes
		}
	}
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		if n <= 0 || gap > math.MaxInt32 || next+gap > math.MaxInt32 {
			return errIndexSet
		}
		set = append(set, int32(next+gap))
		next += gap + 1
		b = b[n:]
	}
	*s = set
	return nil
}

// validate returns an error for the first index that is negative, does not increase, or is not below
// rows.
func (s IndexSet) validate(rows int64) error {
	next := int64(0)
	for k, i := range s {
		switch {
		case int64(i) < next:
			return fmt.Errorf("index %d at position %d is negative or not above the previous index", i, k)
		case int64(i) >= rows:
			return fmt.Errorf("index %d at position %d is beyond the %d rows", i, k, rows)
		}
		next = int64(i) + 1
	}
	return nil
}
