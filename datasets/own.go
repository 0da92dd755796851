package datasets

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// openPath opens a file of the user's own, with its test file if it has one. content are the
// lines of the hash for them.
func openPath(ref Ref, opt *Options) (d *Data, content []string, err error) {
	o, err := ref.pathOptions()
	if err != nil {
		return nil, nil, err
	}
	m := newRoom(opt.MaxBytes)
	train, err := readOwn(opt.path(ref.Path), opt.path(o.labels[0]), o, m)
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Base(ref.Path)
	d = &Data{Name: name, Title: name, Origin: "file", Table: train.table, Skipped: train.skipped}
	d.Parts = []PartRows{{"train", train.table.N}}
	content = train.lines(o)
	if ref.Test == "" {
		return d, content, nil
	}
	path := opt.path(ref.Test)
	o.csv.train = train.table
	test, err := readOwn(path, opt.path(o.labels[1]), o, m)
	if err != nil {
		return nil, nil, err
	}
	if err := checkTest(train, test); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if test.sum == train.sum {
		return nil, nil, fmt.Errorf("%s: the test file has the content of the training file %s; "+
			"name a file of other examples, or leave test out and give a split", path, opt.path(ref.Path))
	}
	d.Table = stack([]*Table{train.table, test.table})
	d.Parts = append(d.Parts, PartRows{"test", test.table.N})
	d.Skipped += test.skipped
	return d, append(append(content, "test"), test.lines(o)...), nil
}

// ownFile is a file as read.
type ownFile struct {
	table   *Table
	header  []string // of a csv file, nil without
	skipped int      // rows of a csv file that were left out
	// sum and labels are the SHA-256 of the content, and of that of the label file, "" without.
	sum, labels string
}

// readOwn reads a file and, unless its name is "", the file of its labels.
func readOwn(path, labels string, o pathOptions, m *room) (f *ownFile, err error) {
	content := sha256.New()
	err = readFile(path, content, func(r io.Reader) (err error) {
		f, err = readTable(r, path, o, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	f.sum = fmt.Sprintf("%x", content.Sum(nil))
	if labels == "" {
		return f, nil
	}
	content.Reset()
	err = readFile(labels, content, func(r io.Reader) (err error) {
		f.table.Labels, err = readLabels(r, labels, f.table.N, m)
		return err
	})
	f.labels = fmt.Sprintf("%x", content.Sum(nil))
	return f, err
}

// readTable reads a table in any of the formats, without the labels that a file of their own holds.
func readTable(r io.Reader, path string, o pathOptions, m *room) (f *ownFile, err error) {
	f = &ownFile{}
	switch o.format {
	case "libsvm":
		f.table, err = readLIBSVM(r, path, o.csv.Features, m)
	case "csv":
		return readCSV(r, path, o.csv, m)
	default:
		f.table, err = readArrayTable(r, path, o.csv, m)
	}
	return f, err
}

// lines are the lines of the hash for the file and how it was read.
func (f *ownFile) lines(o pathOptions) []string {
	lines := []string{"files " + o.format, f.sum}
	switch o.format {
	case "libsvm":
		lines = append(lines, fmt.Sprintf("features %d", f.table.D))
	case "npy":
		lines = append(lines, fmt.Sprintf("label %q", o.csv.Label))
	case "csv":
		header := "auto"
		if o.csv.Header != nil {
			header = map[bool]string{true: "yes", false: "no"}[*o.csv.Header]
		}
		line := fmt.Sprintf("label %q header %s comma %q", o.csv.Label, header, o.csv.Comma)
		if o.csv.Decimal == "," {
			line += " decimal comma"
		}
		if o.csv.Missing == "skip" {
			line += " missing skip"
		}
		if o.csv.Ignore != "" {
			line += fmt.Sprintf(" ignore %q", o.csv.Ignore)
		}
		lines = append(lines, line)
	}
	if f.labels != "" {
		lines = append(lines, "labels "+f.labels)
	}
	return lines
}

// checkTest returns an error unless the rows of a test file can follow those of the training
// file: the same columns, both or neither labelled, a dense table as wide and, for two classes,
// no label that the training rows do not have.
func checkTest(train, test *ownFile) error {
	if train.header != nil && len(train.header) == len(test.header) {
		for i, name := range train.header {
			if test.header[i] != name {
				return fmt.Errorf("column %d is %q, in the training file %q", i+1, test.header[i], name)
			}
		}
	}
	a, b := train.table, test.table
	if !a.Sparse() && a.D != b.D {
		return fmt.Errorf("the test file has %d features, the training file %d", b.D, a.D)
	}
	switch {
	case a.Labels != nil && b.Labels == nil:
		return fmt.Errorf("the training file has labels, the test file does not")
	case a.Labels == nil && b.Labels != nil:
		return fmt.Errorf("the test file has labels, the training file does not")
	}
	known := a.classes(maxListed)
	if len(known) > 2 {
		return nil
	}
	for i, y := range b.Labels {
		if !slices.ContainsFunc(known, func(c Class) bool { return c.Label == y }) {
			return fmt.Errorf("row %d of the test file has the label %v; in the training file %s", i+1, y, a.classText(known))
		}
	}
	return nil
}
