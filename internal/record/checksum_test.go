package record

import (
	"bytes"
	"slices"
	"testing"
)

// Unseal inverts Seal for all lines and detects every flipped bit.
func FuzzUnseal(f *testing.F) {
	for _, line := range []string{`{"a":1}`, `{"a":"\"}"}`, `{"a":{"b":[1,2]},"crc32c":"00000000"}`, "{}", "", "x"} {
		f.Add([]byte(line), uint16(7))
	}
	f.Fuzz(func(t *testing.T, line []byte, flip uint16) {
		if !bytes.HasSuffix(line, []byte("}")) || bytes.Contains(line, []byte("crc32c")) {
			return
		}
		sealed := Seal(slices.Clone(line))
		object, err := Unseal(sealed)
		if err != nil || !bytes.Equal(object, line) {
			t.Fatalf("%q is sealed as %q and read as %q, %v", line, sealed, object, err)
		}
		at := int(flip) / 8 % len(sealed)
		sealed[at] ^= 1 << (flip % 8)
		if object, err := Unseal(sealed); err == nil {
			t.Fatalf("a flipped bit is not detected: %q is read as %q", sealed, object)
		}
	})
}
