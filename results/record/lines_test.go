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
	var offset int64
	for i, p := range parts {
		begin := offset
		offset += int64(len(p))
		whole := bytes.HasSuffix(p, []byte{'\n'})
		p = bytes.TrimSuffix(p, []byte{'\n'})
		if len(bytes.TrimSpace(p)) > 0 {
			out = append(out, line[int]{number: i + 1, offset: begin, size: len(p), data: p, whole: whole})
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
	decode := func(b []byte, _ bool) (string, error) {
		if bytes.HasPrefix(b, []byte("bad")) {
			return "", errors.New("is bad")
		}
		return string(b), nil
	}
	bad := func(at int, data string) []DamagedLine { return []DamagedLine{{at, "is bad", []byte(data)}} }
	sealed := string(Seal([]byte(`{"a":1}`)))
	digits, want := sealed[len(sealed)-10:len(sealed)-2], string(sum([]byte(`{"a":3`)))
	other := strings.Replace(sealed, "1", "3", 1)
	path := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		content string
		torn    bool
		values  []string
		lines   Lines
	}{
		{"", true, nil, Lines{}},
		{"a\nb\n", true, []string{"a", "b"}, Lines{Count: 2, Unchecked: 2}},
		{"a\nb", true, []string{"a", "b"}, Lines{Count: 2, Unchecked: 2}},
		{"a\nbad", true, []string{"a"}, Lines{Count: 1, Unchecked: 1}},
		{"a\nbad\n", true, []string{"a"}, Lines{Count: 2, Unchecked: 1, Damaged: bad(2, "bad")}},
		{"a\nbad", false, []string{"a"}, Lines{Count: 2, Unchecked: 1, Damaged: bad(2, "bad")}},
		{"bad1\n\n\nb\nbad2\nc\nbad3", true, []string{"b", "c"}, Lines{Count: 4, Unchecked: 2, Damaged: append(bad(1, "bad1"), bad(5, "bad2")...)}},
		{sealed + "\n" + sealed, true, []string{`{"a":1}`, `{"a":1}`}, Lines{Count: 2}},
		// What goes on after its end was not interrupted.
		{"bad" + sealed + "\x0b", true, nil, Lines{Count: 1, Damaged: bad(1, "bad"+sealed+"\x0b")}},
		{other + "\n", true, nil, Lines{Count: 1, Damaged: []DamagedLine{{1, `its checksum is "` + digits + `" and should be "` + want + `"`, []byte(other)}}}},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		values, got, err := ReadLines(path, c.torn, decode)
		c.lines.File = "f"
		if err != nil || !reflect.DeepEqual(values, c.values) || !reflect.DeepEqual(got, c.lines) {
			t.Errorf("%q: got %q, %+v, %v", c.content, values, got, err)
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
	got, _, err := ReadLines(path, true, func(b []byte, _ bool) (string, error) { return string(b), nil })
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d lines of %d, %v", len(got), len(want), err)
	}
}

func TestReadRecordsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := ReadLines(dir, true, decodeRun)
	wantError(t, err, "cannot read "+dir)
	writeFile(t, dir, "f", lines(t, testRun(0))+`{"schema":3}`+"\n")
	_, _, err = ReadLines(filepath.Join(dir, "f"), true, decodeRun)
	wantError(t, err, filepath.Join(dir, "f")+":2: results written by schema 3")
}
