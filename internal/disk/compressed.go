package disk

import (
	"compress/gzip"
	"io"
)

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
