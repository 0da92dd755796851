package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func newRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// mirror returns the mirror with the real data, or skips the test.
func mirror(t testing.TB) string {
	t.Helper()
	m := mirrorOrNone()
	if m == "" {
		t.Skip("HARNESS_MIRROR is not set: no real data to test with")
	}
	return m
}

// mirrorOrNone returns the mirror with the real data, "" if there is none.
func mirrorOrNone() string {
	m := os.Getenv("HARNESS_MIRROR")
	if m == "" {
		return ""
	}
	if !strings.Contains(m, "://") && !filepath.IsAbs(m) {
		// The user's relative path starts at the root of the checkout, the
		// test at its package.
		m = filepath.Join("..", m)
	}
	return m
}

func ptr(v float64) *float64 { return &v }

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text)
	_ = z.Close()
	return b.Bytes()
}

func sha(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func writeFile(t testing.TB, path string, content []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantError checks that err is there and has every piece in its message.
func wantError(t *testing.T, err error, pieces ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", pieces)
	}
	for _, p := range pieces {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
}

// encodeLIBSVM writes a sparse table in the LIBSVM format.
func encodeLIBSVM(w io.Writer, t *Table) {
	for i := range t.N {
		fmt.Fprint(w, strconv.FormatFloat(t.Labels[i], 'g', -1, 64))
		idx, val := t.RowNonZero(i)
		for p, j := range idx {
			fmt.Fprintf(w, " %d:%s", j+1, strconv.FormatFloat(val[p], 'g', -1, 64))
		}
		fmt.Fprintln(w)
	}
}

// encodeIDX writes an IDX file of unsigned bytes.
func encodeIDX(dims []int, data []byte) []byte {
	out := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		out = binary.BigEndian.AppendUint32(out, uint32(d))
	}
	return append(out, data...)
}

// encodeCSV writes a dense table with the label, if any, in the last column.
func encodeCSV(w io.Writer, t *Table) {
	for i := range t.N {
		var f []string
		for _, v := range t.Row(i, nil) {
			f = append(f, strconv.FormatFloat(v, 'g', -1, 64))
		}
		if t.Labels != nil {
			f = append(f, strconv.FormatFloat(t.Labels[i], 'g', -1, 64))
		}
		fmt.Fprintln(w, strings.Join(f, ","))
	}
}

func equalTables(a, b *Table) error {
	if a.N != b.N || a.D != b.D || a.Sparse() != b.Sparse() || (a.Labels == nil) != (b.Labels == nil) {
		return fmt.Errorf("shapes differ: %d x %d and %d x %d", a.N, a.D, b.N, b.D)
	}
	ra, rb := make([]float64, a.D), make([]float64, a.D)
	for i := range a.N {
		a.RowTo(ra, i)
		b.RowTo(rb, i)
		for j := range ra {
			if ra[j] != rb[j] {
				return fmt.Errorf("row %d, feature %d: %v and %v", i, j, ra[j], rb[j])
			}
		}
		if a.Labels != nil && a.Labels[i] != b.Labels[i] {
			return fmt.Errorf("label %d: %v and %v", i, a.Labels[i], b.Labels[i])
		}
	}
	return nil
}

// tiny is a LIBSVM file of three rows and four features, and the content of a
// manifest with it as dataset "tiny", file "tiny.txt", part "train".
const tinyText = "+1 1:0.5 3:2 # a comment\n-1\n1 4:-1\n"

var tinyGz = gzipped([]byte(tinyText))

// tinyLibrary returns a library whose dataset tiny has the two forms
// tiny.txt.gz and tiny.txt, with the given addresses.
func tinyLibrary(t testing.TB, gzURLs, plainURLs []string) *library {
	t.Helper()
	l := &library{timeout: timeouts{dial: time.Second, header: time.Second, tick: 500 * time.Millisecond}}
	e := Entry{
		Name: "tiny", Title: "Tiny", Format: "libsvm", Features: 4, DefaultPart: "train",
		Variants: []Variant{{Name: "tiny", Parts: []Part{{Name: "train", Rows: 3, Files: []string{"tiny.txt"}}}}},
		Files: []File{{
			Name: "tiny.txt", SHA256: sha([]byte(tinyText)), Size: int64(len(tinyText)),
			Forms: []Form{
				{Name: "tiny.txt.gz", SHA256: sha(tinyGz), Size: int64(len(tinyGz)), URLs: gzURLs},
				{Name: "tiny.txt", URLs: plainURLs},
			},
		}},
	}
	l.entries = []Entry{e}
	return l
}

func offline(opt Options) Options {
	opt.Offline = true
	return opt
}

// fetch returns what is wrong with files as an error too.
func (l *library) fetch(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	all, err := l.statuses(ctx, name, opt)
	for _, s := range all {
		err = errors.Join(err, s.Err)
	}
	return all, err
}

// logger collects log lines.
type logger struct{ lines []string }

func (l *logger) log(s string) { l.lines = append(l.lines, s) }

func (l *logger) String() string { return strings.Join(l.lines, "\n") }
