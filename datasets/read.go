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

// readFile calls read with the decompressed content of the file at path. It writes all of the content
// to sum, even if read stops early without an error.
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

// decompress returns a reader of the decompressed content of r. It detects the compression, "gzip",
// "bzip2" or "", from the first bytes.
func decompress(r io.Reader) (content io.Reader, compression string, err error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic, err := br.Peek(10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", err
	}
	hasPrefix := func(prefix string) bool { return strings.HasPrefix(string(magic), prefix) }
	switch {
	case hasPrefix("\x1f\x8b"):
		z, err := gzip.NewReader(br)
		if err == io.EOF { // truncated header
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, "", damaged("gzip", err)
		}
		return &decompressor{z, "gzip"}, "gzip", nil
	case hasPrefix("BZh") && strings.HasSuffix(string(magic), "1AY&SY"): // a digit, then the first block
		return &decompressor{bzip2.NewReader(br), "bzip2"}, "bzip2", nil
	}
	for _, other := range archives {
		if hasPrefix(other.magic) {
			return nil, "", fmt.Errorf("this is %s, which is not supported: unpack it, or compress it with gzip or bzip2", other.name)
		}
	}
	return br, "", nil
}

// archives lists the first bytes of formats that are not supported.
var archives = []struct{ magic, name string }{
	{"PK\x03\x04", "a ZIP archive"}, {"\xfd7zXZ\x00", "an XZ file"}, {"\x28\xb5\x2f\xfd", "a Zstandard file"},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
}

// decompressor adds the kind of compression to errors.
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
		return fmt.Errorf("truncated %s data: get the file again", kind)
	}
	return fmt.Errorf("damaged %s data (%w): get the file again", kind, err)
}

// budget limits the memory of rows while they are read.
type budget struct{ most, used int64 }

// newBudget returns a budget of most bytes; 0 means no limit.
func newBudget(most int64) *budget { return &budget{most: cmp.Or(most, math.MaxInt64)} }

// use adds to the memory in use. It returns an error if that exceeds the budget.
func (m *budget) use(bytes int64) error {
	if bytes > m.most-m.used {
		return fmt.Errorf("the rows take more than the limit of %s of memory: use fewer rows or features, or raise --memory",
			humanize.IBytes(uint64(m.most)))
	}
	m.used += bytes
	return nil
}

// lineShare divides the budget to give the longest line. Splitting a line into fields takes up to
// lineShare times the memory of its text.
const lineShare = 64

// lines limits the length of the lines read from r. A quoted field with line breaks counts as one
// line. The caller calls next before each line.
type lines struct {
	r          io.Reader
	most, left int64
}

// lines returns a reader of the lines of a text, without a byte order mark at the start.
func (m *budget) lines(r io.Reader) (*lines, *bufio.Reader, error) {
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

// checkUTF8 returns an error if a text looks like UTF-16: if it begins with the byte order mark, or if
// each of the first two characters contains one zero byte.
func checkUTF8(head []byte) error {
	mark := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	if len(head) >= 4 && (head[0] == 0) != (head[1] == 0) && (head[2] == 0) != (head[3] == 0) || mark {
		return errors.New("the text is UTF-16, which is not supported: save it as UTF-8, " +
			"for example with `iconv -f UTF-16 -t UTF-8 FILE > NEW`")
	}
	return nil
}

func (l *lines) next() { l.left = l.most }

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the line, or a quoted field, is longer than the limit of %s: "+
			"the file may be binary or use an unsupported compression; otherwise raise --memory", humanize.IBytes(uint64(l.most)))
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

// quote quotes a piece of a file for a message, shortened to 40 bytes.
func quote(s []byte) string {
	const most = 40
	if len(s) > most {
		return strconv.Quote(string(s[:most]) + "…")
	}
	return strconv.Quote(string(s))
}
