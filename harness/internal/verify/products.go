package verify

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/disk"
)

// compareProducts derives all products from the records and compares them with the files of the folder,
// byte for byte.
func (v *verification) compareProducts() {
	products := &experiment.Products{}
	d, err := v.folder.Derive(v.spec)
	if err == nil {
		products, err = d.Products(experiment.AllKinds)
	}
	if err != nil {
		v.find("products", Damaged, "", "the products cannot be derived from the records: %v", err)
		return
	}
	for _, err := range products.Failed {
		v.find("products", Damaged, "", "a figure cannot be derived from the records: %v", err)
	}
	for _, f := range products.Files {
		v.Count("products").Checked++
		name, want := f.Name, f.Data
		got, err := disk.ReadFile(filepath.Join(v.Dir, name), len(want))
		switch {
		case err != nil && !errors.Is(err, disk.ErrTooLong):
			v.find("products", Missing, name, "%v; %s", err, restoreAdvice)
		case !bytes.Equal(got, want):
			v.find("products", Differs, name, "the file derived from the records differs from %s on; %s",
				firstDifference(got, want), restoreAdvice)
		}
	}
}

// firstDifference returns the line of the first difference, or its byte in a binary file.
func firstDifference(got, want []byte) string {
	n := commonPrefix(got, want)
	if bytes.ContainsRune(want, 0) {
		return fmt.Sprintf("byte %d", n+1)
	}
	return fmt.Sprintf("line %d", 1+bytes.Count(want[:n], []byte{'\n'}))
}
