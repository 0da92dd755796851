package datasets

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The content hash is part of every run key, so a change invalidates all records.
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
		{Ref{Source: "mnist", With: with("part", "test")}, "a183fcdab4e27418912d3cbe45ca738cd679efe56ea89a2f2de219e51aa20f4c"},
		{Ref{Path: "x.svm", Prepare: []string{"unit-norm"}}, "569e0be7466e6ad2ecc5b853e90ad9f05bc31a7af73bc5f97d5ea3a3549718b7"},
		{Ref{Path: "x.csv", Label: "2"}, "5e621d5cb6f2e415d8eaa40f93dbce8bb29181a287f3ef46d487060b8a918b54"},
		{Ref{Source: "simulated-gaussian", With: with("gap", 2)}, "16a6f7d0011b9e8f0661f76a9ec99440e57710468f7a37808a7a8dc0d41a7c52"},
	} {
		if got := open(t, c.ref, Options{Dir: dir, ForceStandIn: true}).Hash; got != "sha256:"+c.want {
			t.Errorf("%+v: hash %s, want %s", c.ref, got, c.want)
		}
	}
}

// Hashes differ exactly if the content or its production differs.
func TestHashesTellData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"a.svm": []byte("3 1:1\n8 2:1\n"), "copy.svm.gz": gzipped([]byte("3 1:1\n8 2:1\n")), "b.svm": []byte("8 4:1\n"),
		"c.csv": []byte("1,2\n4,5\n"), "e.idx": encodeIDX([]int{2, 2}, []byte{1, 2, 3, 4}), "l.idx": encodeIDX([]int{2}, []byte{1, 2}),
	} {
		writeFile(t, filepath.Join(dir, name), content)
	}
	gap := func(source string, more ...any) Ref {
		with := with("gap", 4)
		for i := 0; i < len(more); i += 2 {
			with[more[i].(string)] = more[i+1]
		}
		return Ref{Source: source, With: with}
	}
	margin := func(dim, blocks, n int) Ref {
		return Ref{Source: "simulated-margin", With: map[string]any{"R": 4, "dim": dim, "blocks": blocks, "n": n}}
	}
	seen := map[string]int{}
	for i, alike := range [][]Ref{
		{{Path: "a.svm"}, {Path: "copy.svm.gz"}}, {{Path: "a.svm", Features: 5}}, {{Path: "a.svm", Test: "b.svm"}},
		{{Path: "a.svm", Positive: new(8.0)}}, {{Path: "a.svm", Positive: new(3.0)}}, {{Path: "a.svm", Prepare: []string{"center"}}},
		{{Path: "a.svm", Prepare: []string{"center", "unit-norm"}}}, {{Path: "a.svm", Prepare: []string{"unit-norm", "center"}}},
		{{Path: "c.csv"}}, {{Path: "c.csv", Label: "1"}}, {{Path: "c.csv", With: with("missing", "skip")}},
		{{Path: "c.csv", With: with("ignore", "1")}}, {{Path: "c.csv", With: with("header", true)}},
		{{Path: "c.csv", With: with("header", false)}}, {{Path: "c.csv", With: map[string]any{"delimiter": ";", "decimal": ","}}},
		{{Path: "e.idx"}}, {{Path: "e.idx", With: with("labels", "l.idx")}},
		{gap("simulated-gaussian"), gap("simulated-gaussian", "dim", 32, "reading", string(DefaultReading))},
		{gap("simulated-gaussian", "dim", 16)}, {gap("simulated-gaussian", "reading", "norm")}, {gap("simulated-orthogonal")},
		{{Source: "counterexample-2d"}}, {{Source: "interval"}}, {{Source: "interval", With: with("points", 7)}},
		{margin(16, 3, 20)}, {margin(48, 1, 20)}, {margin(16, 3, 21)},
		{{Source: "adult"}}, {{Source: "adult", With: with("part", "test")}},
		{{Source: "adult", With: with("part", "all")}},
		{{Source: "adult", With: with("variant", "a8a")}}, {{Source: "adult", Prepare: []string{"center"}}},
	} {
		for _, ref := range alike {
			h := open(t, ref, Options{Dir: dir, ForceStandIn: true}).Hash
			if before, ok := seen[h]; ok && before != i || !ok && len(seen) > i {
				t.Errorf("%+v: the same hash as case %d", ref, before)
			}
			seen[h] = i
		}
	}
}

// digest hashes the whole content of a table.
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

// fused reports whether the compiler fuses x*x + y, for values where this changes the result.
//
//go:noinline
func fused(x, y float64) bool { return x*x+y != float64(x*x)+y }

func skipIfFused(t *testing.T) {
	t.Helper()
	if runtime.GOARCH != "amd64" || fused(1+0x1p-30, -1-0x1p-29) {
		t.Skip("the digests are those of amd64 without fused multiply-add")
	}
}

// The hash of generated data contains a version, not the content. If this test fails, raise the
// version and update the digest.
func TestGeneratedContentStays(t *testing.T) {
	t.Parallel()
	skipIfFused(t)
	const version, want = 1, "4b11ddc659867f8c"
	ref := Ref{Source: "simulated-margin", With: map[string]any{"R": 5, "noise": 0.1, "blocks": 3}}
	if got := digest(open(t, ref, Options{}).Table); got != want || generatorVersion != version {
		t.Errorf("version %d has the digest %s; version %d had %s", generatorVersion, got, version, want)
	}
}

// TestStandInsStay compares the hash and the content of every part with testdata/standins.txt. After a
// change of content, raise the version of the stand-in, which changes the hash, and update the file.
func TestStandInsStay(t *testing.T) {
	long(t)
	t.Parallel()
	skipIfFused(t)
	var lines strings.Builder
	line := func(name, hash, digest string) {
		fmt.Fprintln(&lines, name, strings.TrimSpace(strings.TrimPrefix(hash, "sha256:")+" "+digest))
	}
	for _, e := range List() {
		for _, v := range e.Variants {
			if e.Name == "mnist" { // 70,000 rows are slow: only the test part
				v.Parts = v.Parts[1:]
			}
			part := func(part string) *Data {
				return open(t, Ref{Source: e.Name, With: map[string]any{"variant": v.Name, "part": part}}, fake)
			}
			var all *Data
			if len(v.Parts) > 1 {
				all = part("all")
				line(e.Name+"/"+v.Name+"/all", all.Hash, "")
			}
			lo := 0
			for _, p := range v.Parts {
				alone := part(p.Name)
				if all != nil && equalTables(alone.Table, slice(all.Table, lo, lo+p.Rows)) != nil {
					t.Errorf("%s %s: %s differs from the same part of all", e.Name, v.Name, p.Name)
				}
				lo += p.Rows
				line(e.Name+"/"+v.Name+"/"+p.Name, alone.Hash, digest(alone.Table))
			}
		}
	}
	golden(t, "standins.txt", lines.String())
}
