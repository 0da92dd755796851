package datasets

import (
	"fmt"
	"io"
	"path/filepath"
)

// openPath opens a file of the user's own, with its test file if it has one.
func openPath(ref Ref, opt *Options) (*Data, error) {
	o, err := ref.pathOptions()
	if err != nil {
		return nil, err
	}
	abs := func(p string) string {
		if opt.Dir == "" || filepath.IsAbs(p) {
			return p
		}
		return filepath.Join(opt.Dir, p)
	}
	d := &Data{Name: filepath.Base(ref.Path), Title: filepath.Base(ref.Path), Origin: "file"}
	train, err := readOwn(abs(ref.Path), o, ref.Features)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if o.labels[0] != "" {
		if err := train.readLabels(abs(o.labels[0])); err != nil {
			return nil, fmt.Errorf("dataset: %w", err)
		}
	}
	d.Table = train.table
	d.Parts = []PartRows{{"train", d.Table.N}}
	if ref.Test == "" {
		d.Hash = hashLines(append(train.lines(o), treatLines(ref)...)...)
		return d.treat(ref)
	}

	test, err := readOwn(abs(ref.Test), o, ref.Features)
	if f := FormatOf(ref.Test); err != nil && f != "" && f != o.format {
		err = fmt.Errorf("%w (the test file is read as %s, as the training file is, and by its name it is %s)", err, o.format, f)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if o.labels[1] != "" {
		if err := test.readLabels(abs(o.labels[1])); err != nil {
			return nil, fmt.Errorf("dataset: %w", err)
		}
	}
	if err := sameHeader(train.header, test.header); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", abs(ref.Test), err)
	}
	if err := checkTest(train.table, test.table); err != nil {
		return nil, fmt.Errorf("dataset: %s: %w", abs(ref.Test), err)
	}
	d.Table = stack([]*Table{train.table, test.table})
	d.Parts = append(d.Parts, PartRows{"test", test.table.N})
	lines := append(train.lines(o), "test")
	lines = append(lines, test.lines(o)...)
	d.Hash = hashLines(append(lines, treatLines(ref)...)...)
	return d.treat(ref)
}

// ownFile is a file of the user's own as read.
type ownFile struct {
	table  *Table
	header []string // of a csv file, nil without
	sum    string   // SHA-256 of the content
	labels string   // of the label file, "" without
}

func readOwn(path string, o pathOptions, features int) (*ownFile, error) {
	f := &ownFile{}
	var err error
	f.sum, err = readHashed(path, func(r io.Reader) (err error) {
		switch o.format {
		case "libsvm":
			f.table, err = ReadLIBSVM(r, path, LIBSVMOptions{Features: features})
		case "csv":
			f.table, f.header, err = readCSV(r, path, o.csv)
		default:
			f.table, err = readIDXTable(r, path, features)
		}
		return err
	})
	return f, err
}

// readLabels reads the IDX file of the labels.
func (f *ownFile) readLabels(path string) (err error) {
	f.labels, err = readHashed(path, func(r io.Reader) error {
		y, err := ReadIDX(r, path)
		if err != nil {
			return err
		}
		f.table.Labels, err = y.labels(path, f.table.N)
		return err
	})
	return err
}

// lines are the lines of the hash for the file and how it was read.
func (f *ownFile) lines(o pathOptions) []string {
	lines := []string{"files " + o.format, f.sum}
	switch o.format {
	case "libsvm":
		lines = append(lines, fmt.Sprintf("features %d", f.table.D))
	case "csv":
		lines = append(lines, fmt.Sprintf("label %q header %s comma %q", o.csv.Label, o.csv.Header, o.csv.Comma))
	}
	if f.labels != "" {
		lines = append(lines, "labels "+f.labels)
	}
	return lines
}

// sameHeader refuses columns in another order than the training file's.
func sameHeader(train, test []string) error {
	if train == nil || test == nil || len(train) != len(test) {
		return nil // another number of columns is told by the features
	}
	for i := range train {
		if train[i] != test[i] {
			return fmt.Errorf("column %d is %q, in the training file %q", i+1, test[i], train[i])
		}
	}
	return nil
}

func readIDXTable(r io.Reader, path string, features int) (*Table, error) {
	x, err := ReadIDX(r, path)
	if err != nil {
		return nil, err
	}
	n, d := x.shape()
	if features > 0 && d != features {
		return nil, &SyntaxError{File: path, Msg: fmt.Sprintf("%d features, want %d", d, features)}
	}
	t := &Table{N: n, D: d, data: make([]float64, n*d)}
	x.Float64sTo(t.data)
	return t, nil
}
