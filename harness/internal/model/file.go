package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stochopt/internal/disk"

	"github.com/dustin/go-humanize"
)

// MostBytes bounds the files of models: two to three million numbers that are not 0.
const MostBytes = 64 << 20

// leastVector is the number of bytes that a vector takes at least.
const leastVector = len(`{"indices":[],"values":[]}`)

// document is the file: a model between its format and its checksum.
type document struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Model
	SHA256 string `json:"sha256,omitempty"`
}

// Write writes a model to a file of a folder, whole or not at all. It returns an error
// for a model that Check refuses, and where the name leads out of the folder.
func Write(dir, name string, m *Model) error {
	path := filepath.Join(dir, name)
	if err := m.Check(); err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	text, err := encode(m)
	if err == nil && len(text) > MostBytes {
		err = fmt.Errorf("its file would have %s, and the most that one may have is %s: ask for fewer vectors",
			humanize.IBytes(uint64(len(text))), humanize.IBytes(MostBytes))
	}
	if err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	if err := disk.Write(dir, name, text); err != nil {
		return fmt.Errorf("cannot write the model: %w", err)
	}
	return nil
}

// canonical returns the compact text that the checksum is of.
func canonical(m *Model) ([]byte, error) {
	d := document{Format: Format, Version: m.Version(), Model: *m}
	// Lists are never null.
	d.Coefficients = append([]float64{}, m.Coefficients...)
	d.Vectors = make([]Vector, len(m.Vectors))
	for k, v := range m.Vectors {
		d.Vectors[k] = v.listed()
	}
	return compact(d)
}

// compact encodes v without spaces.
func compact(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// checksum returns the SHA-256 of the canonical text.
func checksum(m *Model) (string, error) {
	text, err := canonical(m)
	if err != nil {
		return "", err
	}
	return disk.SHA256Of(text), nil
}

// encode returns the text of a file: a member a line, and of the long ones an
// element a line.
func encode(m *Model) ([]byte, error) {
	sum, err := checksum(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	member := func(end, name string, v any) {
		text, e := compact(v)
		err = errors.Join(err, e)
		fmt.Fprintf(&out, "  %q: %s%s\n", name, text, end)
	}
	fmt.Fprintf(&out, "{\n")
	member(",", "format", Format)
	member(",", "version", m.Version())
	member(",", "kernel", m.Kernel)
	member(",", "features", m.Features)
	member(",", "labels", m.Labels)
	if m.Input != nil {
		member(",", "input", m.Input)
	}
	member(",", "provenance", m.Provenance)
	member(",", "bias", m.Bias)
	list := func(name string, n int, at func(int) any) {
		fmt.Fprintf(&out, "  %q: [", name)
		for k := range n {
			text, e := compact(at(k))
			err = errors.Join(err, e)
			end := ","
			if k == n-1 {
				end = "\n  "
			}
			fmt.Fprintf(&out, "\n    %s%s", text, end)
		}
		fmt.Fprintf(&out, "],\n")
	}
	list("coefficients", len(m.Coefficients), func(k int) any { return m.Coefficients[k] })
	list("vectors", len(m.Vectors), func(k int) any { return m.Vectors[k].listed() })
	member("", "sha256", sum)
	out.WriteString("}\n")
	return out.Bytes(), err
}

// Read reads a model from a file, strictly. The errors name the file and say
// what to do.
func Read(path string) (*Model, error) {
	text, err := disk.ReadFile(path, MostBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot read the model: %w", err)
	}
	m, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// parse reads the text of a file.
func parse(text []byte) (*Model, error) {
	var head struct {
		Format  *string          `json:"format"`
		Version *json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, explain(text, err)
	}
	if head.Format == nil || *head.Format != Format {
		return nil, fmt.Errorf("this is not a model: it lacks \"format\": %q; name a file that run wrote into a models folder", Format)
	}
	version := 0
	if head.Version == nil || json.Unmarshal(*head.Version, &version) != nil || version < 1 {
		return nil, errors.New("the version of the format is missing or not a positive integer; restore it from a backup, or make it again with run")
	}
	if version > Version {
		return nil, fmt.Errorf("the model was written by a newer stochopt: its format is version %d, this program reads version %d; upgrade", version, Version)
	}
	if n := bytes.Count(text, []byte{'{'}); n > 100+len(text)/leastVector {
		return nil, fmt.Errorf("there are %d opening braces, more than vectors in so many bytes; the file is %s", n, damaged)
	}
	var d document
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber() // of parameters
	if err := dec.Decode(&d); err != nil {
		return nil, explain(text, err)
	}
	if _, err := d.Kernel.open(); err != nil {
		return nil, fmt.Errorf("%w; either a newer stochopt wrote it, or the file is damaged: then restore it from a backup, or make it again with run", err)
	}
	if err := d.Check(); err != nil {
		return nil, fmt.Errorf("%w; %s", err, damaged)
	}
	if least := d.Model.Version(); version != least {
		return nil, fmt.Errorf("the version of the format is %d, but what the file has is of version %d: it was edited or %s", version, least, damaged)
	}
	sum, err := checksum(&d.Model)
	if err != nil {
		return nil, err
	}
	if sum != d.SHA256 {
		return nil, fmt.Errorf("the checksum is %s, but the file says %s: it was edited or %s", sum, cmp.Or(d.SHA256, "none"), damaged)
	}
	return &d.Model, nil
}

// endsEarly reports whether a text ends before its JSON does. Of one that ends in
// a number encoding/json complains of a space that is not there.
func endsEarly(text []byte, err *json.SyntaxError) bool {
	return err.Error() == "unexpected end of JSON input" ||
		int(err.Offset) >= len(text) && strings.HasPrefix(err.Error(), "invalid character ' '") && text[len(text)-1] != ' '
}

const damaged = "damaged; restore it from a backup, or make it again with run"

// explain says what is wrong with a file that is no JSON, or not what it should
// be.
func explain(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the file is empty; restore it from a backup, or make it again with run")
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &syntax) && endsEarly(text, syntax):
		return fmt.Errorf("the file is truncated: it ends after %d bytes; copy it again, or make it again with run", len(text))
	case errors.As(err, &syntax):
		return fmt.Errorf("this is not a model, or it was edited or damaged: at byte %d, %w; restore it from a backup, or make it again with run", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Type != nil && kind.Type.Kind().String() == "float64" && len(kind.Value) > 7:
		return fmt.Errorf("%s is the %s, not a finite 64-bit number; the file is %s", kind.Field, kind.Value, damaged)
	case errors.As(err, &kind):
		return fmt.Errorf("%s is a %s, but the format has another kind of value there; the file is %s", kind.Field, kind.Value, damaged)
	}
	return fmt.Errorf("%w; the file is %s", err, damaged)
}
