// Package datasets finds, verifies, reads, generates, prepares and splits the
// data of the experiments.
//
// Open turns a Ref, the description of a dataset in a spec, into Data: a Table of rows or a
// Distribution to sample from. A Ref names an entry of the embedded manifest (List, Info), a
// generator, or a user's file. Files are in LIBSVM, CSV, IDX or NumPy format, plain or compressed with
// gzip or bzip2.
//
// The files of a manifest entry are searched for in the cache folder, then in the mirror, then at
// their canonical addresses. Their SHA-256 is verified before use. A stand-in, a synthetic table of
// the same shape, is made only if Options allow it, and is marked as such. Entries without files
// are licensed data, for which only a stand-in exists.
package datasets

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stochopt/internal/disk"
)

// Data is a dataset ready for use: a Table or a Distribution.
type Data struct {
	// Name is the source or the base name of the file. Title is for display.
	Name, Title string
	// Hash identifies the content. It is "sha256:" and a hash of the files' content, the reading
	// options and the preparation, or of the generator's name, version and parameters.
	Hash string
	// StandIn marks a synthetic table that replaces real data; StandInReason says why.
	StandIn       bool
	StandInReason string
	// Table is nil for a distribution, Dist is nil for a table.
	Table *Table
	Dist  Distribution
	// Parts lists the blocks of rows of the table in order: the parts of the manifest entry or
	// generator, or "train" and, with Ref.Test, "test". It is nil for a distribution.
	Parts []PartRows
	// Reference is a classifier with known losses. It is nil for most data, and for prepared or
	// relabelled tables.
	Reference *Reference
	// Skipped is the number of CSV rows skipped because of missing values.
	Skipped int
	// Origin is "cache", "mirror", "download", "file", "generator" or "stand-in". It is not part of
	// the hash.
	Origin string
}

// Dim returns the dimension d of the rows or samples.
func (d *Data) Dim() int {
	if d.Table != nil {
		return d.Table.D
	}
	return d.Dist.Dim()
}

// Rows describes skipped rows, such as "60 of 600 rows (the others have missing values)"; "" if none
// were skipped.
func (d *Data) Rows() string {
	if d.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d rows (the others have missing values)", d.Table.N, d.Table.N+d.Skipped)
}

// PartRows names a block of consecutive rows of a table.
type PartRows struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
}

// partRows lists the parts of a manifest entry, in row order.
func partRows(parts []Part) []PartRows {
	out := make([]PartRows, len(parts))
	for i, p := range parts {
		out[i] = PartRows{p.Name, p.Rows}
	}
	return out
}

func totalRows(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Rows
	}
	return n
}

// Open finds, reads and prepares the data of ref. If files of a manifest entry are not available and
// no stand-in is allowed, the error wraps ErrMissing. A file in the cache or the mirror with a wrong
// checksum always gives a *ChecksumError.
func Open(ctx context.Context, ref Ref, opt Options) (*Data, error) {
	return standard().open(ctx, ref, opt)
}

func (l *library) open(ctx context.Context, ref Ref, opt Options) (*Data, error) {
	if err := l.check(ref); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	var d *Data
	var content []string
	err := ctx.Err()
	switch e := l.entry(ref.Source); {
	case err != nil:
	case ref.Path != "":
		d, content, err = openPath(ref, &opt)
	case e != nil:
		d, content, err = l.openEntry(ctx, e, ref, &opt)
	default:
		d, content, err = openGenerator(ref, &opt)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &NamedError{ref.Source, err}
	case d.Table == nil:
		d.Hash = hashLines(content)
		return d, nil
	}
	if err := d.prepare(ref, content, opt.MaxBytes); err != nil {
		return nil, &NamedError{d.Name, err}
	}
	return d, nil
}

// openGenerator opens generated data. content holds the lines to hash.
func openGenerator(ref Ref, opt *Options) (d *Data, content []string, err error) {
	g, err := generate(ref)
	if err != nil {
		return nil, nil, err
	}
	d = &Data{Name: ref.Source, Title: g.title, Dist: g.dist, Origin: "generator", Parts: g.parts}
	if g.table != nil {
		if err := newBudget(opt.MaxBytes).use(8 * int64(g.rows) * int64(g.dim+1)); err != nil {
			return nil, nil, err
		}
		d.Table = g.table()
	}
	if len(ref.Prepare) == 0 && ref.Positive == nil {
		d.Reference = g.reference // invalid for changed rows or labels
	}
	return d, []string{fmt.Sprintf("generator %s %d %s", ref.Source, generatorVersion, g.params)}, nil
}

// openEntry opens a manifest entry or its stand-in. content holds the lines to hash.
func (l *library) openEntry(ctx context.Context, e *Entry, ref Ref, opt *Options) (d *Data, content []string, err error) {
	v, parts, err := e.pick(ref.With)
	if err != nil {
		return nil, nil, err
	}
	if opt.ForceStandIn {
		return openStandIn(e, v, parts, "a stand-in was requested")
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Files...)
	}
	locs, err := l.locate(ctx, e, names, opt)
	if opt.AllowStandIn && errors.Is(err, ErrMissing) {
		opt.log("dataset %s: the real data are not available; using a stand-in (set HARNESS_MIRROR or run `stochopt datasets fetch %s`)", e.Name, e.Name)
		return openStandIn(e, v, parts, "the real data are not available")
	}
	if err != nil {
		return nil, nil, err
	}
	d = &Data{Name: e.Name, Title: e.title(v, parts), Origin: locs[0].where, Parts: partRows(parts)}
	content = []string{"files " + e.Format}
	for _, loc := range locs {
		content = append(content, loc.file.SHA256)
	}
	if d.Table, err = e.read(parts, locs); err != nil {
		return nil, nil, err
	}
	d.Table.positive = e.Positive
	return d, content, nil
}

// title returns the title of the entry, with the variant and the part unless there is only one.
func (e *Entry) title(v *Variant, parts []Part) string {
	var extra []string
	if len(e.Variants) > 1 {
		extra = append(extra, v.Name)
	}
	if len(parts) < len(v.Parts) {
		extra = append(extra, parts[0].Name)
	}
	if len(extra) == 0 {
		return e.Title
	}
	return e.Title + " (" + strings.Join(extra, ", ") + ")"
}

// read reads the located files of parts, in order.
func (e *Entry) read(parts []Part, locs []located) (*Table, error) {
	var tables []*Table
	o := pathOptions{format: e.Format, csv: csvOptions{Features: e.Features}}
	if e.Format == "csv" {
		o.csv.Label = "-1"
	}
	for _, p := range parts {
		path, labels := locs[0].path, ""
		if e.Format == "idx" {
			labels = locs[1].path
		}
		locs = locs[len(p.Files):]
		f, err := readData(path, labels, o, newBudget(0))
		if err != nil {
			return nil, err
		}
		if f.table.N != p.Rows {
			return nil, fmt.Errorf("%s: %d rows, but the manifest states %d", path, f.table.N, p.Rows)
		}
		tables = append(tables, f.table)
	}
	return stack(tables), nil
}

// prepareVersion is part of the hash of prepared data. Raise it when the result of a step changes.
const prepareVersion = 1

// prepare applies the positive class and the preparation of ref to the table, in place, and sets the
// hash. content holds the lines to hash for the table so far.
func (d *Data) prepare(ref Ref, content []string, most int64) (err error) {
	if ref.Positive != nil {
		positive := d.Table.labelText(*ref.Positive)
		if err := d.Table.makeBinary(*ref.Positive); err != nil {
			return err
		}
		d.Title += fmt.Sprintf(", %s against the rest", positive)
		content = append(content, "positive "+labelText(*ref.Positive))
	}
	how := "as read"
	if len(ref.Prepare) > 0 {
		how = fmt.Sprintf("prepare %d %s", prepareVersion, strings.Join(ref.Prepare, " "))
	}
	d.Hash = hashLines(append(content, how))
	d.Table, err = prepare(d.Table, ref.Prepare, most)
	return err
}

func hashLines(lines []string) string {
	return "sha256:" + disk.SHA256Of([]byte("stochopt dataset 1\n"+strings.Join(lines, "\n")+"\n"))
}
