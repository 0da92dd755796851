package verify

import (
	"cmp"
	"fmt"
	"slices"
)

// Kinds of findings.
const (
	// Differs: what is there is not what it should be.
	Differs = "differs"
	// Missing: it is not there, or not there yet.
	Missing = "missing"
	// Superfluous: it is there and should not be, or is there twice.
	Superfluous = "superfluous"
	// Damaged: it cannot be read.
	Damaged = "damaged"
)

// Kinds of remarks, which are no findings.
const (
	// remarkTool: another version of the program wrote the folder.
	remarkTool = "tool"
	// remarkUnsealed: there is no checksum to compare with.
	remarkUnsealed = "no-checksum"
	// remarkOthers: something in the folder is not of the experiment as it is now.
	remarkOthers = "not-of-the-experiment"
	// remarkUnchecked: there is nothing to compare with.
	remarkUnchecked = "unchecked"
	// remarkWarning is a warning from reading the folder.
	remarkWarning = "warning"
)

// Finding is something wrong with the folder, or a remark.
type Finding struct {
	// Check is the name of the check, Kind is that of the finding or remark.
	Check string `json:"check"`
	Kind  string `json:"kind"`
	// Count is the number of things that it is about, at least 1.
	Count int `json:"count"`
	// File is relative to the results folder, Line counts from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Run and Key name the run, if it is about one.
	Run string `json:"run,omitempty"`
	Key string `json:"key,omitempty"`
	// Text says what it is.
	Text string `json:"text"`
}

// Check counts what was compared.
type Check struct {
	Name string `json:"name"`
	// Checked of Of things were compared; missing ones count in Of only.
	Checked int `json:"checked"`
	Of      int `json:"of"`

	Differ      int `json:"differ"`
	Missing     int `json:"missing"`
	Superfluous int `json:"superfluous"`
	Damaged     int `json:"damaged"`
}

// Report is what a verification found.
type Report struct {
	Dir string `json:"dir"`
	// OK: there are no findings.
	OK bool `json:"ok"`
	// Complete: each planned run is on record.
	Complete bool    `json:"complete"`
	Sample   *Sample `json:"sample,omitempty"`
	Checks   []Check `json:"checks"`
	// Findings are what is wrong, Remarks what a reader should know.
	Findings []Finding `json:"findings"`
	Remarks  []Finding `json:"remarks"`
}

// Names of the checks, in the order of the table.
const (
	checkManifest   = "manifest"
	checkSpec       = "spec"
	checkData       = "data sets"
	checkLines      = "lines of records"
	checkPlan       = "plan"
	checkRecords    = "records"
	checkArchive    = "archived records"
	checkTimings    = "timings"
	checkIdentities = "identities of records"
	checkOptima     = "optima"
	checkSolved     = "optima solved again"
	checkRerun      = "records re-run"
	checkProducts   = "tables, figures and the like"
)

var checkNames = []string{
	checkManifest, checkSpec, checkData, checkLines, checkPlan, checkRecords, checkArchive, checkTimings, checkIdentities,
	checkOptima, checkSolved, checkRerun, checkProducts,
}

// check returns the counts of a check, which it adds.
func (r *Report) check(name string) *Check {
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		i = len(r.Checks)
		r.Checks = append(r.Checks, Check{Name: name})
	}
	return &r.Checks[i]
}

// checked counts something that was compared.
func (r *Report) checked(name string, n int) {
	c := r.check(name)
	c.Checked, c.Of = c.Checked+n, c.Of+n
}

// find adds a finding.
func (r *Report) find(name, kind string, f Finding) {
	f.Check, f.Kind, f.Count = name, kind, max(f.Count, 1)
	c := r.check(name)
	switch kind {
	case Differs:
		c.Differ += f.Count
	case Missing:
		c.Missing += f.Count
		c.Of += f.Count
	case Superfluous:
		c.Superfluous += f.Count
	case Damaged:
		c.Damaged += f.Count
	}
	r.Findings = append(r.Findings, f)
}

// findf adds a finding whose text it makes.
func (r *Report) findf(name, kind string, f Finding, format string, args ...any) {
	f.Text = fmt.Sprintf(format, args...)
	r.find(name, kind, f)
}

// remark adds something that is no finding.
func (r *Report) remark(name, kind, format string, args ...any) {
	r.Remarks = append(r.Remarks, Finding{Check: name, Kind: kind, Count: 1, Text: fmt.Sprintf(format, args...)})
}

// Count returns the counts of a check, none if it was not made.
func (r *Report) Count(name string) Check {
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	return Check{Name: name}
}

// Rerun returns the counts of the records that were made again.
func (r *Report) Rerun() Check { return r.Count(checkRerun) }

// finish orders the report.
func (r *Report) finish() {
	order := func(a, b string) int {
		return cmp.Compare(slices.Index(checkNames, a), slices.Index(checkNames, b))
	}
	slices.SortStableFunc(r.Checks, func(a, b Check) int { return order(a.Name, b.Name) })
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return order(a.Check, b.Check) })
	slices.SortStableFunc(r.Remarks, func(a, b Finding) int { return order(a.Check, b.Check) })
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	if r.Remarks == nil {
		r.Remarks = []Finding{}
	}
	r.OK = len(r.Findings) == 0
}
