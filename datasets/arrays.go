package datasets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/mat"
)

// arrayHeader describes an IDX or NumPy file.
type arrayHeader struct {
	dims    []int
	kind    string // element type and size in bytes in NumPy's notation, such as "f8"
	order   binary.ByteOrder
	fortran bool // the first index varies fastest
}

// array is the content of an IDX or NumPy file in C order. Elements of type u1 are in bytes, all
// others in values.
type array struct {
	dims   []int
	bytes  []byte
	values []float64
}

const npyMagic = "\x93NUMPY"

// idxKinds maps the third byte of an IDX file to the element type.
var idxKinds = map[byte]string{0x08: "u1", 0x09: "i1", 0x0b: "i2", 0x0c: "i4", 0x0d: "f4", 0x0e: "f8"}

// isIDX reports whether head starts an IDX file: two zero bytes, the element type and the number
// of dimensions.
func isIDX(head []byte) bool {
	return len(head) >= 4 && head[0] == 0 && head[1] == 0 && idxKinds[head[2]] != "" && head[3] > 0
}

// readArrayHeader reads the header of an IDX or NumPy file. In IDX, the four bytes of isIDX precede
// the dimensions, big-endian numbers of 32 bits.
func readArrayHeader(r io.Reader) (h arrayHeader, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return h, fmt.Errorf("not an IDX or NumPy file: the header ends early (%w)", err)
	}
	if strings.HasPrefix(npyMagic, string(head[:])) {
		return readNPYHeader(r)
	}
	if !isIDX(head[:]) {
		return h, fmt.Errorf("not an IDX or NumPy file: it begins with bytes % x", head)
	}
	sizes := make([]uint32, head[3])
	if err := binary.Read(r, binary.BigEndian, sizes); err != nil {
		return h, fmt.Errorf("truncated IDX file: the header ends early (%w)", err)
	}
	h.kind, h.order = idxKinds[head[2]], binary.BigEndian
	for _, d := range sizes {
		h.dims = append(h.dims, int(d))
	}
	return h, nil
}

// readNPYHeader reads the header of a NumPy file after the first four magic bytes. The version and a
// length precede a Python dictionary literal of that length. See
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
func readNPYHeader(r io.Reader) (h arrayHeader, err error) {
	var start struct {
		Magic        [len(npyMagic) - 4]byte
		Major, Minor uint8
		Length       uint16
	}
	err = binary.Read(r, binary.LittleEndian, &start)
	if err == nil && start.Major > 1 { // the length has 32 bits; for an array of numbers the upper half is 0
		err = binary.Read(r, binary.LittleEndian, new(uint16))
	}
	text := make([]byte, start.Length)
	if err == nil {
		_, err = io.ReadFull(r, text)
	}
	if err != nil {
		return h, fmt.Errorf("truncated NumPy file: the header ends early (%w)", err)
	}
	var dictionary struct {
		Type    string `yaml:"descr"` // such as "<f8"
		Fortran bool   `yaml:"fortran_order"`
		Shape   []int  `yaml:"shape"`
	}
	// The literal is YAML once the tuple has brackets.
	if decodeYAML([]byte(strings.NewReplacer("(", "[", ")", "]").Replace(string(text))), &dictionary) != nil {
		return h, errors.New("this NumPy file does not hold an array of numbers: save one with np.save")
	}
	h = arrayHeader{dictionary.Shape, strings.TrimLeft(dictionary.Type, "<>|="), binary.LittleEndian, dictionary.Fortran}
	if strings.HasPrefix(dictionary.Type, ">") {
		h.order = binary.BigEndian
	}
	return h, nil
}

// arrayNumbers decodes an element, by its type.
var arrayNumbers = map[string]func(o binary.ByteOrder, b []byte) float64{
	"b1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"i1": func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) },
	"i2": func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) },
	"i4": func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) },
	"i8": func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) },
	"u1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"u2": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) },
	"u4": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) },
	"u8": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) },
	"f4": func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) },
	"f8": func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) },
}

// elements returns the number of elements, or an error if the array is not supported.
func (h *arrayHeader) elements() (int, error) {
	switch {
	case arrayNumbers[h.kind] == nil:
		return 0, fmt.Errorf("arrays of type %q are not supported: convert it with a.astype('float64')", h.kind)
	case len(h.dims) == 0 || h.fortran && len(h.dims) > 2:
		return 0, fmt.Errorf("arrays of %d dimensions in this order are not supported: save a.reshape(len(a), -1)",
			len(h.dims))
	}
	count := 1
	for i, d := range h.dims {
		switch {
		case d <= 0:
			return 0, fmt.Errorf("the array is empty: dimension %d is %d", i+1, d)
		case d > math.MaxInt/8/count:
			return 0, fmt.Errorf("the array has impossible dimensions: %v", h.dims)
		}
		count *= d
	}
	return count, nil
}

// readArray reads an IDX or NumPy file of finite numbers. r must be decompressed; m limits the
// memory of the array. Errors are *SyntaxError with the given file name.
func readArray(r io.Reader, name string, m *budget) (*array, error) {
	a := &array{}
	err := a.read(bufio.NewReader(r), m)
	if a.dims != nil && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		err = fmt.Errorf("truncated file: the header declares an array of %v; get the file again", a.dims)
	}
	if err != nil {
		return nil, syntaxError(name, 0, "%w", err)
	}
	return a, nil
}

func (a *array) read(r *bufio.Reader, m *budget) error {
	h, err := readArrayHeader(r)
	if err != nil {
		return err
	}
	count, err := h.elements()
	if err != nil {
		return err
	}
	a.dims = h.dims
	bytesOnly := h.kind == "u1" && !h.fortran
	if err := m.use(int64(count) * map[bool]int64{true: 1, false: 8}[bytesOnly]); err != nil {
		return fmt.Errorf("the header declares an array of %v: %w", a.dims, err)
	}
	number, size := arrayNumbers[h.kind], int(h.kind[1]-'0')
	buf := make([]byte, 1024*size)
	// The array grows as data arrive, so that false dimensions in a header cost little memory.
	for left := count; left > 0; left -= 1024 {
		chunk := buf[:size*min(left, 1024)]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return err
		}
		if bytesOnly {
			a.bytes = append(a.bytes, chunk...)
			continue
		}
		for element := range slices.Chunk(chunk, size) {
			v := number(h.order, element)
			if !finite.Is(v) {
				return fmt.Errorf("element %d is %v: replace it or delete its row", len(a.values)+1, v)
			}
			a.values = append(a.values, v)
		}
	}
	if h.fortran && len(a.dims) == 2 {
		a.values = mat.DenseCopyOf(mat.NewDense(a.dims[1], a.dims[0], a.values).T()).RawMatrix().Data
	}
	switch _, err := r.ReadByte(); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("bytes after the end of the data: the header declares an array of %v", a.dims)
	default:
		return err
	}
}

// readArrayTable reads an array as a table. The first dimension is the number of rows; the others are
// flattened into columns. o.Label may choose one column as the labels.
func readArrayTable(r io.Reader, name string, o csvOptions, m *budget) (*Table, error) {
	a, err := readArray(r, name, m)
	if err != nil {
		return nil, err
	}
	n, d := a.dims[0], (len(a.bytes)+len(a.values))/a.dims[0]
	p := csvColumns{name: name}
	label, err := p.findLabel(o.Label, d)
	if err != nil {
		return nil, err
	}
	t := NewDense(n, d, a.values, nil)
	if a.bytes != nil {
		t = newCoded(n, d, a.bytes)
	}
	if label >= 0 {
		t = t.splitLabels(label)
	}
	if t.D == 0 || o.Features > 0 && t.D != o.Features {
		return nil, syntaxError(name, 0, "%d features, want %d", t.D, max(o.Features, 1))
	}
	return t, nil
}

// splitLabels moves one column of a dense table to the labels of the result. It overwrites t.
func (t *Table) splitLabels(column int) *Table {
	features, labels := t.data[:0], make([]float64, t.N)
	for i, row := range t.stored() {
		labels[i] = row[column]
		features = append(append(features, row[:column]...), row[column+1:]...)
	}
	return NewDense(t.N, t.D-1, features, labels)
}

// readLabels reads n labels from an IDX or NumPy file of one dimension or one column.
func readLabels(r io.Reader, name string, n int, m *budget) ([]float64, error) {
	a, err := readArray(r, name, m)
	switch {
	case err != nil:
		return nil, err
	case len(a.bytes)+len(a.values) != a.dims[0]:
		return nil, syntaxError(name, 0, "a label file must have one dimension, not %d", len(a.dims))
	case a.dims[0] != n:
		return nil, syntaxError(name, 0, "%d labels for %d rows", a.dims[0], n)
	}
	if a.bytes == nil {
		return a.values, nil
	}
	if err := m.use(8 * int64(n)); err != nil {
		return nil, syntaxError(name, 0, "%w", err)
	}
	out := make([]float64, n)
	for i, y := range a.bytes {
		out[i] = float64(y)
	}
	return out, nil
}
