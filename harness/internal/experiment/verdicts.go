package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"stochopt/harness/internal/claims"
	"stochopt/internal/disk"
	"stochopt/internal/observe"
)

// Verdicts is the content of ClaimsFile.
type Verdicts struct {
	// Schema is verdictsSchema.
	Schema int `json:"schema"`
	// BelowPaper lists the ways in which the runs are below full scale.
	BelowPaper []claims.Shortfall `json:"below_paper,omitempty"`
	// Claims has the verdicts in the order of the spec's claims.
	Claims []claims.Verdict `json:"claims"`
}

// verdictsSchema is the version of the format of ClaimsFile.
const verdictsSchema = 1

// RecordedVerdicts reads ClaimsFile. It returns nil if the file does not exist.
func (f *Folder) RecordedVerdicts() (*Verdicts, error) {
	data, err := disk.ReadFile(filepath.Join(f.Dir, ClaimsFile), MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w; `claims` writes it again", ClaimsFile, err)
	}
	return decodeVerdicts(data)
}

func decodeVerdicts(data []byte) (*Verdicts, error) {
	var v Verdicts
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&v); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; `claims` writes it again", ClaimsFile, err)
	}
	if v.Schema != verdictsSchema {
		return nil, fmt.Errorf("%s has schema %d, but this program reads %d; `claims` writes it again",
			ClaimsFile, v.Schema, verdictsSchema)
	}
	return &v, nil
}

// Equal reports whether the verdicts equal a list of verdicts, in JSON.
func (v *Verdicts) Equal(list []claims.Verdict) bool {
	a, err1 := json.Marshal(v.Claims)
	b, err2 := json.Marshal(list)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// Verdicts judges the claims of the spec by the records.
func (d *Derivation) Verdicts() []claims.Verdict { return d.decide(d.Observe()) }

func (d *Derivation) decide(o *observe.Tables) []claims.Verdict {
	return claims.Decide(d.Spec.Claims, d.Origin, o.List)
}

// addVerdicts judges the claims, if any, and adds ClaimsFile and ObservationsFile.
func (p *Products) addVerdicts(d *Derivation) error {
	if len(d.Spec.Claims) == 0 {
		return nil
	}
	o := d.Observe()
	p.Verdicts = d.decide(o)
	if err := p.addFile(ObservationsFile, func(w io.Writer) error { return writeObservations(w, o) }); err != nil {
		return err
	}
	return p.addFile(ClaimsFile, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(Verdicts{Schema: verdictsSchema, BelowPaper: d.Origin.Shortfalls, Claims: p.Verdicts})
	})
}
