package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestReadIDXShape(t *testing.T) {
	t.Parallel()
	file := encodeIDX([]int{2, 3, 2}, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255})
	tab, err := readArrayTable(bytes.NewReader(file), "f", csvOptions{Features: 6}, newRoom(0))
	if err != nil {
		t.Fatal(err)
	}
	if row := tab.Row(1, nil); tab.N != 2 || !slices.Equal(row, []float64{6, 7, 8, 9, 10, 255}) {
		t.Errorf("%d rows, the second is %v", tab.N, row)
	}
}

func TestReadIDXErrors(t *testing.T) {
	t.Parallel()
	good := encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4})
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "f.idx: neither an IDX nor a NumPy file: the header ends early"},
		{"text", []byte("+1 3:1 11:1\n"), "f.idx: neither an IDX nor a NumPy file: it begins with bytes 2b 31 20 33"},
		{"bad type", []byte{0, 0, 7, 1, 0, 0, 0, 1, 9}, "neither an IDX nor a NumPy file"},
		{"no dimension", []byte{0, 0, 8, 0}, "neither an IDX nor a NumPy file"},
		{"header ends", good[:10], "truncated IDX file: the header ends early"},
		{"truncated", good[:len(good)-1], "truncated file: the header promises an array of [2 2]"},
		{"trailing", append(slices.Clone(good), 0), "bytes after the end of the data"},
		{"zero dimension", encodeIDX([]int{0, 4}, nil), "dimension 1 is 0"},
		{"lying header", encodeIDX([]int{1 << 31, 1 << 28}, []byte{1}), "truncated file: the header promises an array of [2147483648 268435456]"},
		{"impossible", encodeIDX([]int{1 << 31, 1 << 31, 4}, nil), "impossible dimensions"},
		{"floats", []byte{0, 0, 14, 1, 0, 0, 0, 1}, "truncated file: the header promises an array of [1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readArray(bytes.NewReader(c.file), "f.idx", newRoom(0))
			wantError(t, err, c.want)
		})
	}
}

func TestIDXLabelsMustFit(t *testing.T) {
	t.Parallel()
	_, err := readLabels(bytes.NewReader(encodeIDX([]int{2}, []byte{3, 4})), "l.idx", 3, newRoom(0))
	wantError(t, err, "l.idx: 2 labels for 3 rows")
	_, err = readLabels(bytes.NewReader(encodeIDX([]int{1, 2}, []byte{3, 4})), "l.idx", 1, newRoom(0))
	wantError(t, err, "one dimension, this has 2")
}

func FuzzReadArray(f *testing.F) {
	f.Add(encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}))
	f.Add(encodeIDX([]int{3}, []byte{1, 2, 3}))
	f.Add(encodeIDX([]int{1 << 31, 1 << 31}, []byte{1}))
	f.Add([]byte{0, 0, 14, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte("text"))
	f.Add(encodeNPY("<f8", false, "(2, 2)", []float64{1, 2, 3, 4}))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := readArray(bytes.NewReader(file), "f", newRoom(0))
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("not a *SyntaxError: %v", err)
			}
			return
		}
		if a.bytes != nil && !bytes.Equal(encodeIDX(a.dims, a.bytes), file) {
			t.Fatal("the file is not header and elements")
		}
	})
}

// encodeNPY writes a NumPy file as np.save does.
func encodeNPY(descr string, fortran bool, shape string, data any) []byte {
	order := map[bool]string{false: "False", true: "True"}[fortran]
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	out := binary.LittleEndian.AppendUint16([]byte(npyMagic+"\x01\x00"), uint16(len(header)))
	var endian binary.ByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		endian = binary.BigEndian
	}
	out, _ = binary.Append(append(out, header...), endian, data)
	return out
}

// An array is read alike in every type, byte order and order of elements.
func TestReadNPY(t *testing.T) {
	t.Parallel()
	byRow, byColumn := []int{1, 2, 3, 4, 5, 6}, []int{1, 4, 2, 5, 3, 6}
	for name, c := range map[string]struct {
		descr   string
		fortran bool
		data    any
	}{
		"float64": {"<f8", false, as[float64](byRow)}, "big-endian float64": {">f8", true, as[float64](byColumn)},
		"float32": {"<f4", true, as[float32](byColumn)}, "big-endian float32": {">f4", false, as[float32](byRow)},
		"int8": {"|i1", false, as[int8](byRow)}, "uint8": {"|u1", true, as[uint8](byColumn)},
		"int16": {"<i2", false, as[int16](byRow)}, "uint16": {">u2", false, as[uint16](byRow)},
		"int32": {">i4", true, as[int32](byColumn)}, "uint32": {"<u4", false, as[uint32](byRow)},
		"int64": {"<i8", false, as[int64](byRow)}, "uint64": {">u8", false, as[uint64](byRow)},
	} {
		file := encodeNPY(c.descr, c.fortran, "(2, 3)", c.data)
		table, err := readArrayTable(bytes.NewReader(file), "f", csvOptions{}, newRoom(0))
		if err != nil || table.N != 2 || !slices.Equal(table.Row(1, nil), []float64{4, 5, 6}) || table.Labels != nil {
			t.Errorf("%s: %+v, %v", name, table, err)
		}
		table, err = readArrayTable(bytes.NewReader(file), "f", csvOptions{Label: "-2"}, newRoom(0))
		if err != nil || !slices.Equal(table.data, []float64{1, 3, 4, 6}) || !slices.Equal(table.Labels, []float64{2, 5}) {
			t.Errorf("%s with labels: %+v, %v", name, table, err)
		}
	}
	negative := encodeNPY(">i2", false, "(2, 1, 2)", []int16{-1, 0, 1, -300})
	table, err := readArrayTable(bytes.NewReader(negative), "f", csvOptions{}, newRoom(0))
	if err != nil || !slices.Equal(table.data, []float64{-1, 0, 1, -300}) || table.D != 2 {
		t.Errorf("three dimensions: %+v, %v", table, err)
	}
	wide := append([]byte(npyMagic+"\x02\x00\x4c\x00\x00\x00"), encodeNPY("|b1", false, "(2,)", []bool{true, false})[10:]...)
	wide[8] = byte(len(wide) - 14)
	if labels, err := readLabels(bytes.NewReader(wide), "f", 2, newRoom(0)); err != nil || !slices.Equal(labels, []float64{1, 0}) {
		t.Errorf("version 2, one dimension: %v, %v", labels, err)
	}
}

func as[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](from []int) (out []T) {
	for _, v := range from {
		out = append(out, T(v))
	}
	return out
}

func TestReadNPYErrors(t *testing.T) {
	t.Parallel()
	good := encodeNPY("<f8", false, "(2, 2)", []float64{1, 2, 3, 4})
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"header ends", good[:20], "truncated NumPy file: the header ends early"},
		{"truncated", good[:len(good)-1], "truncated file: the header promises an array of [2 2]"},
		{"trailing", append(slices.Clone(good), 0), "bytes after the end of the data"},
		{"empty", encodeNPY("<f8", false, "(0, 4)", []float64{}), "dimension 1 is 0"},
		{"scalar", encodeNPY("<f8", false, "()", []float64{1}), "0 dimensions"},
		{"negative", encodeNPY("<f8", false, "(-1, 4)", []float64{}), "dimension 1 is -1"},
		{"impossible", encodeNPY("<f8", false, "(4611686018427387904, 4)", []float64{}), "impossible dimensions"},
		{"lying header", encodeNPY("<f8", false, "(1073741824, 1024)", []float64{1}), "truncated file: the header promises"},
		{"too large", encodeNPY("<f8", false, "(1048576, 1024)", []float64{}), "the rows take more than"},
		{"not finite", encodeNPY("<f4", false, "(2,)", []float32{1, float32(math.NaN())}), "element 2 is NaN"},
		{"texts", encodeNPY("<U3", false, "(2,)", []float64{1}), `type "U3" is not read here: convert it by`},
		{"complex", encodeNPY("<c16", false, "(2,)", []float64{1}), `type "c16" is not read here`},
		{"cube", encodeNPY("<f8", true, "(1, 1, 1)", []float64{1}), "save a.reshape(len(a), -1)"},
		{"records", encodeNPY("x', 'y': '", false, "(1,)", []float64{1}), "not one array of numbers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bound := newRoom(0)
			if c.name == "too large" {
				bound = newRoom(1 << 20)
			}
			_, err := readArray(bytes.NewReader(c.file), "f.npy", bound)
			wantError(t, err, "f.npy: ", c.want)
		})
	}
}
