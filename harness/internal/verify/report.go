package verify

import (
	"fmt"
	"slices"
)

// Kinds of findings. Damaged means unreadable or with a wrong checksum.
const (
	Differs = "different"
	Missing = "missing"
	Damaged = "damaged"
)

// Finding is an error in the folder. Where names a file, a run or an optimum.
type Finding struct {
	Check string `json:"check"`
	Kind  string `json:"kind"`
	Where string `json:"where,omitempty"`
	Text  string `json:"text"`
}

// Check counts the items checked and the findings. If they are a sample, Of is the number of all items.
type Check struct {
	Name     string `json:"name"`
	Checked  int    `json:"checked"`
	Of       int    `json:"of,omitempty"`
	Findings int    `json:"findings"`
}

// Report is the result of a verification. Notes are remarks that are not findings.
type Report struct {
	Dir string `json:"dir"`
	// Seed selects the sample. OK is true if there are no findings. Complete is true if each planned run
	// is on record.
	Seed     uint64    `json:"seed"`
	OK       bool      `json:"ok"`
	Complete bool      `json:"complete"`
	Checks   []*Check  `json:"checks"`
	Findings []Finding `json:"findings"`
	Notes    []string  `json:"notes"`
}

// Count returns the counts of a check. It adds the check if necessary.
func (r *Report) Count(name string) *Check {
	i := slices.IndexFunc(r.Checks, func(c *Check) bool { return c.Name == name })
	if i < 0 {
		i = len(r.Checks)
		r.Checks = append(r.Checks, &Check{Name: name})
	}
	return r.Checks[i]
}

// find adds a finding.
func (r *Report) find(check, kind, where, format string, args ...any) {
	r.Count(check).Findings++
	r.Findings = append(r.Findings, Finding{check, kind, where, fmt.Sprintf(format, args...)})
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
