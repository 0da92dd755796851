package datasets

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestLicensed: data that nobody may distribute are missing, whatever is asked
// for; what to do is in the error; a stand-in can be had.
func TestLicensed(t *testing.T) {
	t.Parallel()
	opt := Options{CacheDir: t.TempDir(), Mirror: t.TempDir()} // no network is tried
	ctx := context.Background()
	_, err := Open(ctx, Ref{Source: "timit"}, opt)
	files, fetch := standard().fetch(ctx, "timit", opt)
	for what, err := range map[string]error{"open": err, "fetch": fetch} {
		if !errors.Is(err, ErrMissing) {
			t.Errorf("%s: error %v", what, err)
			continue
		}
		for _, want := range []string{"licensed", "LDC93S1", "path: ", "positive: 3", "stand_in: allow"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q says nothing of %q", what, err, want)
			}
		}
	}
	verify, err := Fetch(ctx, "timit", offline(opt))
	if err != nil {
		t.Error(err)
	}
	for what, files := range map[string][]FileStatus{"fetch": files, "verify": verify} {
		if len(files) != 1 || files[0].OK || !strings.Contains(files[0].Problem, "licensed") {
			t.Errorf("%s: status %+v", what, files)
		}
	}
	opt.AllowStandIn = true
	d, err := Open(ctx, Ref{Source: "timit", With: map[string]any{"part": "test"}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if !d.StandIn || !strings.Contains(d.Title, "TIMIT (test) stand-in") || d.Table.N != 22257 {
		t.Errorf("%s: stand-in %v, %d rows", d.Title, d.StandIn, d.Table.N)
	}
}

// TestTIMITStandIn: the features have a mean near 0 and a variance near 1, and
// every class is there.
func TestTIMITStandIn(t *testing.T) {
	t.Parallel()
	tab := open(t, Ref{Source: "timit", With: map[string]any{"part": "test"}}, Options{ForceStandIn: true}).Table
	for j := range tab.D {
		var sum, sq float64
		for i := range tab.N {
			v := tab.Row(i, nil)[j]
			sum += v
			sq += v * v
		}
		mean := sum / float64(tab.N)
		if variance := sq/float64(tab.N) - mean*mean; math.Abs(mean) > 0.5 || variance < 0.6 || variance > 1.7 {
			t.Errorf("feature %d: mean %g, variance %g", j+1, mean, variance)
		}
	}
	seen := make([]int, 10)
	for _, y := range tab.Labels {
		seen[int(y)]++
	}
	for c, n := range seen[1:] {
		if want := tab.N * []int{110, 150, 160, 70, 110, 70, 100, 120, 110}[c] / 1000; n < want || n > want+9 {
			t.Errorf("class %d has %d rows, want %d", c+1, n, want)
		}
	}
}

func TestManifestWithoutFiles(t *testing.T) {
	t.Parallel()
	const entry = "- {name: a, title: A, features: 2, format: libsvm, default_part: all, %variants: [{name: v, parts: [{name: train, rows: 3%files}]}]}"
	for _, c := range []struct{ obtain, files, want string }{
		{"obtain: ask, ", "", ""},
		{"", "", "neither"},
		{"obtain: ask, ", ", files: [f]", "bad rows or files"},
	} {
		text := strings.NewReplacer("%variants", c.obtain+"variants", "%files", c.files).Replace(entry)
		err := checkedManifest([]byte(text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", text, err, c.want)
		}
	}
}
