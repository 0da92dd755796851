package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestHashesStay: the content hash is part of the key of every run, so that
// what has been recorded stays valid only while these do not change.
func TestHashesStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "x.svm"), []byte("+1 1:1\n-1 2:1\n"))
	writeFile(t, filepath.Join(dir, "x.csv"), []byte("1,2\n3,4\n"))
	for _, c := range []struct {
		ref  Ref
		want string
	}{
		{Ref{Source: "adult"}, "522a9a580f7962ffa40988361a5b088fe0d0624cd13a0d711c2540fb0984f694"},
		{Ref{Source: "mnist", With: map[string]any{"part": "test"}}, "a183fcdab4e27418912d3cbe45ca738cd679efe56ea89a2f2de219e51aa20f4c"},
		{Ref{Path: "x.svm", Prepare: []string{"unit-norm"}}, "569e0be7466e6ad2ecc5b853e90ad9f05bc31a7af73bc5f97d5ea3a3549718b7"},
		{Ref{Path: "x.csv", Label: "2"}, "5e621d5cb6f2e415d8eaa40f93dbce8bb29181a287f3ef46d487060b8a918b54"},
		{Ref{Source: "simulated-gaussian", With: map[string]any{"gap": 2}}, "16a6f7d0011b9e8f0661f76a9ec99440e57710468f7a37808a7a8dc0d41a7c52"},
	} {
		if got := open(t, c.ref, Options{Dir: dir, ForceStandIn: true}).Hash; got != "sha256:"+c.want {
			t.Errorf("%+v: hash %s, want %s", c.ref, got, c.want)
		}
	}
}

// digest is a hash of the whole content of a table.
func digest(t *Table) string {
	h := sha256.New()
	var b []byte
	put := func(v float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) }
	for i := range t.N {
		b = b[:0]
		put(t.Labels[i])
		if t.Sparse() {
			idx, _ := t.RowNonZero(i)
			put(float64(len(idx)))
			for _, j := range idx {
				put(float64(j))
			}
		}
		_, values := t.Entries(i, nil)
		for _, v := range values {
			put(v)
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// fused reports whether the compiler fuses x*x + y, for values that tell.
//
//go:noinline
func fused(x, y float64) bool { return x*x+y != float64(x*x)+y }

func skipIfFused(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" || fused(1+0x1p-30, -1-0x1p-29) {
		t.Skip("the digests are those of amd64 without fused multiply-add")
	}
}

// TestGeneratedContentStays: the hash of what is generated names a version, not
// the content. Who changes the content must raise the version and put the new
// digest here.
func TestGeneratedContentStays(t *testing.T) {
	t.Parallel()
	skipIfFused(t)
	const version, want = 1, "4b11ddc659867f8c"
	ref := Ref{Source: "simulated-margin", With: map[string]any{"R": 5, "noise": 0.1, "blocks": 3}}
	if got := digest(open(t, ref, Options{}).Table); got != want || generatorVersion != version {
		t.Errorf("version %d has the digest %s; version %d had %s", generatorVersion, got, version, want)
	}
}

var updateStandIns = flag.Bool("update-standins", false, "rewrite testdata/standins.txt")

// TestStandInsStay holds the hash and the content of every part of every variant
// against testdata/standins.txt. Who changes the content of a stand-in must raise
// its version, which changes the hash, and rewrite the file.
func TestStandInsStay(t *testing.T) {
	t.Parallel()
	skipIfFused(t)
	const path = "testdata/standins.txt"
	golden, err := os.ReadFile(path)
	if err != nil && !*updateStandIns {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(golden)) {
		f := strings.Fields(line)
		want[f[0]] = strings.Join(f[1:], " ")
	}
	var lines strings.Builder
	check := func(name, hash, digest string) {
		got := strings.TrimSpace(strings.TrimPrefix(hash, "sha256:") + " " + digest)
		if got != want[name] && !*updateStandIns {
			t.Errorf("%s: hash and digest are %s, want %s", name, got, want[name])
		}
		fmt.Fprintln(&lines, name, got)
	}
	for _, e := range List() {
		if e.Name == "mnist" && testing.Short() {
			continue // by far the most numbers
		}
		for _, v := range e.Variants {
			all := standInData(t, e.Name, v.Name, "all")
			check(e.Name+"/"+v.Name+"/all", all.Hash, "")
			lo := 0
			for _, p := range all.Parts {
				name, content := e.Name+"/"+v.Name+"/"+p.Name, digest(all.Table.Slice(lo, lo+p.Rows))
				lo += p.Rows
				if name == "mnist/mnist/train" {
					check(name, "", content)
					continue // its part test will do
				}
				part := standInData(t, e.Name, v.Name, p.Name)
				check(name, part.Hash, content)
				if part != all && digest(part.Table) != content {
					t.Errorf("%s %s: %s is not the same by itself", e.Name, v.Name, p.Name)
				}
			}
		}
	}
	if *updateStandIns {
		writeFile(t, path, []byte(lines.String()))
	}
}

// standInData returns the stand-in of a part of a variant.
func standInData(t *testing.T, source, variant, part string) *Data {
	t.Helper()
	return open(t, Ref{Source: source, With: map[string]any{"variant": variant, "part": part}}, Options{ForceStandIn: true})
}
