package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime"

	"stochopt/internal/disk"
)

// line is one line of a file, and what it holds or why that cannot be told.
type line[T any] struct {
	number int
	// offset is where it begins, size its bytes without the newline.
	offset int64
	size   int
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
		var offset int64
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
			begin := offset
			offset += int64(len(data))
			data, whole := bytes.CutSuffix(data, []byte{'\n'})
			if len(bytes.TrimSpace(data)) > 0 {
				batch = append(batch, line[T]{number: n, offset: begin, size: len(data), data: data, whole: whole})
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
	f, err := disk.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: cannot read %s: %w; restore it, or move it away", path, err)
	}
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

// Decoder decodes a line without its checksum.
type Decoder[T any] func(object []byte) (T, error)

// ReadLines decodes the lines of a file, in order. A line that is damaged is left out
// and told of; if torn is set, a last line that an interrupted write left is dropped
// silently. A record of another schema is an error.
func ReadLines[T any](path string, torn bool, decode Decoder[T]) (values []T, lines Lines, err error) {
	written, lines, err := ReadWritten(path, torn, decode)
	for _, w := range written {
		values = append(values, w.Value)
	}
	return values, lines, err
}

// ReadWritten is ReadLines, with the numbers of the lines.
func ReadWritten[T any](path string, torn bool, decode Decoder[T]) (values []Written[T], lines Lines, err error) {
	f, err := openLines(path)
	if err != nil {
		return nil, Lines{File: filepath.Base(path)}, err
	}
	defer f.Close()
	lines, err = eachLine(f, path, torn, decode, func(l *line[T]) {
		values = append(values, Written[T]{filepath.Base(path), l.number, l.value})
	})
	if err != nil {
		values = nil
	}
	return values, lines, err
}

// eachLine decodes the lines of a file and hands the sound ones to take, in order. What is
// decoded ahead of take is bounded.
func eachLine[T any](f io.Reader, path string, torn bool, decode Decoder[T], take func(*line[T])) (lines Lines, err error) {
	lines.File = filepath.Base(path)
	one := func(l *line[T]) error {
		var schema *SchemaError
		switch {
		case l.err == nil:
			take(l)
		case errors.As(l.err, &schema):
			return &SchemaError{File: path, Line: l.number, Schema: schema.Schema}
		case torn && !l.whole && cutShort(l.data):
			return nil
		default:
			lines.Damaged = append(lines.Damaged, DamagedLine{l.number, l.err.Error(), l.data})
		}
		lines.Count++
		return nil
	}
	for batch, readErr := range decodedLines(f, decode) {
		if readErr != nil {
			return lines, fmt.Errorf("results: cannot read %s %w", path, readErr)
		}
		for i := range batch {
			if err := one(&batch[i]); err != nil {
				return lines, err
			}
		}
	}
	return lines, nil
}

// decodedLines yields the lines of a stream decoded, a batch at a time and in order. A few
// batches are decoded side by side.
func decodedLines[T any](f io.Reader, decode Decoder[T]) iter.Seq2[[]line[T], error] {
	type ahead struct {
		batch []line[T]
		err   error
		done  chan struct{}
	}
	return func(yield func([]line[T], error) bool) {
		var queue []ahead
		next := func() bool {
			first := queue[0]
			queue = queue[1:]
			<-first.done
			return yield(first.batch, first.err)
		}
		for batch, err := range batches[T](f) {
			at := ahead{batch, err, make(chan struct{})}
			queue = append(queue, at)
			go func() {
				defer close(at.done)
				for i := range at.batch {
					decodeInto(&at.batch[i], decode)
				}
			}()
			if len(queue) > runtime.GOMAXPROCS(0) && !next() {
				return
			}
		}
		for len(queue) > 0 && next() {
		}
	}
}

// decodeInto decodes a line, and drops its bytes if they are sound.
func decodeInto[T any](l *line[T], decode Decoder[T]) {
	var object []byte
	if object, l.err = Unseal(l.data); l.err != nil {
		return
	}
	if l.value, l.err = decode(object); l.err == nil {
		l.data = nil
	}
}
