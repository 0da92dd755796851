package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func FuzzReadArray(f *testing.F) {
	f.Add(encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}))
	f.Add(encodeIDX([]int{3}, []byte{1, 2, 3}))
	f.Add(encodeIDX([]int{1 << 31, 1 << 31}, []byte{1}))
	f.Add([]byte{0, 0, 14, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte("text"))
	f.Add(encodeNPY("<f8", false, "(2, 2)", []float64{1, 2, 3, 4}))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := readArray(bytes.NewReader(file), "f", newRoom(0))
		if refused(t, err, nil) {
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
func TestReadArrays(t *testing.T) {
	t.Parallel()
	byRow, byColumn := []int{1, 2, 3, 4, 5, 6}, []int{1, 4, 2, 5, 3, 6}
	for name, file := range map[string][]byte{
		"float64":            encodeNPY("<f8", false, "(2, 3)", as[float64](byRow)),
		"big-endian float64": encodeNPY(">f8", true, "(2, 3)", as[float64](byColumn)),
		"float32":            encodeNPY("<f4", true, "(2, 3)", as[float32](byColumn)),
		"big-endian float32": encodeNPY(">f4", false, "(2, 3)", as[float32](byRow)),
		"int8":               encodeNPY("|i1", false, "(2, 3)", as[int8](byRow)),
		"uint8":              encodeNPY("|u1", true, "(2, 3)", as[uint8](byColumn)),
		"int16":              encodeNPY("<i2", false, "(2, 3)", as[int16](byRow)),
		"uint16":             encodeNPY(">u2", false, "(2, 3)", as[uint16](byRow)),
		"int32":              encodeNPY(">i4", true, "(2, 3)", as[int32](byColumn)),
		"uint32":             encodeNPY("<u4", false, "(2, 3)", as[uint32](byRow)),
		"int64":              encodeNPY("<i8", false, "(2, 3)", as[int64](byRow)),
		"uint64":             encodeNPY(">u8", false, "(2, 3)", as[uint64](byRow)),
		"bytes":              encodeIDX([]int{2, 1, 3}, as[uint8](byRow)),
	} {
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
