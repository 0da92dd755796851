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
	f, err := os.Open(filepath.Join(mirror, "adult", name+".gz"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	text, err := datasets.Decompress(f)
	if err != nil {
		t.Fatal(err)
	}
	table, err := datasets.ReadLIBSVM(text, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return table
}
