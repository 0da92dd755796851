package external

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"stochopt/internal/finite"
)

// dtypes has the sizes of the numbers of arrays in bytes.
var dtypes = map[string]int{"<f8": 8, "<f4": 4, "<i8": 8, "<i4": 4, "<u4": 4}

// number is a type that arrays are written of.
type number interface {
	float64 | float32 | int64 | int32
}

// dtypeOf names the type of numbers.
func dtypeOf[T number]() string {
	switch any(*new(T)).(type) {
	case float64:
		return "<f8"
	case float32:
		return "<f4"
	case int64:
		return "<i8"
	}
	return "<i4"
}

// littleEndian: numbers are in memory as they are in files.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns numbers as the bytes of a file.
func bytesOf[T number](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, values)
	return b.Bytes()
}

// files are those that a process writes to the folder of a program, which stay open, and those
// that it reads there.
type files struct {
	dir  string
	open map[string]*os.File
	// raw is for the bytes of what is read.
	raw []byte
}

func (f *files) close() {
	for _, file := range f.open {
		file.Close()
	}
	f.open = nil
}

// file returns a file to write to. It is made anew if the program has put something else in
// its place before.
func (f *files) file(name string) (*os.File, error) {
	if file := f.open[name]; file != nil {
		return file, nil
	}
	file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if f.open == nil {
		f.open = make(map[string]*os.File)
	}
	f.open[name] = file
	return file, nil
}

// writeArray writes numbers from the beginning of a file on.
func writeArray[T number](f *files, name string, shape []int, values []T) (Array, error) {
	return writeRows(f, name, shape, 1, func(int) ([]T, error) { return values, nil })
}

// writeRows writes so many rows of numbers, one after the other.
func writeRows[T number](f *files, name string, shape []int, rows int, row func(i int) ([]T, error)) (Array, error) {
	file, err := f.file(name)
	if err != nil {
		return Array{}, err
	}
	at := int64(0)
	for i := range rows {
		values, err := row(i)
		if err != nil {
			return Array{}, err
		}
		n, err := file.WriteAt(bytesOf(values), at)
		at += int64(n)
		if err != nil {
			return Array{}, err
		}
	}
	return Array{File: name, Dtype: dtypeOf[T](), Shape: shape}, nil
}

// mostArray bounds the bytes of an array that a program hands in.
const mostArray = 4 << 30

// check reports what is wrong with the description of an array, of as many dimensions as want
// has, of which those that are not negative are as there.
func (a Array) check(want []int) (numbers int, err error) {
	switch {
	case dtypes[a.Dtype] == 0:
		return 0, fmt.Errorf("numbers of type %q; it can be <f8, <f4, <i8, <i4 or <u4", a.Dtype)
	case len(a.Shape) != len(want):
		return 0, fmt.Errorf("shape %v has %d dimensions, and not %d", a.Shape, len(a.Shape), len(want))
	case a.File == "" || a.File != filepath.Base(a.File) || strings.HasPrefix(a.File, "."):
		return 0, fmt.Errorf("%q is no name of a file in the folder of the run", a.File)
	}
	numbers = 1
	for i, n := range a.Shape {
		if n < 0 || want[i] >= 0 && n != want[i] {
			return 0, fmt.Errorf("shape %v, and not %s", a.Shape, shapeText(want))
		}
		if n > 0 && numbers > mostArray/8/n {
			return 0, fmt.Errorf("shape %v is more than an array may have", a.Shape)
		}
		numbers *= n
	}
	return numbers, nil
}

func shapeText(want []int) string {
	var parts []string
	for _, n := range want {
		if n < 0 {
			parts = append(parts, "any")
		} else {
			parts = append(parts, fmt.Sprint(n))
		}
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// errNaN is in the error of an array with a number that is not finite.
var errNaN = errors.New("not finite")

// read reads an array of a shape, see Array.check, as float64, into dst if that is long enough.
// A program may have put anything into its folder: what is not a file, or no file of that
// length, is an error, and so is a number that is not finite, with errNaN.
func (f *files) read(name string, a Array, dst []float64, want ...int) ([]float64, error) {
	fail := func(err error) ([]float64, error) { return nil, fmt.Errorf("%s: %w", name, err) }
	n, err := a.check(want)
	if err != nil {
		return fail(err)
	}
	size := dtypes[a.Dtype]
	raw, err := f.bytes(a, n*size)
	if err != nil {
		return fail(err)
	}
	dst = slices.Grow(dst[:0], n)[:n]
	decode(dst, raw, a.Dtype)
	for i, v := range dst {
		if !finite.Is(v) {
			return fail(fmt.Errorf("the number at %s is %v: %w", place(i, a.Shape), v, errNaN))
		}
	}
	return dst, nil
}

// place names an element by its indices.
func place(i int, shape []int) string {
	at := make([]int, len(shape))
	for k := len(shape) - 1; k >= 0; k-- {
		at[k] = i % shape[k]
		i /= shape[k]
	}
	return strings.ReplaceAll(fmt.Sprint(at), " ", ", ")
}

// bytes reads so many bytes of numbers.
func (f *files) bytes(a Array, size int) ([]byte, error) {
	// Neither a link is followed nor a pipe waited for.
	file, err := os.OpenFile(filepath.Join(f.dir, a.File), os.O_RDONLY|syscall.O_NONBLOCK|noFollow, 0)
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if strings.HasSuffix(a.File, ".npy") {
		if from, err = npyHeader(file, a); err != nil {
			return nil, err
		}
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", a.File)
	case info.Size()-from < int64(size):
		return nil, fmt.Errorf("the file %s has %d bytes of numbers, and not %d as shape and type say", a.File, max(info.Size()-from, 0), size)
	}
	f.raw = slices.Grow(f.raw[:0], size)[:size]
	_, err = file.ReadAt(f.raw, from)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("the file %s became shorter while it was read", a.File)
	}
	return f.raw, err
}

// decode reads numbers of a type.
func decode(dst []float64, raw []byte, dtype string) {
	if dtype == "<f8" && littleEndian {
		copy(bytesOf(dst), raw)
		return
	}
	order := binary.LittleEndian
	for i := range dst {
		switch dtype {
		case "<f8":
			dst[i] = math.Float64frombits(order.Uint64(raw[8*i:]))
		case "<f4":
			dst[i] = float64(math.Float32frombits(order.Uint32(raw[4*i:])))
		case "<i8":
			dst[i] = float64(int64(order.Uint64(raw[8*i:])))
		case "<i4":
			dst[i] = float64(int32(order.Uint32(raw[4*i:])))
		case "<u4":
			dst[i] = float64(order.Uint32(raw[4*i:]))
		}
	}
}

// npyHeader returns where the numbers of an .npy file begin, whose header has to describe the
// array as the message does.
func npyHeader(file io.ReaderAt, a Array) (from int64, err error) {
	var head [12]byte
	if _, err := file.ReadAt(head[:], 0); err != nil || string(head[:6]) != "\x93NUMPY" {
		return 0, fmt.Errorf("%s does not begin as an .npy file", a.File)
	}
	size, at := int64(binary.LittleEndian.Uint16(head[8:])), int64(10)
	if head[6] > 1 {
		size, at = int64(binary.LittleEndian.Uint32(head[8:])), 12
	}
	if size > 4096 {
		return 0, fmt.Errorf("%s has an .npy header of %d bytes", a.File, size)
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, at); err != nil {
		return 0, fmt.Errorf("the .npy header of %s ends early", a.File)
	}
	var shape []string
	for _, n := range a.Shape {
		shape = append(shape, fmt.Sprint(n))
	}
	want := "(" + strings.Join(shape, ",") + ")"
	plain := strings.NewReplacer(" ", "", ",)", ")").Replace(string(text))
	want = strings.ReplaceAll(want, ",)", ")")
	if !strings.Contains(plain, "'descr':'"+a.Dtype+"'") || !strings.Contains(plain, "'fortran_order':False") || !strings.Contains(plain, "'shape':"+want) {
		return 0, fmt.Errorf("the .npy header of %s is not of type %s, C order and shape %v", a.File, a.Dtype, a.Shape)
	}
	return at + size, nil
}
