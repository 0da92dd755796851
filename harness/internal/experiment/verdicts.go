package experiment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/internal/disk"
	"stochopt/internal/observe"
)

// Verdicts is the content of ClaimsFile.
type Verdicts struct {
	// Schema is the version of the format, verdictsSchema.
	Schema int `json:"schema"`
	// BelowPaper says in which ways the runs are smaller than the experiment at its full scale.
	BelowPaper []claims.Shortfall `json:"below_paper,omitempty"`
	// Claims has one verdict a claim, in the order of the specification.
	Claims []claims.Verdict `json:"claims"`
}

// verdictsSchema is the version of ClaimsFile that is written and read.
const verdictsSchema = 1

// RecordedVerdicts reads the verdicts that were last written; nil without any.
func (f *Folder) RecordedVerdicts() (*Verdicts, error) {
	data, err := disk.ReadFile(filepath.Join(f.Dir, ClaimsFile), MostText)
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
		return nil, fmt.Errorf("%s has schema %d, but this program reads %d; `claims` writes it again", ClaimsFile, v.Schema, verdictsSchema)
	}
	return &v, nil
}

// Of reports whether the verdicts are on these claims, as they are now.
func (v *Verdicts) Of(list []claims.Claim) bool {
	return slices.EqualFunc(v.Claims, list, func(v claims.Verdict, c claims.Claim) bool { return SameClaim(v.Claim, c) })
}

// Equal reports whether the verdicts are these, in all respects.
func (v *Verdicts) Equal(list []claims.Verdict) bool { return sameText(v.Claims, list) }

// SameClaim reports whether two claims say the same in all respects.
func SameClaim(a, b claims.Claim) bool {
	a.Kind, b.Kind = a.KindOrDefault(), b.KindOrDefault()
	return sameText(a, b)
}

// sameText reports whether two values are the same as JSON.
func sameText(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// Standing returns the verdicts on record if they are on the claims of the spec and not older than
// it and the records, and else judges the claims.
func (d *Derivation) Standing() []claims.Verdict {
	v, err := d.Folder.RecordedVerdicts()
	if err == nil && v != nil && v.Of(d.Spec.Claims) && newest(d.Folder.Dir, ClaimsFile) {
		return v.Claims
	}
	return d.Verdicts()
}

// Verdicts judges the claims of the spec by the records.
func (d *Derivation) Verdicts() []claims.Verdict { return d.decide(d.Observe()) }

func (d *Derivation) decide(o *observe.Tables) []claims.Verdict {
	return claims.Decide(d.Spec.Claims, d.Origin, o.List)
}

// addVerdicts judges the claims, if any, and adds the files of the verdicts and of the tables behind
// them.
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

// newest reports whether a file of a results folder is not older than the records and the spec.
func newest(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return false
	}
	newer := func(of fs.FileInfo, err error) bool { return err == nil && of.ModTime().After(info.ModTime()) }
	return !newer(os.Stat(filepath.Join(dir, SpecFile))) &&
		!slices.ContainsFunc(recordFiles(dir), func(e fs.DirEntry) bool { return newer(e.Info()) })
}
