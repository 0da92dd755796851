package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
)

func TestReadIDXTypes(t *testing.T) {
	t.Parallel()
	f32 := binary.BigEndian.AppendUint32(nil, math.Float32bits(-1.5))
	f64 := binary.BigEndian.AppendUint64(nil, math.Float64bits(math.Pi))
	for _, c := range []struct {
		typ  byte
		raw  []byte
		want float64
	}{
		{0x08, []byte{200}, 200},
		{0x09, []byte{200}, -56},
		{0x0b, []byte{0xff, 0xfe}, -2},
		{0x0c, []byte{0x00, 0x01, 0x00, 0x00}, 65536},
		{0x0d, f32, -1.5},
		{0x0e, f64, math.Pi},
	} {
		file := append([]byte{0, 0, c.typ, 1, 0, 0, 0, 2}, append(c.raw, c.raw...)...)
		x, err := readIDX(bytes.NewReader(file), "f", nil)
		if err != nil {
			t.Fatalf("type %#x: %v", c.typ, err)
		}
		got := make([]float64, x.Len())
		x.Float64sTo(got)
		if !slices.Equal(got, []float64{c.want, c.want}) {
			t.Errorf("type %#x: %v, want twice %v", c.typ, got, c.want)
		}
	}
}

func TestReadIDXShape(t *testing.T) {
	t.Parallel()
	file := encodeIDX([]int{2, 3, 2}, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255})
	x, err := readIDX(bytes.NewReader(file), "f", nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := x.shape(); n != 2 || d != 6 || !slices.Equal(x.Dims, []int{2, 3, 2}) {
		t.Errorf("shape %d x %d, dims %v", n, d, x.Dims)
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
		{"empty", nil, "f.idx: not an IDX file: it has only 0 bytes"},
		{"text", []byte("+1 3:1 11:1\n"), "f.idx: not an IDX file: it begins with bytes 2b 31 20 33"},
		{"bad type", []byte{0, 0, 7, 1, 0, 0, 0, 1, 9}, "not an IDX file"},
		{"no dimension", []byte{0, 0, 8, 0}, "not an IDX file"},
		{"header ends", good[:10], "truncated IDX file: the header ends in dimension 2 of 2"},
		{"truncated", good[:len(good)-1], "truncated IDX file: the header promises 4 bytes of data, there are 3"},
		{"trailing", append(slices.Clone(good), 0), "bytes after the end of the data"},
		{"zero dimension", encodeIDX([]int{0, 4}, nil), "dimension 1 is 0"},
		{"lying header", encodeIDX([]int{1 << 31, 1 << 31}, []byte{1}), "promises 4611686018427387904 bytes of data, there are 1"},
		{"impossible", encodeIDX([]int{1 << 31, 1 << 31, 4}, nil), "impossible dimensions"},
		{"nan", append([]byte{0, 0, 14, 1, 0, 0, 0, 1}, binary.BigEndian.AppendUint64(nil, math.Float64bits(math.NaN()))...), "element 1 is NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readIDX(bytes.NewReader(c.file), "f.idx", nil)
			wantError(t, err, c.want)
		})
	}
}

func TestIDXLabelsMustFit(t *testing.T) {
	t.Parallel()
	_, err := readIDXLabels(bytes.NewReader(encodeIDX([]int{2}, []byte{3, 4})), "l.idx", 3, nil)
	wantError(t, err, "l.idx: 2 labels for 3 rows")
	_, err = readIDXLabels(bytes.NewReader(encodeIDX([]int{1, 2}, []byte{3, 4})), "l.idx", 1, nil)
	wantError(t, err, "one dimension, this has 2")
}

func FuzzReadIDX(f *testing.F) {
	f.Add(encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}))
	f.Add(encodeIDX([]int{3}, []byte{1, 2, 3}))
	f.Add(encodeIDX([]int{1 << 31, 1 << 31}, []byte{1}))
	f.Add([]byte{0, 0, 14, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := readIDX(bytes.NewReader(file), "f", nil)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("not a *SyntaxError: %v", err)
			}
			return
		}
		n, d := x.shape()
		if n*d != x.Len() || x.Len() == 0 {
			t.Fatalf("%d rows of %d features from %d elements", n, d, x.Len())
		}
		data := make([]float64, x.Len())
		x.Float64sTo(data)
		if err := wellFormed(NewDense(n, d, data, nil)); err != nil {
			t.Fatalf("accepted a table that is not valid: %v", err)
		}
		again := []byte{0, 0, file[2], byte(len(x.Dims))}
		for _, d := range x.Dims {
			again = binary.BigEndian.AppendUint32(again, uint32(d))
		}
		if again = append(again, x.raw...); !bytes.Equal(again, file) {
			t.Fatal("the file is not header and elements")
		}
	})
}
