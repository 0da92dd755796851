package disk

import (
	"compress/gzip"
	"io"
)

// ReadCompressed is ReadFile of a file that is compressed by gzip; most bounds what it holds.
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

// WriteCompressed is WriteBy, compressed by gzip, without a name or a time: the same
// contents give the same bytes.
func WriteCompressed(dir, name string, write func(w io.Writer) error) error {
	return WriteBy(dir, name, func(out io.Writer) error {
		z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			return err
		}
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	})
}
