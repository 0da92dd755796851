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

	"stochopt/internal/disk"
)

// Files of lines, each of canonical JSON with a checksum.
const (
	// RunsFile holds runs in the order of the plan: the form that export writes. With the
	// suffix .gz it is compressed.
	RunsFile = "runs.jsonl"
	// TimingsFile may hold the timings of RunsFile.
	TimingsFile = "timings.jsonl"

	compressed = ".gz"
)

// line is one line of a file.
type line struct {
	number int
	// end is where the next line begins.
	end  int64
	data []byte
	// whole is false for a last line without a newline.
	whole bool
}

// lines yields the lines of a stream that are not blank. An error ends them.
func lines(r io.Reader) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		in := bufio.NewReaderSize(r, 1<<16)
		var end int64
		for n := 1; ; n++ {
			data, err := in.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(line{}, fmt.Errorf("after line %d: %w", n-1, err))
				return
			}
			if len(data) == 0 {
				return
			}
			end += int64(len(data))
			text, whole := bytes.CutSuffix(data, []byte{'\n'})
			if len(bytes.TrimSpace(text)) > 0 && !yield(line{n, end, text, whole}, nil) {
				return
			}
		}
	}
}

// openLines opens a file of lines, compressed if its name says so.
func openLines(path string) (io.ReadCloser, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("results: cannot read %s: %w", path, err)
	}
	if filepath.Ext(path) != compressed {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("results: cannot read %s: %w; restore it or make it again", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// readText decodes the lines of a file. What is damaged is left out, and said; a record of another
// schema is an error.
func readText[T any](path string, decode func([]byte) (T, error), take func(T)) (damage []string, err error) {
	f, err := openLines(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for l, err := range lines(f) {
		if err != nil {
			return damage, fmt.Errorf("results: cannot read %s %w", path, err)
		}
		var v T
		object, err := Unseal(l.data)
		if err == nil {
			v, err = decode(object)
		}
		var schema *SchemaError
		switch {
		case errors.As(err, &schema):
			schema.File, schema.Line = path, l.number
			return damage, schema
		case err != nil:
			damage = append(damage, fmt.Sprintf("%s:%d: %v", path, l.number, err))
		default:
			take(v)
		}
	}
	return damage, nil
}

// readTextFolder reads a folder of text: RunsFile, and TimingsFile if it is there.
func readTextFolder(dir string) (runs []Run, damage []string, err error) {
	path := textFile(dir, RunsFile)
	if path == "" {
		return nil, nil, nil
	}
	damage, err = readText(path, decodeRun, func(r Run) { runs = append(runs, r) })
	if err != nil {
		return nil, nil, err
	}
	path = textFile(dir, TimingsFile)
	if path == "" {
		return runs, damage, nil
	}
	timings := map[ref]Timing{}
	more, err := readText(path, decodeTiming, func(t Timing) { timings[ref{t.Key, t.Extent}] = t })
	for i := range runs {
		if t, ok := timings[runs[i].ref()]; ok {
			runs[i] = runs[i].Timed(t)
		}
	}
	return runs, append(damage, more...), err
}

// textFile returns the path of a file of a folder, compressed or not, "" if there is none.
func textFile(dir, name string) string {
	for _, suffix := range []string{"", compressed} {
		path := filepath.Join(dir, name+suffix)
		if f, err := disk.Open(path); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				f.Close()
			}
			return path
		}
	}
	return ""
}

// WriteRuns writes runs as lines, in their order: equal runs give equal bytes.
func WriteRuns(w io.Writer, runs []Run) error {
	for i := range runs {
		text, err := EncodeRun(runs[i])
		if err != nil {
			return err
		}
		if _, err := w.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return nil
}
