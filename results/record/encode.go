package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
)

// EncodeRun returns the canonical form of r: one line of JSON, without the
// newline. Two runs with equal content have equal bytes, and decoding and
// encoding again changes nothing. It fails on a run that is not valid.
func EncodeRun(r Run) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	return encodeLine(canonical(r))
}

// DecodeRun is the inverse of EncodeRun. It fails on malformed or invalid
// records, on fields it does not know, and with a *SchemaError on records of
// another schema.
func DecodeRun(line []byte) (Run, error) {
	var r Run
	err := decodeStrict(line, &r)
	if err := checkSchema(line, r, err, func() (int, bool) {
		var probe struct{ Schema *int }
		if json.Unmarshal(line, &probe) != nil || probe.Schema == nil {
			return 0, false
		}
		return *probe.Schema, true
	}); err != nil {
		return Run{}, err
	}
	return r, nil
}

// entry is one line of a journal.
type entry struct {
	Run    Run    `json:"run"`
	Timing Timing `json:"timing"`
}

func decodeEntry(line []byte) (entry, error) {
	var e entry
	err := decodeStrict(line, &e)
	if err := checkSchema(line, e.Run, err, func() (int, bool) {
		var probe struct{ Run struct{ Schema *int } }
		if json.Unmarshal(line, &probe) != nil || probe.Run.Schema == nil {
			return 0, false
		}
		return *probe.Run.Schema, true
	}); err != nil {
		return entry{}, err
	}
	if err := e.Timing.validate(); err != nil {
		return entry{}, err
	}
	return e, nil
}

func encodeEntry(r Run, t Timing) ([]byte, error) {
	run, err := EncodeRun(r)
	if err != nil {
		return nil, err
	}
	timing, err := encodeLine(t)
	if err != nil {
		return nil, err
	}
	line := make([]byte, 0, len(run)+len(timing)+20)
	line = append(line, `{"run":`...)
	line = append(line, run...)
	line = append(line, `,"timing":`...)
	line = append(line, timing...)
	return append(line, '}', '\n'), nil
}

func decodeTiming(line []byte) (Timing, error) {
	var t Timing
	if err := decodeStrict(line, &t); err != nil {
		return Timing{}, err
	}
	if t.Key == "" || t.Extent == "" {
		return Timing{}, errors.New("key or extent is empty")
	}
	return t, t.validate()
}

// checkSchema tells a record of another schema, which may well fail to decode,
// from one that is broken.
func checkSchema(line []byte, r Run, err error, probe func() (int, bool)) error {
	if err == nil && r.Schema == Schema {
		return r.Validate()
	}
	if schema, ok := probe(); ok && schema != Schema {
		return &SchemaError{Schema: schema}
	}
	if err == nil {
		return errors.New("the record has no schema")
	}
	return err
}

// SchemaError says that a record was written by another version of the format.
type SchemaError struct {
	// File and Line tell where, if known.
	File string
	Line int
	// Schema is the version found.
	Schema int
}

// Error implements error.
func (e *SchemaError) Error() string {
	where := ""
	if e.File != "" {
		where = fmt.Sprintf("%s:%d: ", e.File, e.Line)
	}
	remedy := "use a newer build or another --out"
	if e.Schema < Schema {
		remedy = "use an older build or another --out"
	}
	return fmt.Sprintf("%sresults written by schema %d; this build reads schema %d: %s", where, e.Schema, Schema, remedy)
}

func decodeStrict(line []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return errors.New("the record is cut short")
		}
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the record is followed by something else")
	}
	return nil
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
	if r.Curve.Cost == nil {
		r.Curve.Cost = map[string][]int64{}
	}
	if r.Curve.Metrics == nil {
		r.Curve.Metrics = map[string]map[string][]float64{}
	}
	if r.Curve.Len() == 0 {
		cost := make(map[string][]int64, len(r.Curve.Cost))
		for name := range r.Curve.Cost {
			cost[name] = []int64{}
		}
		metrics := make(map[string]map[string][]float64, len(r.Curve.Metrics))
		for split, cols := range r.Curve.Metrics {
			metrics[split] = make(map[string][]float64, len(cols))
			for name := range cols {
				metrics[split][name] = []float64{}
			}
		}
		r.Curve.Cost, r.Curve.Metrics = cost, metrics
	}
	for name, v := range r.Curve.Vectors {
		if v == nil {
			r.Curve.Vectors = maps.Clone(r.Curve.Vectors)
			r.Curve.Vectors[name] = []float64{}
		}
	}
	for i, row := range r.Curve.Spectrum {
		if row == nil {
			spectrum := append([][]float64(nil), r.Curve.Spectrum...)
			for ; i < len(spectrum); i++ {
				if spectrum[i] == nil {
					spectrum[i] = []float64{}
				}
			}
			r.Curve.Spectrum = spectrum
			break
		}
	}
	return r
}
