package datasets

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// idxBytes is the type of the elements of the files that are read, unsigned bytes, in the third
// byte of the header.
const idxBytes = 0x08

// isIDX reports whether a file begins as one of the IDX format does: two zero bytes, the type
// of the elements, and the number of dimensions.
func isIDX(head []byte) bool {
	return len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= idxBytes && head[2] <= 0x0e && head[3] > 0
}

// readIDX reads an IDX file of unsigned bytes: its header, each dimension as a big-endian 32-bit
// number, then the elements. dims holds the size of each dimension, the slowest first; all are
// positive. What ends early or goes on after the last element is an error, a *SyntaxError with
// the given name. r must be decompressed already. m bounds the memory of the file; nil means no
// bound.
func readIDX(r io.Reader, name string, m *room) (dims []int, data []byte, err error) {
	fail := func(format string, args ...any) ([]int, []byte, error) {
		return nil, nil, syntaxError(name, 0, format, args...)
	}
	var head [4]byte
	switch _, err := io.ReadFull(r, head[:]); {
	case err != nil:
		return fail("not an IDX file: its header ends early (%w)", err)
	case !isIDX(head[:]):
		return fail("not an IDX file: it begins with bytes % x, want 00 00, a type 08..0e and a number of dimensions", head)
	case head[2] != idxBytes:
		return fail("IDX file with elements of the type %02x: only unsigned bytes, 08, are read; write a CSV file", head[2])
	}
	sizes := make([]uint32, head[3])
	if err := binary.Read(r, binary.BigEndian, sizes); err != nil {
		return fail("truncated IDX file: the header ends early (%w)", err)
	}
	size := int64(1)
	for i, d := range sizes {
		if d == 0 {
			return fail("IDX file without elements: dimension %d is 0", i+1)
		}
		if int64(d) > (math.MaxInt-1)/size {
			return fail("IDX file with impossible dimensions")
		}
		size *= int64(d)
		dims = append(dims, int(d))
	}
	if err := m.take(size); err != nil {
		return fail("the header promises %v elements: %w", dims, err)
	}
	// Memory beyond a beginning is taken as data arrive, so that a header that lies costs little.
	content := bytes.NewBuffer(make([]byte, 0, min(size, 1<<26)+bytes.MinRead))
	n, err := content.ReadFrom(io.LimitReader(r, size+1))
	switch {
	case n > size:
		return fail("bytes after the end of the data: the header promises %d bytes", size)
	case err != nil:
		return fail("%w", err)
	case n < size:
		return fail("truncated IDX file: the header promises %d bytes of data, there are %d", size, n)
	}
	return dims, content.Bytes(), nil
}

// readIDXTable reads an array as a table of bytes without labels: the first dimension counts the
// rows, the others together the features.
func readIDXTable(r io.Reader, name string, features int, m *room) (*Table, error) {
	dims, data, err := readIDX(r, name, m)
	if err != nil {
		return nil, err
	}
	d := len(data) / dims[0]
	if features > 0 && d != features {
		return nil, syntaxError(name, 0, "%d features, want %d", d, features)
	}
	return newCoded(dims[0], d, data), nil
}

// readIDXLabels reads a one-dimensional array of n labels.
func readIDXLabels(r io.Reader, name string, n int, m *room) ([]float64, error) {
	if err := m.take(8 * int64(n)); err != nil {
		return nil, syntaxError(name, 0, "%w", err)
	}
	dims, data, err := readIDX(r, name, m)
	switch {
	case err != nil:
		return nil, err
	case len(dims) != 1:
		return nil, syntaxError(name, 0, "an IDX label file has one dimension, this has %d", len(dims))
	case dims[0] != n:
		return nil, syntaxError(name, 0, "%d labels for %d rows", dims[0], n)
	}
	out := make([]float64, n)
	for i, y := range data {
		out[i] = float64(y)
	}
	return out, nil
}
