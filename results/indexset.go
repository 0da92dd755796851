package results

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// IndexSet is a set of indices 0 <= i < 2^31, strictly increasing. As text it is
// the base64 form of the gaps between them as unsigned varints: the first index,
// then each index minus the one before, minus 1.
type IndexSet []int32

// MarshalText implements encoding.TextMarshaler. It returns an error if the
// indices are negative or do not increase.
func (s IndexSet) MarshalText() ([]byte, error) {
	var b []byte
	next := int32(0)
	for k, i := range s {
		if i < next {
			return nil, fmt.Errorf("results: index %d at position %d of a set is not above the one before", i, k)
		}
		b = binary.AppendUvarint(b, uint64(i-next))
		next = i + 1
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

var errIndexSet = errors.New("results: a set of indices is malformed")

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *IndexSet) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("%w: %v", errIndexSet, err)
	}
	set := IndexSet{}
	next := uint64(0)
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		if n <= 0 || gap > math.MaxInt32 || next+gap >= math.MaxInt32 {
			return errIndexSet
		}
		set = append(set, int32(next+gap))
		next += gap + 1
		b = b[n:]
	}
	*s = set
	return nil
}
