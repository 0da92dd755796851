package datasets

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"stochopt/internal/disk"
)

func newRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// mirror returns the mirror of the real data, or "". A relative HARNESS_MIRROR starts at the root of
// the checkout, but tests run in the folder of their package.
func mirror() string {
	m := os.Getenv("HARNESS_MIRROR")
	if m == "" || filepath.IsAbs(m) || strings.Contains(m, "://") {
		return m
	}
	return filepath.Join("..", m)
}

// realData returns options for the real data. Without a mirror it skips the test.
func realData(t *testing.T) Options {
	t.Helper()
	if mirror() == "" {
		t.Skip("HARNESS_MIRROR is not set: no real data to test with")
	}
	return Options{Mirror: mirror(), CacheDir: t.TempDir(), Offline: true}
}

// fake forces stand-ins.
var fake = Options{ForceStandIn: true}

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text)
	_ = z.Close()
	return b.Bytes()
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

var update = flag.Bool("update", false, "rewrite the goldens of testdata")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		writeFile(t, path, []byte(got))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(old), len(now)) {
		if i >= len(old) || i >= len(now) || old[i] != now[i] {
			t.Fatalf("line %d of %s differs: want\n%.2000s\ngot\n%.2000s", i+1, path, old[min(i, len(old)-1)], now[min(i, len(now)-1)])
		}
	}
}

// with returns a Ref.With of one parameter.
func with(name string, value any) map[string]any { return map[string]any{name: value} }

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

// equalTables returns an error unless two tables have the same bits.
func equalTables(a, b *Table) error {
	if a.N != b.N || a.D != b.D || a.Sparse() != b.Sparse() || (a.Labels == nil) != (b.Labels == nil) {
		return fmt.Errorf("shapes differ: %d x %d and %d x %d", a.N, a.D, b.N, b.D)
	}
	ra, rb := make([]float64, a.D), make([]float64, a.D)
	for i := range a.N {
		a.RowTo(ra, i)
		b.RowTo(rb, i)
		for j := range ra {
			if math.Float64bits(ra[j]) != math.Float64bits(rb[j]) {
				return fmt.Errorf("row %d, feature %d: %v and %v", i, j, ra[j], rb[j])
			}
		}
		if a.Labels != nil && a.Labels[i] != b.Labels[i] {
			return fmt.Errorf("label %d: %v and %v", i, a.Labels[i], b.Labels[i])
		}
	}
	return nil
}

// tinyText is a LIBSVM file of three rows and four features.
const tinyText = "+1 1:0.5 3:2 # a comment\n-1\n1 4:-1\n"

var (
	tinyGz, _ = hex.DecodeString("1f8b08000000000000ffd2365430b432d0335530b632525056485448cecfcd4dcd2be1d235e4325430b1d235e4" +
		"02040000ffffe15c191423000000")
	tinyBz2, _ = hex.DecodeString("425a6839314159265359de054fdc00000559800010480b7e102a03840020002227a8d1a19341a14c269a034c4481" +
		"80c2ce88e1a6a4a75304cf9732e947bd1f177245385090de054fdc")
)

// tinyLibrary returns a library with a dataset tiny of part train. urls gives the addresses of its
// forms tiny.txt.gz, tiny.txt and tiny.bz2, which has neither checksum nor size.
func tinyLibrary(urls map[string][]string) *library {
	return &library{
		timeout: timeouts{dial: time.Minute, header: time.Minute, tick: time.Minute},
		entries: []Entry{{
			Name: "tiny", Title: "Tiny", Format: "libsvm", Features: 4, DefaultPart: "train",
			Variants: []Variant{{Name: "tiny", Parts: []Part{{Name: "train", Rows: 3, Files: []string{"tiny.txt"}}}}},
			Files: []File{{
				Name: "tiny.txt", SHA256: disk.SHA256Of([]byte(tinyText)), Size: int64(len(tinyText)),
				Forms: []Form{
					{Name: "tiny.txt.gz", SHA256: disk.SHA256Of(tinyGz), Size: int64(len(tinyGz)), URLs: urls["tiny.txt.gz"]},
					{Name: "tiny.txt", URLs: urls["tiny.txt"]}, {Name: "tiny.bz2", URLs: urls["tiny.bz2"]},
				},
			}},
		}},
	}
}

func offline(opt Options) Options {
	opt.Offline = true
	return opt
}

// fetch calls statuses and joins the errors of the files.
func (l *library) fetch(ctx context.Context, name string, opt Options) ([]FileStatus, error) {
	all, err := l.statuses(ctx, name, opt)
	for _, s := range all {
		err = errors.Join(err, s.Err)
	}
	return all, err
}
