package datasets

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Decompress returns a reader of the content of r: decompressed if r begins
// with the magic bytes of gzip, as it is otherwise.
func Decompress(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic, err := br.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return br, nil
	}
	z, err := gzip.NewReader(br)
	if err != nil {
		return nil, gzipError(err)
	}
	return &gzipReader{z}, nil
}

// gzipReader says of what went wrong that it was the compression.
type gzipReader struct{ z *gzip.Reader }

func (g *gzipReader) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

func gzipError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the gzip data end early: the file is truncated, get it again")
	}
	return fmt.Errorf("damaged gzip data (%w): get the file again", err)
}

// readFile calls read with the decompressed content of the file at path.
func readFile(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := Decompress(f)
	if err != nil {
		return &SyntaxError{File: path, Msg: err.Error(), Err: err}
	}
	return read(r)
}
