package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// endless yields a text again and again, so many bytes in all.
func endless(text string, n int64) io.Reader {
	return io.LimitReader(&repeater{text: text}, n)
}

type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.text[r.at]
		r.at = (r.at + 1) % len(r.text)
	}
	return len(p), nil
}

// allocated returns how many bytes a function asks for.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// What does not fit is refused at the line where that shows, in memory that the bound
// bounds and not the length of the file.
func TestFilesThatDoNotFit(t *testing.T) {
	const most, length = 4 << 20, 1 << 30
	csv, svm, idx := pathOptions{format: "csv"}, pathOptions{format: "libsvm"}, pathOptions{format: "idx"}
	header := func(dims ...uint32) string {
		b := []byte{0, 0, 8, byte(len(dims))}
		for _, d := range dims {
			b = binary.BigEndian.AppendUint32(b, d)
		}
		return string(b)
	}
	const rows, line = "the rows take more than 4.0 MiB of memory, the most that they may: ", "the line, or a text in quotes, is longer than 1.0 MiB, the most that one may be here: "
	for name, c := range map[string]struct {
		o          pathOptions
		head, rest string
		want       string
	}{
		"csv rows":           {csv, "", "1,2\n", "f:262145: " + rows},
		"csv wide rows":      {csv, "", strings.Repeat("1,", 4095) + "1\n", "f:129: " + rows},
		"csv line":           {csv, "a,b\n", "1,", "f:2: " + line},
		"csv nothing":        {csv, "", "\x00", "f:1: " + line},
		"csv quotes":         {csv, "\"", "1\n2", "f:1: " + line},
		"libsvm rows":        {svm, "", "1\n", "f:262145: " + rows},
		"libsvm entries":     {svm, "", "1 1:1 2147483647:1\n", "f:104858: " + rows},
		"libsvm line":        {svm, "1 1:1\n", " ", "f:2: " + line},
		"idx that tells":     {idx, header(1<<20, 28, 28), "x", "f: the header promises an array of [1048576 28 28]: " + rows},
		"idx that lies":      {idx, header(1<<31, 1<<28, 1), "", "f: the header promises an array of [2147483648 268435456 1]: " + rows},
		"idx that overflows": {idx, header(1<<31, 1<<31, 1<<31), "", "f: an array with impossible dimensions: [2147483648 2147483648 2147483648]"},
		"idx of bytes":       {idx, header(4<<20 + 1), "x", "f: the header promises an array of [4194305]: " + rows},
	} {
		var err error
		used := allocated(func() {
			_, err = readTable(io.MultiReader(strings.NewReader(c.head), endless(c.rest+" "[:1-min(len(c.rest), 1)], length)), "f", c.o, newRoom(most))
		})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %.200v, want %s…", name, err, c.want)
		}
		if used > 32*most {
			t.Errorf("%s: %d bytes were asked for", name, used)
		}
	}
}

// What just fits is read, and is the same as without a bound.
func TestFilesThatFit(t *testing.T) {
	t.Parallel()
	for format, c := range map[string]struct {
		text string
		most int64
	}{
		"csv": {"1,2\n3,4\n", 32}, "libsvm": {"# none\n1 1:1 7:1\n\n-1\n", 2*entryBytes + 2*rowBytes},
		"idx": {"\x00\x00\x08\x01\x00\x00\x00\x02ab", 2},
	} {
		o := pathOptions{format: strings.Fields(format)[0]}
		a, err := readTable(strings.NewReader(c.text), "f", o, newRoom(c.most))
		b, _ := readTable(strings.NewReader(c.text), "f", o, newRoom(0))
		if err != nil || a.table.N != b.table.N || a.table.D != b.table.D || a.table.NNZ() != b.table.NNZ() {
			t.Errorf("%s: %v, %v", format, a, err)
		}
		if _, err := readTable(strings.NewReader(c.text), "f", o, newRoom(c.most-1)); err == nil {
			t.Errorf("%s: read into less than it takes", format)
		}
	}
}

// The bound is of both files of a dataset.
func TestMaxBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.Copy(z, endless("1 1:1\n", 6<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d.svm.gz"), packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	const rows = 1 << 20
	open := func(test string, most int64) error {
		_, err := Open(context.Background(), Ref{Path: "d.svm.gz", Test: test}, Options{Dir: dir, MaxBytes: most})
		return err
	}
	const takes = rows * (entryBytes + rowBytes)
	for _, c := range []struct {
		test string
		most int64
		ok   bool
	}{{"", 0, true}, {"", takes, true}, {"", takes - 1, false}, {"d.svm.gz", 2*takes - 1, false}} {
		err := open(c.test, c.most)
		want := fmt.Sprintf("d.svm.gz:%d: the rows take more than", rows)
		if c.ok != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestArchivesAreNamed(t *testing.T) {
	t.Parallel()
	for magic, name := range map[string]string{"PK\x03\x04": "a ZIP archive", "\xfd7zXZ\x00": "an XZ file"} {
		_, _, err := decompress(strings.NewReader(magic + "and more of it"))
		if want := "this is " + name + ", which is not read here: unpack it first, or compress it by gzip or bzip2"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestNumPyArraysThatAreReadAsText(t *testing.T) {
	t.Parallel()
	if _, err := readCSV(strings.NewReader(npyMagic+"\x01\x00"), "a.csv", csvOptions{}, newRoom(0)); err == nil || !strings.Contains(err.Error(), "format: npy") {
		t.Errorf("got %v", err)
	}
}

// A distribution along the axes takes memory of the order of d.
func TestAxes(t *testing.T) {
	const d = 1 << 16
	p, length := make([]float64, d), make([]float64, d)
	for i := range p {
		p[i], length[i] = 1.0/d, float64(i)
	}
	if used := allocated(func() { newAxes(p, length) }); used > 1<<24 {
		t.Errorf("%d bytes were asked for", used)
	}
}
