package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"stochopt/internal/disk"
	"stochopt/internal/finite"

	"github.com/dustin/go-humanize"
)

// readFile calls read with the decompressed content of the file at path. sum gets all of it, even
// if read stops early.
func readFile(path string, sum io.Writer, read func(io.Reader) error) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, _, err := decompress(f)
	if err != nil {
		return syntaxError(path, 0, "%w", err)
	}
	r = io.TeeReader(r, sum)
	if err := read(r); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

// decompress returns a reader of the content of r, and how it is compressed, "gzip", "bzip2" or
// "", by its first bytes.
func decompress(r io.Reader) (content io.Reader, compression string, err error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic, err := br.Peek(10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	begins := func(with string) bool { return strings.HasPrefix(string(magic), with) }
	switch {
	case begins("\x1f\x8b"):
		z, err := gzip.NewReader(br)
		if err == io.EOF { // in the header
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, "", damaged("gzip", err)
		}
		return &decompressor{z, "gzip"}, "gzip", nil
	case begins("BZh") && strings.HasSuffix(string(magic), "1AY&SY"): // a digit, and the first block
		return &decompressor{bzip2.NewReader(br), "bzip2"}, "bzip2", nil
	}
	for _, other := range archives {
		if begins(other.magic) {
			return nil, "", fmt.Errorf("this is %s, which is not read here: unpack it first, or compress it by gzip or bzip2", other.name)
		}
	}
	return br, "", nil
}

// archives holds how files begin that no format of data begins with.
var archives = []struct{ magic, name string }{
	{"PK\x03\x04", "a ZIP archive"}, {"\xfd7zXZ\x00", "an XZ file"}, {"\x28\xb5\x2f\xfd", "a Zstandard file"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
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

// room bounds the memory that the rows take which are read from files.
type room struct{ most, taken int64 }

// newRoom returns room for most bytes, without bound if most is 0.
func newRoom(most int64) *room { return &room{most: cmp.Or(most, math.MaxInt64)} }

// take asks for memory: an error if there is no room for it.
func (m *room) take(bytes int64) error {
	if bytes > m.most-m.taken {
		return fmt.Errorf("the rows take more than %s of memory, the most that they may: use fewer rows or features, or give --memory more",
			humanize.IBytes(uint64(m.most)))
	}
	m.taken += bytes
	return nil
}

// lineShare is the share of the room that a line may have: splitting it into fields takes
// up to lineShare times as much as its text.
const lineShare = 64

// lines bounds the length of the lines that are read from r, or of the fields in quotes
// that go over several lines: what reads them calls next before each.
type lines struct {
	r          io.Reader
	most, left int64
}

// lines returns the lines of a text, after the byte order mark that some editors put first.
func (m *room) lines(r io.Reader) (*lines, *bufio.Reader, error) {
	l := &lines{r: r, most: max(m.most/lineShare, 1<<20)}
	l.next()
	br := bufio.NewReaderSize(l, headBytes)
	head, err := br.Peek(len(npyMagic))
	if strings.HasPrefix(string(head), "\ufeff") {
		_, err = br.Discard(3) // cannot fail: peeked
	}
	if err == nil || err == io.EOF { // a short file
		err = checkUTF8(head)
	}
	if string(head) == npyMagic {
		err = errors.New("this is a NumPy array: set `format: npy`")
	}
	return l, br, err
}

// checkUTF8 returns an error if a text begins like UTF-16: with its byte order mark, or with a zero
// byte in each of the first two characters.
func checkUTF8(head []byte) error {
	mark := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	if len(head) >= 4 && (head[0] == 0) != (head[1] == 0) && (head[2] == 0) != (head[3] == 0) || mark {
		return errors.New("the text is UTF-16, which is not read here: save it as UTF-8, " +
			"for example by `iconv -f UTF-16 -t UTF-8 FILE > NEW`")
	}
	return nil
}

func (l *lines) next() { l.left = l.most }

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the line, or a text in quotes, is longer than %s, the most that one may be here: "+
			"it may be no text, or compressed otherwise than its name says; or give --memory more", humanize.IBytes(uint64(l.most)))
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}

// parseNumber reads a finite decimal number.
func parseNumber(s []byte) (float64, error) {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return float64(s[0] - '0'), nil
	}
	v, err := strconv.ParseFloat(string(s), 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && !finite.Is(v):
		return 0, fmt.Errorf("%s is not a finite number", quote(s))
	case err != nil || bytes.ContainsAny(s, "xX_"):
		return 0, fmt.Errorf("%s is not a number", quote(s))
	}
	return v, nil
}

// quote shows a piece of a file, shortened.
func quote(s []byte) string {
	const most = 40
	if len(s) > most {
		return strconv.Quote(string(s[:most]) + "…")
	}
	return strconv.Quote(string(s))
}
