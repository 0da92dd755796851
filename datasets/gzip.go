package datasets

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Decompress returns a reader of the content of r: decompressed if r begins
// with the magic bytes of gzip or bzip2, as it is otherwise.
func Decompress(r io.Reader) (io.Reader, error) {
	content, _, err := decompress(r)
	return content, err
}

// bzip2Block begins the first block of a bzip2 file, after "BZh" and a digit.
const bzip2Block = "1AY&SY"

// decompress is Decompress that also says whether r is compressed.
func decompress(r io.Reader) (content io.Reader, compressed bool, err error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic, err := br.Peek(4 + len(bzip2Block))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	switch {
	case len(magic) >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, true, gzipError(err)
		}
		return &gzipReader{z}, true, nil
	case len(magic) == 4+len(bzip2Block) && string(magic[:3]) == "BZh" && string(magic[4:]) == bzip2Block:
		return &bzip2Reader{bzip2.NewReader(br)}, true, nil
	}
	return br, false, nil
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

// bzip2Reader does the same for bzip2.
type bzip2Reader struct{ z io.Reader }

func (b *bzip2Reader) Read(p []byte) (int, error) {
	n, err := b.z.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the bzip2 data end early: the file is truncated, get it again")
	} else if err != nil && err != io.EOF {
		err = fmt.Errorf("damaged bzip2 data (%w): get the file again", err)
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
