package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
	decode := func(b []byte) (string, error) {
		if bytes.HasPrefix(b, []byte("{bad")) {
			return "", errors.New("is bad")
		}
		return string(b), nil
	}
	missing := func(at int, data string) []DamagedLine {
		return []DamagedLine{{at, "its checksum is missing", []byte(data)}}
	}
	sealed, wrong := string(Seal([]byte(`{"a":1}`))), string(Seal([]byte(`{bad}`)))
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
		{sealed + "\n" + sealed + "\n", true, []string{`{"a":1}`, `{"a":1}`}, Lines{Count: 2}},
		{sealed + "\n" + sealed, true, []string{`{"a":1}`, `{"a":1}`}, Lines{Count: 2}},
		{sealed + "\ncut", true, []string{`{"a":1}`}, Lines{Count: 1}},
		{sealed + "\ncut\n", true, []string{`{"a":1}`}, Lines{Count: 2, Damaged: missing(2, "cut")}},
		{sealed + "\ncut", false, []string{`{"a":1}`}, Lines{Count: 2, Damaged: missing(2, "cut")}},
		{"cut1\n\n\n" + sealed + "\ncut2\n" + wrong + "\ncut3", true, []string{`{"a":1}`}, Lines{Count: 4, Damaged: slices.Concat(
			missing(1, "cut1"), missing(5, "cut2"), []DamagedLine{{6, "is bad", []byte(wrong)}})}},
		// What goes on after its end was not interrupted.
		{sealed + "\x0b", true, nil, Lines{Count: 1, Damaged: missing(1, sealed+"\x0b")}},
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
	var text strings.Builder
	for i := range 3000 {
		want = append(want, "{"+strings.Repeat(string(rune('a'+i%26)), 1+i%997)+"}")
		text.WriteString(string(Seal([]byte(want[i]))) + "\n")
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _, err := ReadLines(path, true, func(b []byte) (string, error) { return string(b), nil })
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d lines of %d, %v", len(got), len(want), err)
	}
}

func TestReadRecordsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _, err := ReadLines(dir, true, decodeRun)
	wantError(t, err, "cannot read "+dir)
	writeFile(t, dir, "f", lines(t, testRun(0))+string(Seal([]byte(`{"schema":3}`)))+"\n")
	_, _, err = ReadLines(filepath.Join(dir, "f"), true, decodeRun)
	wantError(t, err, filepath.Join(dir, "f")+":2: results written by schema 3")
}
