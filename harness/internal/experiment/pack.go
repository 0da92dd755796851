package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/record"
	"stochopt/plots"
	"stochopt/results/analysis"
)

// Files of a packed folder, beside those that package record owns.
const (
	// PackedFile says what was packed.
	PackedFile = "packed.json"
	// HalvedFile holds what was selected at each support size, in place of the classifiers
	// that it was selected among.
	HalvedFile = "halved.json.gz"
)

// mostHalved bounds HalvedFile, uncompressed, in bytes.
const mostHalved = 256 << 20

// Packed is the content of PackedFile.
type Packed struct {
	Schema int `json:"schema"`
	// Runs is the number of records, Curves that of those with their curve.
	Runs   int `json:"runs"`
	Curves int `json:"curves"`
	// Missing counts the planned runs that are not on record.
	Missing []record.Missing `json:"missing,omitempty"`
	// Dropped lists the columns that no figure, table or verdict depends on, and that the
	// curves lack.
	Dropped []string `json:"dropped_columns,omitempty"`
	// DroppedOf lists further columns by series, that only curves of other series are read for.
	DroppedOf map[string][]string `json:"dropped_columns_of,omitempty"`
	// CPUSeconds is what all runs took of the processors, Began and Ended when the first and
	// the last of them were done, RFC 3339, Tools what programs made them.
	CPUSeconds float64  `json:"cpu_seconds"`
	Began      string   `json:"began,omitempty"`
	Ended      string   `json:"ended,omitempty"`
	Tools      []string `json:"tools,omitempty"`
	// WholeGrid lists the figures that show the cost of whole grids, whose curves are left
	// out: they cannot be drawn again.
	WholeGrid []string `json:"whole_grid,omitempty"`
}

// packedSchema is the version of PackedFile.
const packedSchema = 1

// thinFrom is the size of the packed records from which on columns are dropped, in bytes.
const thinFrom = 1 << 20

// Packing reads PackedFile, nil if the folder has none.
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
		return nil, fmt.Errorf("%s cannot be read: %w; pack the results again", filepath.Join(f.Dir, PackedFile), err)
	case p.Schema != packedSchema:
		return nil, fmt.Errorf("%s has schema %d, but this program reads %d", filepath.Join(f.Dir, PackedFile), p.Schema, packedSchema)
	}
	return p, nil
}

// Pack writes what shows an experiment, small, into a folder of its name in to: the spec, the
// manifest, the verdicts, the selection, figures as PNG, tables as Markdown, and the records
// that these can be made from again. It takes the place of a packed folder that is there.
func (f *Folder) Pack(to string) (dir string, err error) {
	s, err := f.Spec()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(to, s.Name)
	if err := replaceable(dir); err != nil {
		return "", err
	}
	e, err := f.Records()
	if err != nil {
		return "", err
	}
	if len(e.Runs) == 0 {
		return "", fmt.Errorf("%s has no records yet", f.Dir)
	}
	watch, err := e.Watch()
	if err != nil {
		return "", err
	}
	d, err := f.Derive(s)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	p := &packing{Derivation: d, watch: watch}
	if p.dir, err = os.MkdirTemp(to, ".packing-"); err != nil {
		return "", err
	}
	defer os.RemoveAll(p.dir)
	for _, step := range []func() error{p.records, p.products, p.describe} {
		if err := step(); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.Chmod(p.dir, 0o755); err != nil {
		return "", err
	}
	return dir, os.Rename(p.dir, dir)
}

// replaceable reports a folder that is neither a packed one nor empty.
func replaceable(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if _, none := os.Stat(filepath.Join(dir, PackedFile)); err == nil && none != nil {
		err = fmt.Errorf("%s holds something else than a packed folder: use another --out", dir)
	}
	return err
}

// packing is one in progress.
type packing struct {
	*Derivation
	watch *record.Watch
	dir   string
	about Packed
}

// records writes the records that the products are made from.
func (p *packing) records() error {
	own := *p.Derivation
	own.Spec, p.about.WholeGrid = withoutWholeGrids(p.Spec)
	p.watch.Note(true)
	want, err := own.digest()
	if p.Selection.Options.Chooses() {
		for _, r := range p.Selection.Runs() {
			r.Measured()
		}
	}
	p.watch.Note(false)
	if err != nil {
		return err
	}
	var halved []byte
	if p.Halved != nil {
		if halved, err = p.Halved.Pack(); err != nil {
			return err
		}
		err := disk.WriteCompressed(p.dir, HalvedFile, func(w io.Writer) error {
			_, err := w.Write(halved)
			return err
		})
		if err != nil {
			return err
		}
	}
	runs := p.watch.Packed(func(c record.Curve) record.Curve { return without(c, columnMistakes) })
	if err := record.WritePacked(p.dir, runs, p.watch.Timings()); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(p.dir, record.PackedFile))
	if err != nil {
		return err
	}
	// By these records alone everything has to come out the same.
	same := func(runs []record.Run) bool {
		got, err := own.again(runs, halved)
		return err == nil && bytes.Equal(got, want)
	}
	if !same(runs) {
		return errors.New("the packed records do not give the same figures, tables and verdicts: this is a fault of the program")
	}
	if info.Size() >= thinFrom {
		runs = p.thin(runs, same)
		if err := record.WritePacked(p.dir, runs, p.watch.Timings()); err != nil {
			return err
		}
	}
	p.about.Runs = len(runs)
	for i := range runs {
		if runs[i].LeftOut == nil {
			p.about.Curves++
		}
	}
	return nil
}

// again is the digest of the derivation from other records of the same runs.
func (d *Derivation) again(runs []record.Run, halved []byte) ([]byte, error) {
	e := *d.Records
	e.Runs = runs
	var h *analysis.Halved
	if halved != nil {
		var err error
		if h, err = analysis.Unpack(halved, runs); err != nil {
			return nil, err
		}
	}
	again, err := d.Folder.derive(&e, d.Spec, h)
	if err != nil {
		return nil, err
	}
	return again.digest()
}

// digest is what figures, tables and verdicts say.
func (d *Derivation) digest() (text []byte, err error) {
	var b bytes.Buffer
	enc, in := json.NewEncoder(&b), d.Plots()
	for _, t := range d.Spec.Tables {
		g, err := plots.Build(t, in)
		if err != nil {
			return nil, err
		}
		if err := enc.Encode(g); err != nil {
			return nil, err
		}
	}
	for _, f := range d.Spec.Figures {
		chart, err := plots.Compose(f, in)
		if err != nil {
			return nil, err
		}
		if err := enc.Encode(chart); err != nil {
			return nil, err
		}
	}
	if err := enc.Encode(d.Verdicts()); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Encode(d.Warnings())
}

// withoutWholeGrids returns the spec without the figures that show the cost of whole grids,
// and their ids.
func withoutWholeGrids(s *spec.Spec) (*spec.Spec, []string) {
	out := *s
	var ids []string
	out.Figures = slices.DeleteFunc(slices.Clone(s.Figures), func(f plots.Figure) bool {
		whole := f.Tuned != "" || slices.ContainsFunc(f.Panels, func(p plots.Panel) bool { return p.Tuned != "" })
		if whole {
			ids = append(ids, f.ID)
		}
		return whole
	})
	return &out, ids
}

// products writes the products, those of the packed kinds.
func (p *packing) products() error {
	scratch, err := os.MkdirTemp("", "stochopt-pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	made, err := p.In(scratch).Write(All)
	if err != nil {
		return err
	}
	for _, path := range made.Files {
		name, err := filepath.Rel(scratch, path)
		if err != nil {
			return err
		}
		if !Packs(filepath.ToSlash(name)) {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755); err != nil {
			return err
		}
		if err := disk.Write(p.dir, name, data); err != nil {
			return err
		}
	}
	return nil
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

// describe writes the spec and the manifest as they are, and what was packed.
func (p *packing) describe() error {
	from := p.Folder.Dir
	for _, name := range []string{SpecFile, ManifestFile} {
		data, err := disk.ReadFile(filepath.Join(from, name), MostText)
		if err != nil {
			return err
		}
		if err := disk.Write(p.dir, name, data); err != nil {
			return err
		}
	}
	p.about.Schema, p.about.Missing = packedSchema, p.Folder.missing(p.Derivation.Records)
	p.about.took(p.Derivation.Records)
	data, err := json.MarshalIndent(p.about, "", "  ")
	if err != nil {
		return err
	}
	return disk.Write(p.dir, PackedFile, append(data, '\n'))
}

// took takes in what the runs took, and when.
func (p *Packed) took(e *record.Experiment) {
	for i := range e.Runs {
		t, ok := e.Timings().Of(e.Runs[i])
		if !ok {
			continue
		}
		p.CPUSeconds += t.SetupCPUSeconds + t.RunCPUSeconds
		if t.Finished != "" && (p.Began == "" || t.Finished < p.Began) {
			p.Began = t.Finished
		}
		p.Ended = max(p.Ended, t.Finished)
		if t.Tool != "" && !slices.Contains(p.Tools, t.Tool) {
			p.Tools = append(p.Tools, t.Tool)
		}
	}
}

// packedHalved reads HalvedFile; nil if there is none.
func (f *Folder) packedHalved(runs []record.Run) (*analysis.Halved, error) {
	path := filepath.Join(f.Dir, HalvedFile)
	data, err := disk.ReadCompressed(path, mostHalved)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var h *analysis.Halved
	if err == nil {
		h, err = analysis.Unpack(data, runs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return h, nil
}
