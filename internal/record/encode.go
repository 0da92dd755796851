package record

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// EncodeRun returns r as a line of canonical JSON with a checksum, without the newline. Decoding and
// encoding the line again gives the same bytes. EncodeRun returns an error for an invalid run.
func EncodeRun(r Run) ([]byte, error) {
	line, err := content(r)
	if err != nil {
		return nil, err
	}
	return Seal(line), nil
}

// content returns r as canonical JSON: equal runs have equal bytes. It returns an error for an invalid
// run.
func content(r Run) ([]byte, error) {
	r, err := r.withCurve()
	if err != nil {
		return nil, err
	}
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	return encodeLine(r)
}

// decodeRun is the inverse of content. It returns an error for malformed and invalid records and for
// unknown fields, and a *SchemaError for records of another schema.
func decodeRun(object []byte) (r Run, err error) {
	if err := checkSchema(object); err != nil {
		return r, err
	}
	if err := DecodeLine(object, &r); err != nil {
		return r, err
	}
	return r, r.Validate()
}

// checkSchema returns a *SchemaError for a run of another schema. It must precede decoding, which could
// fail on such a run.
func checkSchema(object []byte) error {
	var probe struct{ Schema *int }
	if json.Unmarshal(object, &probe) == nil && probe.Schema != nil && *probe.Schema != Schema {
		return &SchemaError{Schema: *probe.Schema, Known: Schema}
	}
	return nil
}

// SchemaError says that a record was written by another version of the format.
type SchemaError struct {
	// File and Line tell where, if known.
	File string
	Line int
	// Schema is the version found, Known that of this program.
	Schema, Known int
}

// Error implements error.
func (e *SchemaError) Error() string {
	where := ""
	switch {
	case e.Line > 0:
		where = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	case e.File != "":
		where = e.File + ": "
	}
	remedy := "use a newer build or another --out"
	if e.Schema < e.Known {
		remedy = "use an older build or another --out"
	}
	return fmt.Sprintf("%sthe results have schema %d, but this build reads schema %d: %s", where, e.Schema, e.Known, remedy)
}

// DecodeLine decodes a line without its checksum into v, a pointer. The line must be one JSON value
// without unknown fields.
func DecodeLine(line []byte, v any) error {
	err := jsonv2.Unmarshal(line, v, jsonv2.RejectUnknownMembers(true))
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the record is truncated")
	}
	return err
}

// encodeLine encodes a value as canonical JSON: equal values give equal bytes. Nil lists and maps equal
// empty ones.
func encodeLine(v any) ([]byte, error) {
	return jsonv2.Marshal(v, jsonv2.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true), jsontext.AllowInvalidUTF8(true))
}

// The checksum is the last field of a line and has fixed length, so it can be verified without
// decoding. It holds the CRC-32C of all other bytes as eight hexadecimal digits.
const (
	sumHead   = `,"crc32c":"`
	sumDigits = 8
	sumTail   = `"}`
	sumLength = len(sumHead) + sumDigits + len(sumTail)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum returns the checksum digits of an object, given without its closing brace.
func sum(fields []byte) []byte {
	crc := crc32.Update(sumOf(fields), castagnoli, []byte{'}'})
	return hex.AppendEncode(nil, binary.BigEndian.AppendUint32(nil, crc))
}

// Seal adds the checksum to a line, a JSON object with at least one field. It may overwrite the array
// behind the line, as append does.
func Seal(line []byte) []byte {
	fields := bytes.TrimSuffix(line, []byte{'}'})
	digits := sum(fields)
	return append(append(append(fields, sumHead...), digits...), sumTail...)
}

// Unseal verifies the checksum of a line and returns the line without it.
func Unseal(line []byte) (object []byte, err error) {
	at := len(line) - sumLength
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(sumHead)) || !bytes.HasSuffix(line, []byte(sumTail)) {
		return nil, errors.New("the checksum is missing")
	}
	fields, digits := line[:at:at], line[at+len(sumHead):at+len(sumHead)+sumDigits]
	if want := sum(fields); !bytes.Equal(digits, want) {
		return nil, fmt.Errorf("wrong checksum %q, want %q", digits, want)
	}
	return append(fields, '}'), nil
}

func sumOf(text []byte) uint32 { return crc32.Checksum(text, castagnoli) }

// sumText returns the CRC-32C of a text as hexadecimal digits.
func sumText(text []byte) string { return fmt.Sprintf("%08x", sumOf(text)) }
