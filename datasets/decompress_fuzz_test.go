package datasets

import (
	"bytes"
	"io"
	"testing"
)

// Decompression gives back what was compressed. A file that is cut short or damaged is an error, never a shorter
// content, and a file that is not compressed is read unchanged.
func FuzzDecompress(f *testing.F) {
	f.Add([]byte("+1 1:2\n"), uint16(3), byte(1))
	f.Add([]byte{0x1f, 0x8b}, uint16(30), byte(0))
	f.Add([]byte("BZh91AY&SY"), uint16(0), byte(0x80))
	f.Add(bytes.Repeat([]byte{'0'}, 5000), uint16(12), byte(0xff))
	f.Fuzz(func(t *testing.T, data []byte, at uint16, flip byte) {
		packed := gzipped(data)
		if got, err := decompressed(packed); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%q is read as %q (%v)", data, got, err)
		}
		cut := 2 + int(at)%(len(packed)-2)
		if got, err := decompressed(packed[:cut]); err == nil {
			t.Fatalf("cut after %d of %d bytes: %q", cut, len(packed), got)
		}
		// Of the header neither the time nor the system is checked.
		if k := 10 + int(at)%(len(packed)-10); flip != 0 {
			packed[k] ^= flip
			if got, err := decompressed(packed); err == nil && !bytes.Equal(got, data) {
				t.Fatalf("damaged at %d: %q is read as %q", k, data, got)
			}
		}
		got, err := decompressed(data)
		compressed := bytes.HasPrefix(data, []byte{0x1f, 0x8b}) || bytes.HasPrefix(data, []byte("BZh"))
		if !compressed && (err != nil || !bytes.Equal(got, data)) {
			t.Fatalf("%q is read as %q (%v)", data, got, err)
		}
	})
}

// decompressed returns what is in a file with the given bytes, of 16 MB at most.
func decompressed(data []byte) ([]byte, error) {
	r, _, err := decompress(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, 16<<20))
}
