package datasets

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"stochopt/internal/disk"
)

// bzip2Block begins the first block of a bzip2 file, after "BZh" and a digit.
const bzip2Block = "1AY&SY"

// decompress returns a reader of the content of r: decompressed if r begins
// with the magic bytes of gzip or bzip2, as it is otherwise.
func decompress(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic, err := br.Peek(4 + len(bzip2Block))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(magic) >= 2 && magic[0] == 0x1f && magic[1] == 0x8b:
		z, err := gzip.NewReader(br)
		if err == io.EOF { // in the header
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, damaged("gzip", err)
		}
		return &decompressor{z, "gzip"}, nil
	case len(magic) == 4+len(bzip2Block) && string(magic[:3]) == "BZh" && string(magic[4:]) == bzip2Block:
		return &decompressor{bzip2.NewReader(br), "bzip2"}, nil
	}
	for _, other := range archives {
		if strings.HasPrefix(string(magic), other.magic) {
			return nil, fmt.Errorf("this is %s, which is not read here: unpack it first, or compress it by gzip or bzip2", other.name)
		}
	}
	return br, nil
}

// archives holds how files begin that no format of data begins with.
var archives = []struct{ magic, name string }{
	{"PK\x03\x04", "a ZIP archive"}, {"\xfd7zXZ\x00", "an XZ file"}, {"\x28\xb5\x2f\xfd", "a Zstandard file"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive"}, {"\x93NUMPY", "a NumPy array"},
}

// decompressor says of what went wrong that it was the compression.
type decompressor struct {
	io.Reader
	kind string
}

func (d *decompressor) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(d.kind, err)
	}
	return n, err
}

func damaged(kind string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the %s data end early: the file is truncated, get it again", kind)
	}
	return fmt.Errorf("damaged %s data (%w): get the file again", kind, err)
}

// readFile calls read with the decompressed content of the file at path.
func readFile(path string, read func(io.Reader) error) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := decompress(f)
	if err != nil {
		return &SyntaxError{File: path, Msg: err.Error(), Err: err}
	}
	return read(r)
}
