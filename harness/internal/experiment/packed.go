package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"stochopt/internal/disk"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// Files of a packed folder, which only shows an experiment: it leaves out most curves. Earlier
// versions of this program wrote them.
const (
	// PackedFile says what was packed.
	PackedFile = "packed.json"
	// HalvedFile holds what was selected at each support size, in place of the classifiers that it
	// was selected among.
	HalvedFile = "halved.json.gz"
)

// mostHalved bounds HalvedFile, uncompressed, in bytes.
const mostHalved = 256 << 20

// Packed is the part of PackedFile that is read.
type Packed struct {
	Schema int `json:"schema"`
	// Runs is the number of records.
	Runs int `json:"runs"`
	// Missing counts the planned runs that are not on record.
	Missing []observe.Missing `json:"missing"`
	// WholeGrid lists the figures that show the cost of whole grids, whose curves are left out:
	// they cannot be drawn again.
	WholeGrid []string `json:"whole_grid"`
}

// packedSchema is the version of PackedFile.
const packedSchema = 1

// Packing reads PackedFile. It returns nil without one.
func (f *Folder) Packing() (*Packed, error) {
	data, err := disk.ReadFile(filepath.Join(f.Dir, PackedFile), MostText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p := new(Packed)
	if err == nil {
		err = json.Unmarshal(data, p)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w; restore it", filepath.Join(f.Dir, PackedFile), err)
	case p.Schema != packedSchema:
		return nil, fmt.Errorf("%s has schema %d, but this program reads %d", filepath.Join(f.Dir, PackedFile), p.Schema, packedSchema)
	}
	return p, nil
}

// Packs reports whether a packed folder keeps a product, named with slashes.
func Packs(name string) bool {
	switch {
	case name == SelectionFile || name == ClaimsFile:
		return true
	case strings.HasPrefix(name, "figures/"):
		return filepath.Ext(name) == ".png" || filepath.Ext(name) == ".txt"
	}
	return strings.HasPrefix(name, "tables/") && filepath.Ext(name) == ".md"
}

// packedChoice reads HalvedFile. It returns nil without one.
func (f *Folder) packedChoice(runs []record.Run) (*selection.Choice, error) {
	path := filepath.Join(f.Dir, HalvedFile)
	data, err := disk.ReadCompressed(path, mostHalved)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var h *selection.Choice
	if err == nil {
		h, err = selection.Unpack(data, runs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return h, nil
}
