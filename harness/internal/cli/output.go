package cli

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stochopt/internal/disk"
)

// printJSON writes v for scripts.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// checkOutput reports why the file that -o names cannot be written, as far as that can
// be told before there is anything to write.
func checkOutput(path string) error { return checkOutputOf("-o", path) }

// checkOutputOf is checkOutput of another flag.
func checkOutputOf(flag, path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("cannot write %s: there is no folder %s; name a file in a folder that is there with %s", path, filepath.Dir(path), flag)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("cannot write %s: it is a folder; name a file with %s", path, flag)
	}
	return nil
}

// writeOutput writes the file that -o names, which checkOutput has let pass, whole or not
// at all; a device or a pipe as it is.
func writeOutput(path string, data []byte) error {
	err := writeOutputBy(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return usagef("cannot write %s: %w; free space or name another file with -o", path, cause(err))
	}
	return nil
}

// writeOutputBy is writeOutput of what a function writes.
func writeOutputBy(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return disk.WriteBy(filepath.Dir(path), filepath.Base(path), write)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// cause strips an error of a file system of the path, which may be a temporary one.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
