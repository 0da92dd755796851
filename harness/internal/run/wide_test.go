package run

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
)

// spread returns a wide table of n sparse rows whose entries are in six features, far apart, and the
// narrow table of these six features.
func spread(t *testing.T, n int) (wide, narrow *datasets.Table) {
	t.Helper()
	const apart = 1000
	rng := newRNG(6)
	var far, near strings.Builder
	for range n {
		far.WriteString("1")
		near.WriteString("1")
		for j := range 6 {
			v := rng.NormFloat64() / float64(1+j)
			fmt.Fprintf(&far, " %d:%v", 1+apart*j, v)
			fmt.Fprintf(&near, " %d:%v", 1+j, v)
		}
		far.WriteString("\n")
		near.WriteString("\n")
	}
	for text, table := range map[*strings.Builder]**datasets.Table{&far: &wide, &near: &narrow} {
		*table = libsvmTable(t, text.String(), 0)
	}
	if wide.D <= objective.WideDim || narrow.D != 6 {
		t.Fatalf("%d and %d features", wide.D, narrow.D)
	}
	return wide, narrow
}

// Wide data have the same second moment as the same data without the empty features.
func TestSecondMomentOfWideData(t *testing.T) {
	t.Parallel()
	wide, narrow := spread(t, 40)
	rows := []int{1, 3, 4, 8, 9, 20, 39}
	got, err := momentOf(wide, rows).Leading(7)
	want, wantErr := momentOf(narrow, rows).Leading(7)
	if err != nil || wantErr != nil {
		t.Fatal(err, wantErr)
	}
	for i, v := range want.Eigenvalues {
		if math.Abs(got.Eigenvalues[i]-v) > got.ErrorBound+want.ErrorBound+1e-12 {
			t.Errorf("eigenvalue %d is %v, want %v", i, got.Eigenvalues[i], v)
		}
	}
}

// libsvmTable writes text to a LIBSVM file and reads it as a table.
func libsvmTable(t testing.TB, text string, features int) *datasets.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := datasets.Open(t.Context(), datasets.Ref{Path: path, Format: "libsvm", Features: features}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Table
}
