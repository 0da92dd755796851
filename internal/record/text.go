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

const (
	// RunsFile is the text written by export: one run per line, in the order of the plan. With the
	// suffix .gz it is compressed.
	RunsFile = "runs.jsonl"

	compressed = ".gz"
)

// openLines opens a text file, compressed or not according to its name.
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
		return nil, fmt.Errorf("results: cannot read %s: %w; restore the file or export it again", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// readText decodes the lines of a file and calls add for each. It omits and reports damaged lines, but
// a record of another schema is an error. If incomplete is set, it ignores a last line without a
// newline, which may be an unfinished write.
func readText[T any](path string, incomplete bool, decode func([]byte) (T, error), add func(T)) (damage []string, err error) {
	f, err := openLines(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		line, readErr := in.ReadBytes('\n')
		line, whole := bytes.CutSuffix(line, []byte{'\n'})
		if len(bytes.TrimSpace(line)) > 0 && (whole || !incomplete) {
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
				add(v)
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

// readTextFolder reads the runs of a folder that has no database.
func readTextFolder(dir string) (runs []Run, damage []string, err error) {
	path := runsFile(dir)
	if path == "" {
		return nil, nil, nil
	}
	damage, err = readText(path, false, decodeRun, func(r Run) { runs = append(runs, r) })
	return runs, damage, err
}

// runsFile returns the path of RunsFile in a folder, compressed or not, or "" if there is no such file.
func runsFile(dir string) string {
	for _, suffix := range []string{"", compressed} {
		path := filepath.Join(dir, RunsFile+suffix)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return ""
}

// WriteRuns writes runs as lines, in their order. Equal runs give equal bytes.
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
