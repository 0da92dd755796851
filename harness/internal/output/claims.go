package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/results/analysis"
)

// Verdicts is the content of the file claims.json of a results folder.
type Verdicts struct {
	// Schema is the version of the format, VerdictsSchema.
	Schema int `json:"schema"`
	// BelowPaper says in which ways the runs are smaller than the experiment at its
	// full scale.
	BelowPaper []claims.Shortfall `json:"below_paper,omitempty"`
	// Claims has one verdict a claim, in the order of the specification.
	Claims []claims.Verdict `json:"claims"`
}

// VerdictsSchema is the version of claims.json that is written and read.
const VerdictsSchema = 1

// ReadVerdicts reads what is in a claims.json.
func ReadVerdicts(r io.Reader) (*Verdicts, error) {
	var v Verdicts
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; the verb claims writes it anew", claimsFile, err)
	}
	if v.Schema != VerdictsSchema {
		return nil, fmt.Errorf("%s has the schema %d, and this program reads %d; the verb claims writes it anew", claimsFile, v.Schema, VerdictsSchema)
	}
	return &v, nil
}

// Of reports whether the verdicts are on these claims, as they are now.
func (v *Verdicts) Of(list []claims.Claim) bool {
	return slices.EqualFunc(v.Claims, list, func(v claims.Verdict, c claims.Claim) bool {
		a, err1 := json.Marshal(v.Claim)
		b, err2 := json.Marshal(c)
		return err1 == nil && err2 == nil && bytes.Equal(a, b)
	})
}

// Verdicts judges the claims of the specification. The shortfalls are those of the
// folder's manifest.
func (d *Derivation) Verdicts(shortfalls []claims.Shortfall) []claims.Verdict {
	var laws []analysis.PowerLaws
	for _, t := range d.Spec.Tables {
		laws = append(laws, t.PowerLaws())
	}
	return claims.Judge(d.Spec.Claims, d.Claims(shortfalls), laws)
}

// Judge judges the claims of the experiment d and writes the verdicts into its
// folder.
func Judge(d *Derivation, shortfalls []claims.Shortfall) ([]claims.Verdict, error) {
	p := &Products{}
	if err := p.judge(d, shortfalls); err != nil {
		return nil, err
	}
	return p.Verdicts, nil
}

// claims judges the claims and writes the verdicts; without claims there is no
// file.
func (p *Products) claims(d *Derivation) error {
	if len(d.Spec.Claims) == 0 {
		return nil
	}
	m, err := ReadManifest(d.Experiment.Dir)
	if err != nil {
		return err
	}
	return p.judge(d, m.BelowPaper)
}

func (p *Products) judge(d *Derivation, shortfalls []claims.Shortfall) error {
	p.Verdicts = d.Verdicts(shortfalls)
	return p.file(d.Experiment.Dir, claimsFile, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(Verdicts{Schema: VerdictsSchema, BelowPaper: shortfalls, Claims: p.Verdicts})
	})
}
