package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// splitLines is the plain form of batches.
func splitLines(data []byte) (out []line[int]) {
	parts := bytes.SplitAfter(data, []byte{'\n'})
	for i, p := range parts {
		whole := bytes.HasSuffix(p, []byte{'\n'})
		p = bytes.TrimSuffix(p, []byte{'\n'})
		if len(bytes.TrimSpace(p)) > 0 {
			out = append(out, line[int]{number: i + 1, data: p, whole: whole})
		}
	}
	return out
}

func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a", "a\n", "a\nb", "a\n\n \r\nb\r\n", "\x00\n\xff", strings.Repeat("x", 1<<17) + "\ny"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		readers := []io.Reader{bytes.NewReader(data), iotest.DataErrReader(bytes.NewReader(data))}
		if len(data) < 1<<12 {
			readers = append(readers, iotest.OneByteReader(bytes.NewReader(data)))
		}
		for _, r := range readers {
			var got []line[int]
			for batch, err := range batches[int](r) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, batch...)
			}
			if want := splitLines(data); !reflect.DeepEqual(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

func TestReadRecords(t *testing.T) {
	t.Parallel()
	decode := func(b []byte) (string, error) {
		if bytes.HasPrefix(b, []byte("bad")) {
			return "", errors.New("is bad")
		}
		return string(b), nil
	}
	path := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		content  string
		torn     bool
		values   []string
		warnings []string
	}{
		{"", true, nil, nil},
		{"a\nb\n", true, []string{"a", "b"}, nil},
		{"a\nb", true, []string{"a", "b"}, nil},
		{"a\nbad", true, []string{"a"}, nil},
		{"a\nbad\n", true, []string{"a"}, []string{path + ":2: line ignored: is bad"}},
		{"a\nbad", false, []string{"a"}, []string{path + ":2: line ignored: is bad"}},
		{"bad1\n\n\nb\nbad2\nc\nbad3", true, []string{"b", "c"}, []string{path + ": 2 lines ignored, the first at line 1: is bad"}},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		values, warnings, err := readRecords(path, c.torn, decode)
		if err != nil || !reflect.DeepEqual(values, c.values) || !reflect.DeepEqual(warnings, c.warnings) {
			t.Errorf("%q: got %q, %q, %v", c.content, values, warnings, err)
		}
	}
}

func TestReadRecordsKeepsOrderOverBatches(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	var want []string
	for i := range 3000 {
		want = append(want, strings.Repeat(string(rune('a'+i%26)), 1+i%997))
	}
	if err := os.WriteFile(path, []byte(strings.Join(want, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _, err := readRecords(path, true, func(b []byte) (string, error) { return string(b), nil })
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d lines of %d, %v", len(got), len(want), err)
	}
}

func TestReadRecordsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := readRecords(dir, true, DecodeRun)
	wantError(t, err, "cannot read "+dir)
	writeFile(t, dir, "f", lines(t, testRun(0))+`{"schema":3}`+"\n")
	_, _, err = readRecords(filepath.Join(dir, "f"), true, DecodeRun)
	wantError(t, err, filepath.Join(dir, "f")+":2: results written by schema 3")
}
