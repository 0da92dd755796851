package datasets

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func TestReadIDXShape(t *testing.T) {
	t.Parallel()
	file := encodeIDX([]int{2, 3, 2}, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255})
	tab, err := readIDXTable(bytes.NewReader(file), "f", 6, nil)
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
		{"empty", nil, "f.idx: not an IDX file: its header ends early"},
		{"text", []byte("+1 3:1 11:1\n"), "f.idx: not an IDX file: it begins with bytes 2b 31 20 33"},
		{"bad type", []byte{0, 0, 7, 1, 0, 0, 0, 1, 9}, "not an IDX file"},
		{"no dimension", []byte{0, 0, 8, 0}, "not an IDX file"},
		{"header ends", good[:10], "truncated IDX file: the header ends early"},
		{"truncated", good[:len(good)-1], "truncated IDX file: the header promises 4 bytes of data, there are 3"},
		{"trailing", append(slices.Clone(good), 0), "bytes after the end of the data"},
		{"zero dimension", encodeIDX([]int{0, 4}, nil), "dimension 1 is 0"},
		{"lying header", encodeIDX([]int{1 << 31, 1 << 31}, []byte{1}), "promises 4611686018427387904 bytes of data, there are 1"},
		{"impossible", encodeIDX([]int{1 << 31, 1 << 31, 4}, nil), "impossible dimensions"},
		{"floats", []byte{0, 0, 14, 1, 0, 0, 0, 1}, "IDX file with elements of the type 0e: only unsigned bytes, 08, are read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := readIDX(bytes.NewReader(c.file), "f.idx", nil)
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
		dims, data, err := readIDX(bytes.NewReader(file), "f", nil)
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) {
				t.Fatalf("not a *SyntaxError: %v", err)
			}
			return
		}
		if again := encodeIDX(dims, data); !bytes.Equal(again, file) {
			t.Fatal("the file is not header and elements")
		}
	})
}
