package verify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/internal/disk"
)

// packed verifies a packed folder, for which no data are needed.
func (v *verification) packed(about *experiment.Packed) error {
	if n := len(v.records.Runs); n != about.Runs {
		v.find("records", Missing, experiment.PackedFile, "the folder has %d runs, but %d were packed", n, about.Runs)
	}
	v.Complete = true
	for _, id := range about.WholeGrid {
		v.note("figure %s shows the cost of whole grids, whose curves are left out: it is not drawn again", id)
	}
	return v.compareProducts(experiment.Packs)
}

// compareProducts derives all products from the records again and compares those that the folder
// keeps with its files, byte for byte.
func (v *verification) compareProducts(keeps func(name string) bool) error {
	products := &experiment.Products{}
	d, err := v.folder.Derive(v.spec)
	if err == nil {
		products, err = d.In(v.scratch).Write(experiment.All)
	}
	if err != nil {
		v.find("products", Damaged, "", "they cannot be derived from the records: %v", err)
		return nil
	}
	for _, path := range products.Files {
		name := strings.TrimPrefix(path, v.scratch+string(filepath.Separator))
		if !keeps(filepath.ToSlash(name)) {
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		v.Count("products").Checked++
		got, err := disk.ReadFile(filepath.Join(v.Dir, name), len(want))
		switch {
		case err != nil && !errors.Is(err, disk.ErrTooLong):
			v.find("products", Missing, name, "%v; %s", err, again)
		case !bytes.Equal(got, want):
			v.find("products", Differs, name, "it differs from what the records give, from %s on; %s", place(got, want), again)
		}
	}
	return nil
}

// place says where a text differs first from what it should be: the line, or in binary files the byte.
func place(got, want []byte) string {
	n := common(got, want)
	if bytes.ContainsRune(want, 0) {
		return fmt.Sprintf("byte %d", n+1)
	}
	return fmt.Sprintf("line %d", 1+bytes.Count(want[:n], []byte{'\n'}))
}
