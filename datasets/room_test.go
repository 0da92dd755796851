package datasets

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// repeater yields a text again and again.
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

// A file that does not fit is refused at the line where that shows, and the memory asked for depends on the bound
// and not on the length of the file.
func TestFilesThatDoNotFit(t *testing.T) {
	long(t)
	const most = 4 << 20
	header := func(dims ...int) string { return string(encodeIDX(dims, nil)) }
	for name, c := range map[string]struct {
		format, head, rest string
		line               int
	}{
		"csv rows":           {"csv", "", "1,2\n", 262145},
		"csv wide rows":      {"csv", "", strings.Repeat("1,", 4095) + "1\n", 129},
		"csv line":           {"csv", "a,b\n", "1,", 2},
		"csv nothing":        {"csv", "", "\x00", 1},
		"csv quotes":         {"csv", "\"", "1\n2", 1},
		"libsvm rows":        {"libsvm", "", "1\n", 262145},
		"libsvm entries":     {"libsvm", "", "1 1:1 2147483647:1\n", 104858},
		"libsvm line":        {"libsvm", "1 1:1\n", " ", 2},
		"idx that tells":     {"idx", header(1<<20, 28, 28), "x", 0},
		"idx that lies":      {"idx", header(1<<31, 1<<28, 1), " ", 0},
		"idx that overflows": {"idx", header(1<<31, 1<<31, 1<<31), " ", 0},
		"idx of bytes":       {"idx", header(4<<20 + 1), "x", 0},
	} {
		var err error
		used := allocated(func() {
			text := io.MultiReader(strings.NewReader(c.head), io.LimitReader(&repeater{text: c.rest}, 1<<30))
			_, err = readTable(text, "f", pathOptions{format: c.format}, newRoom(most))
		})
		if where, ok := errors.AsType[*SyntaxError](err); !ok || where.Line != c.line || used > 32*most {
			t.Errorf("%s: %d bytes were asked for; %.200v", name, used, err)
		}
	}
}

// The bound holds for both files of a dataset together, for generators and for prepared rows.
func TestMaxBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows, takes = 1 << 10, 1 << 10 * (entryBytes + rowBytes)
	writeFile(t, filepath.Join(dir, "d.svm.gz"), gzipped(bytes.Repeat([]byte("1 1:1\n"), rows)))
	writeFile(t, filepath.Join(dir, "rows.csv"), []byte("1,2\n3,4\n"))
	writeFile(t, filepath.Join(dir, "far.svm"), []byte("+1 1:1 1000000:1\n-1 2:1\n"))
	writeFile(t, filepath.Join(dir, "images.idx"), encodeIDX([]int{3, 4}, []byte("aabbccddeeff")))
	for _, c := range []struct {
		ref  Ref
		most int64 // that suffices
		line int   // where one byte less does not, -1 for no line, 0 for a step after reading
	}{
		{Ref{Path: "d.svm.gz"}, takes, rows},
		{Ref{Path: "d.svm.gz", Test: "d.svm.gz"}, 2 * takes, rows},
		{Ref{Path: "rows.csv"}, 32, 2}, {Ref{Path: "images.idx"}, 12, -1},
		{Ref{Path: "far.svm", Prepare: []string{"unit-norm", "center"}}, 16_000_000, 0},
		{Ref{Path: "far.svm", Prepare: []string{"standardize-unit-expected-norm"}}, 16_000_000, 0},
		{Ref{Path: "images.idx", Prepare: []string{"unit-norm"}}, 96, 0},
		{Ref{Source: "interval"}, 401 * 16, 0},
	} {
		_, err := Open(t.Context(), c.ref, Options{Dir: dir, MaxBytes: c.most - 1})
		if where, ok := errors.AsType[*SyntaxError](err); err == nil || ok != (c.line != 0) || ok && where.Line != max(c.line, 0) {
			t.Errorf("%+v: %v", c.ref, err)
		}
		if _, err := Open(t.Context(), c.ref, Options{Dir: dir, MaxBytes: c.most}); err != nil && c.ref.Test == "" {
			t.Errorf("%+v: %v", c.ref, err)
		}
	}
}
