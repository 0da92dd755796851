package datasets

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize"
)

// room is how much memory what is read from files may take. A nil one has no bound.
type room struct{ most, taken int64 }

// newRoom returns room for so many bytes, without bound if they are 0.
func newRoom(most int64) *room {
	if most <= 0 {
		return nil
	}
	return &room{most: most}
}

// take asks for memory: an error if there is no room for it.
func (m *room) take(bytes int64) error {
	if m == nil {
		return nil
	}
	if bytes > m.most-m.taken {
		return fmt.Errorf("the rows take more than %s of memory, the most that they may: use fewer rows or features, or give the dataset max_bytes, or the program --memory, of more", humanize.IBytes(uint64(m.most)))
	}
	m.taken += bytes
	return nil
}

// lineShare is the share of the room that a line may have: splitting it into fields takes
// up to so many times as much as its text.
const lineShare = 64

// lines bounds the length of the lines that are read from r, or of the fields in quotes
// that go over several lines: what reads them calls next after each.
type lines struct {
	r          io.Reader
	most, left int64 // no bound if most is 0
}

func (m *room) lines(r io.Reader) *lines {
	l := &lines{r: r}
	if m != nil {
		l.most = max(m.most/lineShare, 1<<20)
	}
	l.next()
	return l
}

func (l *lines) next() { l.left = l.most }

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	if l.most > 0 && l.left <= 0 {
		return 0, fmt.Errorf("the line, or a text in quotes, is longer than %s, the most that one may be here: it may be no text, or compressed otherwise than its name says; or give the dataset max_bytes, or the program --memory, of more",
			humanize.IBytes(uint64(l.most)))
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}
