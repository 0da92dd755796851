package datasets

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"runtime"
	"testing"
)

// TestHashesStay: the content hash is part of the key of every run, so that
// what has been recorded stays valid only while these do not change.
func TestHashesStay(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "x.svm"), []byte("+1 1:1\n-1 2:1\n"))
	writeFile(t, filepath.Join(dir, "x.csv"), []byte("1,2\n3,4\n"))
	for _, c := range []struct {
		ref  Ref
		want string
	}{
		{Ref{Source: "adult"}, "974e0fe039dfdc967e8ff295d93edee9606b02ed56bc7084bb837f0cc369db61"},
		{Ref{Source: "mnist", With: map[string]any{"part": "test"}}, "f87aa2aaf3337f948c3da472609b288fc60d079d6e64ee0f1c20d782c923d2d2"},
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
	var b []byte
	put := func(v float64) { b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) }
	for i := range t.N {
		put(t.Labels[i])
		if t.Sparse() {
			idx, _ := t.RowNonZero(i)
			put(float64(len(idx)))
			for _, j := range idx {
				put(float64(j))
			}
		}
		for _, v := range t.rowStored(i) {
			put(v)
		}
	}
	return sha(b)[:16]
}

// fused reports whether the compiler fuses x*x + y, for values that tell.
//
//go:noinline
func fused(x, y float64) bool { return x*x+y != float64(x*x)+y }

// TestGeneratedContentStays: the hash of what is generated names a version, not
// the content. Who changes the content must raise the version and put the new
// digest here.
func TestGeneratedContentStays(t *testing.T) {
	if runtime.GOARCH != "amd64" || fused(1+0x1p-30, -1-0x1p-29) {
		t.Skip("the digests are those of amd64 without fused multiply-add")
	}
	for _, c := range []struct {
		source  string
		with    map[string]any
		version int
		want    string
	}{
		{"mnist", map[string]any{"part": "test"}, 1, "5960c5daae339d84"},
		{"adult", nil, 1, "f28cea680c1074c7"},
		{"reuters", nil, 1, "ea4ece787052d701"},
		{"ijcnn1", map[string]any{"part": "train"}, 1, "98356a804a9d6858"},
		{"web", nil, 1, "7f6dcd5a8eaaea49"},
		{"covtype", nil, 1, "6f17adf00a767c3c"},
		{"timit", map[string]any{"part": "test"}, 1, "87dbbf855a647fea"},
		{"simulated-margin", map[string]any{"R": 5, "spread": 0.3, "noise": 0.1}, generatorVersion, "ae8e293ae24a2275"},
	} {
		version := generatorVersion
		if s := standInOf(c.source); s != nil {
			version = s.version
		}
		got := digest(open(t, Ref{Source: c.source, With: c.with}, Options{ForceStandIn: true}).Table)
		if got != c.want || version != c.version {
			t.Errorf("%s: version %d has the digest %s; version %d had %s", c.source, version, got, c.version, c.want)
		}
	}
}
