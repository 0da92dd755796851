package sparse_test

import (
	"os"
	"path/filepath"
	"testing"

	"stochopt/datasets"
)

// adult returns a training set of Adult, from the folder that HARNESS_MIRROR names.
// Without it, and in short tests, the test is skipped.
func adult(t *testing.T, name string) *datasets.Table {
	t.Helper()
	mirror := os.Getenv("HARNESS_MIRROR")
	if mirror == "" || testing.Short() {
		t.Skip("HARNESS_MIRROR is not set, or the tests are short: no real data to test with")
	}
	if !filepath.IsAbs(mirror) {
		mirror = filepath.Join("..", "..", mirror)
	}
	path := filepath.Join(mirror, "adult", name+".gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	d, err := datasets.Open(t.Context(), datasets.Ref{Path: path, Format: "libsvm"}, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d.Table
}
