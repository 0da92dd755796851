package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// lineReader yields the lines of a stream with their numbers. Lines may be of
// any length.
type lineReader struct {
	r *bufio.Reader
	n int
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 1<<16)}
}

// rawLine is one line without its newline.
type rawLine struct {
	number int
	data   []byte
	// whole is false for a last line without a newline.
	whole bool
}

// next returns the next line that is not blank, and io.EOF after the last one.
// The caller owns the data.
func (l *lineReader) next() (rawLine, error) {
	for {
		data, err := l.r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return rawLine{}, err
		}
		if len(data) == 0 {
			return rawLine{}, io.EOF
		}
		l.n++
		whole := data[len(data)-1] == '\n'
		if whole {
			data = data[:len(data)-1]
		}
		if len(bytes.TrimSpace(data)) > 0 {
			return rawLine{number: l.n, data: data, whole: whole}, nil
		}
	}
}

// batchBytes is how much one goroutine decodes at a time.
const batchBytes = 1 << 18

type batch[T any] struct {
	lines  []rawLine
	values []T
	errs   []error
}

func (b *batch[T]) decode(decode func([]byte) (T, error)) {
	b.values = make([]T, len(b.lines))
	b.errs = make([]error, len(b.lines))
	for i := range b.lines {
		b.values[i], b.errs[i] = decode(b.lines[i].data)
		b.lines[i].data = nil
	}
}

// openLines opens a file of lines, which gzip compressed if its name says so. A file that
// was cut short or damaged is an error, now or when what is left of it is read.
func openLines(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || filepath.Ext(path) != ".gz" {
		return f, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return nil, fmt.Errorf("results: cannot read %s: %w; restore it or make it anew", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// readRecords decodes the lines of a file, in order. A line that cannot be
// decoded is left out, which a warning tells of the file, and reading goes on; if torn is
// set, a last line without a newline, which an interrupted write leaves, is
// dropped silently. A record of another schema is an error.
func readRecords[T any](path string, torn bool, decode func([]byte) (T, error)) (values []T, warnings []string, err error) {
	f, err := openLines(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()

	var batches []*batch[T]
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	launch := func(b *batch[T]) {
		batches = append(batches, b)
		workers.Go(func() error {
			b.decode(decode)
			return nil
		})
	}
	current, size := new(batch[T]), 0
	lines := newLineReader(f)
	var readErr error
	for {
		line, err := lines.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				readErr = fmt.Errorf("results: cannot read %s after line %d: %w", path, lines.n, err)
			}
			break
		}
		current.lines = append(current.lines, line)
		if size += len(line.data); size >= batchBytes {
			launch(current)
			current, size = new(batch[T]), 0
		}
	}
	launch(current)
	if err := workers.Wait(); err != nil {
		return nil, nil, err
	}
	if readErr != nil {
		return nil, nil, readErr
	}
	ignored, at, why := 0, 0, error(nil)
	for _, b := range batches {
		for i, line := range b.lines {
			err := b.errs[i]
			var schema *SchemaError
			switch {
			case err == nil:
				values = append(values, b.values[i])
			case errors.As(err, &schema):
				return nil, nil, &SchemaError{File: path, Line: line.number, Schema: schema.Schema}
			case torn && !line.whole:
			default:
				if ignored++; ignored == 1 {
					at, why = line.number, err
				}
			}
		}
	}
	switch {
	case ignored == 1:
		warnings = append(warnings, fmt.Sprintf("%s:%d: line ignored: %v", path, at, why))
	case ignored > 1:
		warnings = append(warnings, fmt.Sprintf("%s: %d lines ignored, the first at line %d: %v", path, ignored, at, why))
	}
	return values, warnings, nil
}
