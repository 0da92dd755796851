package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// line is one line of a file, and what it holds or why that cannot be told.
type line[T any] struct {
	number int
	data   []byte
	// whole is false for a last line without a newline.
	whole bool
	value T
	err   error
}

// batchBytes is how much one goroutine decodes at a time.
const batchBytes = 1 << 18

// batches yields the lines of a stream that are not blank, a batch at a time. They may be
// of any length. An error, which says after which line it is, ends them.
func batches[T any](r io.Reader) iter.Seq2[[]line[T], error] {
	return func(yield func([]line[T], error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		var batch []line[T]
		size := 0
		for n := 1; ; n++ {
			data, err := in.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, fmt.Errorf("after line %d: %w", n-1, err))
				return
			}
			if len(data) == 0 {
				yield(batch, nil)
				return
			}
			data, whole := bytes.CutSuffix(data, []byte{'\n'})
			if len(bytes.TrimSpace(data)) > 0 {
				batch = append(batch, line[T]{number: n, data: data, whole: whole})
			}
			if size += len(data); size >= batchBytes {
				if !yield(batch, nil) {
					return
				}
				batch, size = nil, 0
			}
		}
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

	var read [][]line[T]
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for batch, readErr := range batches[T](f) {
		if err = readErr; err != nil {
			break
		}
		read = append(read, batch)
		workers.Go(func() error {
			for i := range batch {
				l := &batch[i]
				l.value, l.err = decode(l.data)
				l.data = nil
			}
			return nil
		})
	}
	workers.Wait()
	if err != nil {
		return nil, nil, fmt.Errorf("results: cannot read %s %w", path, err)
	}
	ignored, at, why := 0, 0, error(nil)
	for _, l := range slices.Concat(read...) {
		var schema *SchemaError
		switch {
		case l.err == nil:
			values = append(values, l.value)
		case errors.As(l.err, &schema):
			return nil, nil, &SchemaError{File: path, Line: l.number, Schema: schema.Schema}
		case torn && !l.whole:
		default:
			if ignored++; ignored == 1 {
				at, why = l.number, l.err
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
