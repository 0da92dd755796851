package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// EncodeRun returns r as a line, without the newline: canonical JSON with its checksum.
// Decoding and encoding again changes nothing. It fails on a run that is not valid.
func EncodeRun(r Run) ([]byte, error) {
	line, err := Content(r)
	if err != nil {
		return nil, err
	}
	return Seal(line), nil
}

// Content returns r as canonical JSON: two runs with equal content have equal bytes. It
// fails on a run that is not valid.
func Content(r Run) ([]byte, error) {
	r = r.whole()
	return encodeValid(r, canonical(r))
}

// encodeValid encodes what holds a run that is valid.
func encodeValid(r Run, v any) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	return encodeLine(v)
}

// decodeRun is the inverse of Content. It fails on malformed or invalid records, on fields it does not
// know, and with a *SchemaError on records of another schema.
func decodeRun(object []byte) (r Run, err error) {
	if err := checkSchema(object); err != nil {
		return r, err
	}
	if err := DecodeLine(object, &r); err != nil {
		return r, err
	}
	return r, r.Validate()
}

// checkSchema returns a *SchemaError for a run of another schema, which may well fail to decode.
func checkSchema(object []byte) error {
	var probe struct{ Schema *int }
	if json.Unmarshal(object, &probe) == nil && probe.Schema != nil && *probe.Schema != Schema {
		return &SchemaError{Schema: *probe.Schema, Known: Schema}
	}
	return nil
}

func decodeTiming(object []byte) (t Timing, err error) {
	err = DecodeLine(object, &t)
	return t, cmp.Or(err, t.validate())
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
	return fmt.Sprintf("%sresults written by schema %d; this build reads schema %d: %s", where, e.Schema, e.Known, remedy)
}

// DecodeLine decodes a line without its checksum, one JSON value and nothing else, into v,
// a pointer. It fails on fields that v does not have.
func DecodeLine(line []byte, v any) error {
	err := jsonv2.Unmarshal(line, v, jsonv2.RejectUnknownMembers(true))
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the record is cut short")
	}
	return err
}

func encodeLine(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// canonical removes what would make equal runs differ in bytes: nil maps and
// slices beside empty ones, and the bytes of an error text that are not UTF-8.
func canonical(r Run) Run {
	r.Reason = strings.ToValidUTF8(r.Reason, "\ufffd")
	r.Curve.Cost = withoutNil(r.Curve.Cost)
	metrics := make(map[string]map[string][]float64, len(r.Curve.Metrics))
	for split, columns := range r.Curve.Metrics {
		metrics[split] = withoutNil(columns)
	}
	r.Curve.Metrics = metrics
	if r.Curve.Vectors != nil {
		r.Curve.Vectors = withoutNil(r.Curve.Vectors)
	}
	r.Curve.Spectrum = slices.Clone(r.Curve.Spectrum)
	for i, row := range r.Curve.Spectrum {
		if row == nil {
			r.Curve.Spectrum[i] = []float64{}
		}
	}
	return r
}

func withoutNil[V any](columns map[string][]V) map[string][]V {
	out := make(map[string][]V, len(columns))
	for name, column := range columns {
		if column == nil {
			column = []V{}
		}
		out[name] = column
	}
	return out
}
