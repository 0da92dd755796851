// Package datasets finds, verifies, reads, generates, prepares and splits the
// data of the experiments.
//
// Open turns a Ref (what a spec says of a dataset) into Data: a Table of rows, or a Distribution
// to sample from. A Ref names a source, which is either an entry of the embedded manifest (List,
// Info) or a generator, or it names a file of the user's own in LIBSVM, CSV, IDX or NumPy format, plain,
// gzip or bzip2.
//
// The files of a manifest entry are looked for in the cache folder, then in the mirror, then at
// their canonical addresses; nothing is used before its SHA-256 has been checked. A stand-in, a
// synthetic table of the same shape, is made only when Options allow it, and says so. An entry
// without files is of data that are not distributed freely, and has a stand-in only.
package datasets

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stochopt/internal/disk"
)

// Data is a dataset ready for use: a Table, or a Distribution.
type Data struct {
	// Name is the source, or the base name of the file. Title is for people;
	// that of a stand-in says so.
	Name, Title string
	// Hash identifies the content: "sha256:" and a hash of the content of the files, how they
	// were read and prepared, or of the name, version and parameters of the generator.
	Hash string
	// StandIn: the table is synthetic, in place of a real one, for the reason given.
	StandIn       bool
	StandInReason string
	// Table is nil for a distribution, Dist is nil for a table.
	Table *Table
	Dist  Distribution
	// Parts lists the blocks of rows of the table, in row order: those of a manifest entry, of a
	// generator, or "train" and, with Ref.Test, "test". nil for a distribution.
	Parts []PartRows
	// Reference is a classifier whose losses are known; nil for most data, and
	// for prepared or relabelled ones.
	Reference *Reference
	// Skipped is the number of rows of a CSV file that were left out, as they have missing
	// values.
	Skipped int
	// Origin says where the data came from: "cache", "mirror", "download",
	// "file", "generator" or "stand-in". It is not part of the hash.
	Origin string
}

// Dim returns the dimension d of the rows or samples.
func (d *Data) Dim() int {
	if d.Table != nil {
		return d.Table.D
	}
	return d.Dist.Dim()
}

// Rows says how many rows of the file were read, such as "60 of 600 rows", with the reason;
// "" if no row was left out.
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

// Open finds, reads and prepares the data that ref names. A manifest entry whose files cannot be
// had gives an error wrapping ErrMissing unless a stand-in is allowed; a file of the cache or the
// mirror with a wrong checksum gives a *ChecksumError, stand-in or not.
func Open(ctx context.Context, ref Ref, opt Options) (*Data, error) {
	return standard().open(ctx, ref, opt)
}

func (l *library) open(ctx context.Context, ref Ref, opt Options) (*Data, error) {
	if err := l.check(ref); err != nil {
		return nil, err
	}
	opt = opt.prepared()
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
	if err := d.treat(ref, content, opt.MaxBytes); err != nil {
		return nil, &NamedError{d.Name, err}
	}
	return d, nil
}

// openGenerator makes what a generator makes. content are the lines of the hash for it.
func openGenerator(ref Ref, opt *Options) (d *Data, content []string, err error) {
	g, err := generate(ref)
	if err != nil {
		return nil, nil, err
	}
	d = &Data{Name: ref.Source, Title: g.title, Dist: g.dist, Origin: "generator", Parts: g.parts}
	if g.table != nil {
		if err := newRoom(opt.MaxBytes).take(8 * int64(g.rows) * int64(g.dim+1)); err != nil {
			return nil, nil, err
		}
		d.Table = g.table()
	}
	if len(ref.Prepare) == 0 && ref.Positive == nil {
		d.Reference = g.reference // it is of the rows and labels as they are
	}
	return d, []string{fmt.Sprintf("generator %s %d %s", ref.Source, generatorVersion, g.params)}, nil
}

// openEntry opens a manifest entry, or its stand-in. content are the lines of the hash for it.
func (l *library) openEntry(ctx context.Context, e *Entry, ref Ref, opt *Options) (d *Data, content []string, err error) {
	v, parts, err := e.pick(ref.With)
	if err != nil {
		return nil, nil, err
	}
	if opt.ForceStandIn {
		return openStandIn(e, v, parts, "a stand-in was asked for")
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Files...)
	}
	locs, err := l.locate(ctx, e, names, opt)
	if opt.AllowStandIn && errors.Is(err, ErrMissing) {
		opt.log("dataset %s: the real data are not available; using a stand-in (set HARNESS_MIRROR or run `stochopt datasets fetch %s`)", e.Name, e.Name)
		return openStandIn(e, v, parts, "the real data could not be had")
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

// title names the variant and the part where there is a choice.
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
		f, err := readOwn(path, labels, o, newRoom(0))
		if err != nil {
			return nil, err
		}
		if f.table.N != p.Rows {
			return nil, fmt.Errorf("%s: %d rows, the manifest says %d", path, f.table.N, p.Rows)
		}
		tables = append(tables, f.table)
	}
	return stack(tables), nil
}

// prepareVersion is part of the hash of prepared data. Raise it when a step changes its result.
const prepareVersion = 1

// treat applies ref's positive class and preparation to the table, which is d's own, and makes
// the hash. content has the lines of the hash for the table before that.
func (d *Data) treat(ref Ref, content []string, most int64) (err error) {
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
