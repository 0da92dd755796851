package disk

import (
	"compress/gzip"
	"io"
	"io/fs"
)

// ReadCompressed reads a gzip file. Its content must not exceed most bytes, as in ReadFile. Errors name the file.
func ReadCompressed(path string, most int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data []byte
	z, err := gzip.NewReader(f)
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(z, int64(most)+1))
	}
	if err == nil && len(data) > most {
		err = tooLong(most)
	}
	if err != nil {
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, err
}
