package datasets

import (
	"cmp"
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
		if opt.Dir == "" || p == "" || filepath.IsAbs(p) {
			return p
		}
		return filepath.Join(opt.Dir, p)
	}
	most := opt.MaxBytes
	if ref.MaxBytes > 0 {
		most = ref.MaxBytes
	}
	m := newRoom(most)
	train, err := readOwn(abs(ref.Path), abs(o.labels[0]), o, m)
	if err != nil {
		return nil, &NamedError{Err: err}
	}
	name := filepath.Base(ref.Path)
	d := &Data{Name: name, Title: name, Origin: "file", Table: train.table, Parts: []PartRows{{"train", train.table.N}}}
	d.Skipped = train.skipped
	lines := train.lines(o)
	if ref.Test != "" {
		o.csv.train = train.table
		test, err := readOwn(abs(ref.Test), abs(o.labels[1]), o, m)
		if f := FormatOf(ref.Test); err != nil && f != "" && f != o.format {
			err = fmt.Errorf("%w (the test file is read as %s, as the training file is, and by its name it is %s)", err, o.format, f)
		}
		if err != nil {
			return nil, &NamedError{Err: err}
		}
		if err := cmp.Or(sameHeader(train.header, test.header), checkTest(train.table, test.table)); err != nil {
			return nil, fmt.Errorf("dataset: %s: %w", abs(ref.Test), err)
		}
		if test.sum == train.sum {
			return nil, fmt.Errorf("dataset: %s: the test file has the content of the training file %s; "+
				"name a file of other examples, or leave test out and give a split", abs(ref.Test), abs(ref.Path))
		}
		d.Table = stack([]*Table{train.table, test.table})
		d.Parts = append(d.Parts, PartRows{"test", test.table.N})
		lines = append(append(lines, "test"), test.lines(o)...)
		d.Skipped += test.skipped
	}
	d.Hash = hashLines(append(lines, treatLines(ref)...)...)
	return d.treat(ref, opt)
}

// ownFile is a file of the user's own as read.
type ownFile struct {
	table  *Table
	header []string // of a csv file, nil without
	sum    string   // SHA-256 of the content
	labels string   // of the label file, "" without

	skipped int // rows of a csv file that were left out
}

// readOwn reads a file and, unless its name is "", the IDX file of its labels.
func readOwn(path, labels string, o pathOptions, m *room) (*ownFile, error) {
	var f *ownFile
	sum, err := readHashed(path, func(r io.Reader) (err error) {
		f, err = readTable(r, path, o, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	f.sum = sum
	if labels == "" {
		return f, nil
	}
	f.labels, err = readHashed(labels, func(r io.Reader) (err error) {
		f.table.Labels, err = readIDXLabels(r, labels, f.table.N, m)
		return err
	})
	return f, err
}

// readTable reads a table in any of the formats; of IDX, without labels. A nil room has no
// bound.
func readTable(r io.Reader, path string, o pathOptions, m *room) (*ownFile, error) {
	f := &ownFile{}
	var err error
	switch o.format {
	case "libsvm":
		f.table, err = readLIBSVM(r, path, o.csv.Features, m)
	case "csv":
		return readCSV(r, path, o.csv, m)
	default:
		f.table, err = readIDXTable(r, path, o.csv.Features, m)
	}
	return f, err
}

// lines are the lines of the hash for the file and how it was read.
func (f *ownFile) lines(o pathOptions) []string {
	lines := []string{"files " + o.format, f.sum}
	switch o.format {
	case "libsvm":
		lines = append(lines, fmt.Sprintf("features %d", f.table.D))
	case "csv":
		header := "auto"
		if o.csv.Header != nil {
			header = map[bool]string{true: "yes", false: "no"}[*o.csv.Header]
		}
		line := fmt.Sprintf("label %q header %s comma %q", o.csv.Label, header, o.csv.Comma)
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

func readIDXTable(r io.Reader, path string, features int, m *room) (*Table, error) {
	x, err := readIDX(r, path, m, nil)
	if err != nil {
		return nil, err
	}
	_, d := x.shape()
	if features > 0 && d != features {
		return nil, &SyntaxError{File: path, Msg: fmt.Sprintf("%d features, want %d", d, features)}
	}
	return x.table(), nil
}
