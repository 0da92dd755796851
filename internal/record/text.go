package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stochopt/internal/disk"
)

// Files of lines, each of canonical JSON with a checksum.
const (
	// RunsFile holds runs in the order of the plan: the form that export writes. With the suffix
	// .gz it is compressed.
	RunsFile = "runs.jsonl"

	compressed = ".gz"
)

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

// readText decodes the lines of a file and hands them to take. What is damaged is left out, and
// said; a record of another schema is an error. If torn is set, a last line without a newline is
// not looked at: a write that goes on, or that a kill has interrupted.
func readText[T any](path string, torn bool, decode func([]byte) (T, error), take func(T)) (damage []string, err error) {
	f, err := openLines(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		line, readErr := in.ReadBytes('\n')
		line, whole := bytes.CutSuffix(line, []byte{'\n'})
		if len(bytes.TrimSpace(line)) > 0 && (whole || !torn) {
			var v T
			object, err := Unseal(line)
			if err == nil {
				v, err = decode(object)
			}
			var schema *SchemaError
			switch {
			case errors.As(err, &schema):
				schema.File, schema.Line = path, n
				return damage, schema
			case err != nil:
				damage = append(damage, fmt.Sprintf("%s:%d: %v", path, n, err))
			default:
				take(v)
			}
		}
		if errors.Is(readErr, io.EOF) {
			return damage, nil
		}
		if readErr != nil {
			return damage, fmt.Errorf("results: cannot read %s after line %d: %w", path, n-1, readErr)
		}
	}
}

// readTextFolder reads a folder of text.
func readTextFolder(dir string) (runs []Run, damage []string, err error) {
	path := runsFile(dir)
	if path == "" {
		return nil, nil, nil
	}
	damage, err = readText(path, false, decodeRun, func(r Run) { runs = append(runs, r) })
	return runs, damage, err
}

// runsFile returns the path of the runs of a folder as text, compressed or not, "" if there are none.
func runsFile(dir string) string {
	for _, suffix := range []string{"", compressed} {
		path := filepath.Join(dir, RunsFile+suffix)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
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
