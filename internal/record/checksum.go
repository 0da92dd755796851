package record

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
)

// A line with a checksum ends in a field that holds the CRC-32C of all its other bytes
// as eight hexadecimal digits. It is the last field and of fixed length, so that it is
// checked without decoding anything.
const (
	sumHead   = `,"crc32c":"`
	sumDigits = 8
	sumTail   = `"}`
	sumLength = len(sumHead) + sumDigits + len(sumTail)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the digits for an object without its closing brace.
func sum(fields []byte) []byte {
	crc := crc32.Update(crc32.Checksum(fields, castagnoli), castagnoli, []byte{'}'})
	return hex.AppendEncode(nil, binary.BigEndian.AppendUint32(nil, crc))
}

// Seal returns a line, a JSON object with at least one field, with its checksum added. It
// may overwrite what follows the line in its array.
func Seal(line []byte) []byte {
	fields := bytes.TrimSuffix(line, []byte{'}'})
	digits := sum(fields)
	return append(append(append(fields, sumHead...), digits...), sumTail...)
}

// Unseal checks the checksum of a line and returns the line without it.
func Unseal(line []byte) (object []byte, err error) {
	at := len(line) - sumLength
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sumHead)) || !bytes.HasSuffix(line, []byte(sumTail)) {
		return nil, errors.New("its checksum is missing")
	}
	fields, digits := line[:at:at], line[at+len(sumHead):at+len(sumHead)+sumDigits]
	if want := sum(fields); !bytes.Equal(digits, want) {
		return nil, fmt.Errorf("its checksum is %q and should be %q", digits, want)
	}
	return append(fields, '}'), nil
}

// sumText returns the CRC-32C of a text as hexadecimal digits.
func sumText(text []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) }
