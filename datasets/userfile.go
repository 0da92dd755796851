package datasets

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// openPath opens a user's file and its test file, if any. content holds the lines to hash.
func openPath(ref Ref, opt *Options) (d *Data, content []string, err error) {
	o, err := ref.pathOptions()
	if err != nil {
		return nil, nil, err
	}
	m := newBudget(opt.MaxBytes)
	train, err := readData(opt.path(ref.Path), opt.path(o.labels[0]), o, m)
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
	test, err := readData(path, opt.path(o.labels[1]), o, m)
	if err != nil {
		return nil, nil, err
	}
	if err := checkTest(train, test); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if test.sum == train.sum {
		return nil, nil, fmt.Errorf("%s: the test file has the same content as the training file %s; "+
			"use a file of other examples, or omit test and set a split", path, opt.path(ref.Path))
	}
	d.Table = stack([]*Table{train.table, test.table})
	d.Parts = append(d.Parts, PartRows{"test", test.table.N})
	d.Skipped += test.skipped
	return d, append(append(content, "test"), test.lines(o)...), nil
}

// dataFile is the content of a data file.
type dataFile struct {
	table   *Table
	header  []string // header of a CSV file, or nil
	skipped int      // number of skipped rows of a CSV file
	// sum and labels are the SHA-256 of the contents of the file and of its label file, if any.
	sum, labels string
}

// readData reads a data file and, unless labels is "", its label file.
func readData(path, labels string, o pathOptions, m *budget) (f *dataFile, err error) {
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

// readTable reads a table in any format, without a separate label file.
func readTable(r io.Reader, path string, o pathOptions, m *budget) (f *dataFile, err error) {
	f = &dataFile{}
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

// lines returns the lines to hash for the file and its reading options.
func (f *dataFile) lines(o pathOptions) []string {
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

// checkTest returns an error if a test file does not match its training file. The headers must
// agree, dense tables must have the same number of features, and both or neither must be labelled.
// If the training file has at most two classes, the test file must not have others.
func checkTest(train, test *dataFile) error {
	if train.header != nil && len(train.header) == len(test.header) {
		for i, name := range train.header {
			if test.header[i] != name {
				return fmt.Errorf("column %d is %q, but in the training file it is %q", i+1, test.header[i], name)
			}
		}
	}
	a, b := train.table, test.table
	if !a.Sparse() && a.D != b.D {
		return fmt.Errorf("the test file has %d features, the training file %d", b.D, a.D)
	}
	switch {
	case a.Labels != nil && b.Labels == nil:
		return fmt.Errorf("the training file has labels, but the test file does not")
	case a.Labels == nil && b.Labels != nil:
		return fmt.Errorf("the test file has labels, but the training file does not")
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
