package disk

import (
	"compress/gzip"
	"io"
)

// ReadCompressed reads a gzip file. Its content must not exceed most bytes, as in ReadFile.
func ReadCompressed(path string, most int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(z, int64(most)+1))
	if err == nil && len(data) > most {
		err = tooLong(most)
	}
	return data, err
}
