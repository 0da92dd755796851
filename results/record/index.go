package record

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"

	"stochopt/internal/disk"
)

// indexFile holds what is known of the lines of large files without decoding them: of a run
// all but its curve, of a timing its totals. It is derived from them and never the truth: a
// part of it counts while the file that it is of has the bytes that it was made from, by
// their number and checksum, and is made anew from the file where it does not.
const indexFile = ".index"

// leastIndexed is the size from which on files have an index, in bytes.
var leastIndexed int64 = 1 << 20

// indexHead begins an index of this format.
const indexHead = "stochopt index 2\n"

// fingerprint tells the bytes of a file from others.
type fingerprint struct {
	size int64
	crc  uint32
}

// fingerprintOf reads a file.
func fingerprintOf(f io.Reader) (fingerprint, error) {
	sum := crc32.New(castagnoli)
	n, err := io.CopyBuffer(sum, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return fingerprint{n, sum.Sum32()}, err
}

// section is the part of an index that is of one file.
type section struct {
	fingerprint
	count int
	// tables hold texts that several lines have in common.
	tables [3]table
	// entries has, for each line, its key, the numbers of its texts and what else is kept.
	entries []byte
	numbers numbers
}

// table is a list of texts, each there once.
type table struct {
	texts []string
	at    map[string]uint64
}

// number returns the place of a text, which it adds if need be.
func (t *table) number(text string) uint64 {
	i, ok := t.at[text]
	if !ok {
		if t.at == nil {
			t.at = make(map[string]uint64)
		}
		i = uint64(len(t.texts))
		t.at[text] = i
		t.texts = append(t.texts, text)
	}
	return i
}

// keyBytes is the length of the keys that package record makes.
const keyBytes = 16

// add adds the entry of a line.
func (s *section) add(key string, numbers ...uint64) {
	raw, err := hex.DecodeString(key)
	if err == nil && len(raw) == keyBytes && hex.EncodeToString(raw) == key {
		s.entries = append(append(s.entries, 0), raw...)
	} else {
		s.entries = append(binary.AppendUvarint(s.entries, uint64(len(key))), key...)
	}
	for _, n := range numbers {
		s.entries = binary.AppendUvarint(s.entries, n)
	}
}

var errIndex = errors.New("the index is malformed")

// each hands the entries to take, with so many numbers each. Their keys, where they are those
// of runs, are the texts that these have.
func (s *section) each(width int, runs []Run, take func(key string, numbers []uint64) error) error {
	rest, numbers := s.entries, make([]uint64, width)
	var digits [2 * keyBytes]byte
	for i := range s.count {
		n, used := binary.Uvarint(rest)
		if used <= 0 || n > uint64(len(rest)) {
			return errIndex
		}
		rest = rest[used:]
		long := int(n)
		if n == 0 {
			long = keyBytes
		}
		if long > len(rest) {
			return errIndex
		}
		text := rest[:long]
		if rest = rest[long:]; n == 0 {
			text = hex.AppendEncode(digits[:0], text)
		}
		key := ""
		if i < len(runs) && runs[i].Key == string(text) {
			key = runs[i].Key
		} else {
			key = string(text)
		}
		for i := range numbers {
			n, used := binary.Uvarint(rest)
			if used <= 0 {
				return errIndex
			}
			numbers[i], rest = n, rest[used:]
		}
		if err := take(key, numbers); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		return errIndex
	}
	return nil
}

// indexed are the files that an index is of.
var indexed = []string{ArchiveFile, RunsFile, TimingsFile, PlanFile}

// index holds sections by the names of their files.
type index map[string]*section

// readIndex reads the index of a folder. One that is not there, damaged or of another format
// is empty.
func readIndex(dir string) index {
	// An index is smaller than what it is of.
	most := 0
	for _, name := range indexed {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			most += int(info.Size())
		}
	}
	data, err := disk.ReadFile(filepath.Join(dir, indexFile), most)
	if err != nil {
		return index{}
	}
	x, err := decodeIndex(data)
	if err != nil {
		return index{}
	}
	return x
}

func decodeIndex(data []byte) (index, error) {
	body := len(data) - crc32.Size
	if body < len(indexHead) || string(data[:len(indexHead)]) != indexHead ||
		crc32.Checksum(data[:body], castagnoli) != binary.BigEndian.Uint32(data[body:]) {
		return nil, errIndex
	}
	in := cursor{rest: data[len(indexHead):body]}
	x := index{}
	for len(in.rest) > 0 && !in.bad {
		s := &section{}
		name := string(in.text())
		s.size, s.crc = int64(in.number()), uint32(in.number())
		s.count = int(in.number())
		for i := range s.tables {
			for range in.number() {
				if in.bad {
					return nil, errIndex
				}
				s.tables[i].texts = append(s.tables[i].texts, string(in.text()))
			}
		}
		s.entries = in.text()
		for range in.number() {
			if in.bad {
				break
			}
			in.numbers(s)
		}
		// An entry has a byte at least.
		in.bad = in.bad || s.count < 0 || s.count > len(s.entries)
		x[name] = s
	}
	if in.bad {
		return nil, errIndex
	}
	return x, nil
}

// cursor reads the numbers and texts of an index; bad is set where there are none.
type cursor struct {
	rest []byte
	bad  bool
}

func (c *cursor) number() uint64 {
	n, used := binary.Uvarint(c.rest)
	if c.bad = c.bad || used <= 0; c.bad {
		return 0
	}
	c.rest = c.rest[used:]
	return n
}

// numbers reads a named list of numbers.
func (c *cursor) numbers(s *section) {
	name, raw := string(c.text()), c.text()
	list := make([]float64, len(raw)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.BigEndian.Uint64(raw[8*i:]))
	}
	if s.numbers == nil {
		s.numbers = numbers{}
	}
	s.numbers[name] = list
}

func (c *cursor) text() []byte {
	n := c.number()
	if c.bad = c.bad || n > uint64(len(c.rest)); c.bad {
		return nil
	}
	text := c.rest[:n:n]
	c.rest = c.rest[n:]
	return text
}

// write replaces the index of a folder.
func (x index) write(dir string) error {
	out := []byte(indexHead)
	text := func(t string) { out = append(binary.AppendUvarint(out, uint64(len(t))), t...) }
	for _, name := range indexed {
		s, ok := x[name]
		if !ok {
			continue
		}
		text(name)
		for _, n := range []uint64{uint64(s.size), uint64(s.crc), uint64(s.count)} {
			out = binary.AppendUvarint(out, n)
		}
		for _, t := range s.tables {
			out = binary.AppendUvarint(out, uint64(len(t.texts)))
			for _, t := range t.texts {
				text(t)
			}
		}
		out = append(binary.AppendUvarint(out, uint64(len(s.entries))), s.entries...)
		out = binary.AppendUvarint(out, uint64(len(s.numbers)))
		for name, list := range s.numbers {
			text(name)
			out = binary.AppendUvarint(out, uint64(8*len(list)))
			for _, v := range list {
				out = binary.BigEndian.AppendUint64(out, math.Float64bits(v))
			}
		}
	}
	out = binary.BigEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
	f, err := disk.NewPending(filepath.Join(dir, indexFile))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := f.Write(out); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
