package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/closest"

	"github.com/dustin/go-humanize/english"
)

// ErrMissing is the error that every *MissingError wraps.
var ErrMissing = errors.New("dataset not found")

// NamedError adds the name of a dataset to an error.
type NamedError struct {
	// Dataset is "" for a user's file; Err then contains its path.
	Dataset string
	Err     error
}

// Error implements error: "dataset name: message".
func (e *NamedError) Error() string {
	return strings.TrimSpace("dataset "+e.Dataset) + ": " + e.Err.Error()
}

func (e *NamedError) Unwrap() error { return e.Err }

// MissingError reports the files of a dataset that were not found. It wraps ErrMissing and Causes.
type MissingError struct {
	Dataset string
	Files   []string // empty for licensed data
	Causes  []error  // why downloads failed
	Obtain  string   // how to obtain licensed data
	Real    bool     // a stand-in is no alternative: Error does not propose it
}

// Error lists the missing files, the causes and possible remedies.
func (e *MissingError) Error() string {
	const standIn = "put `stand_in: allow` in the spec"
	if e.Obtain != "" {
		text := "the data are licensed and cannot be fetched: " + strings.TrimSpace(e.Obtain)
		if !e.Real {
			text += "; without it, " + standIn
		}
		return text
	}
	text := "cannot find " + strings.Join(e.Files, ", ")
	for _, c := range e.Causes {
		text += "; " + c.Error()
	}
	ways := []string{
		fmt.Sprintf("set HARNESS_MIRROR to a folder or URL that contains %s/%s", e.Dataset, e.Files[0]),
		fmt.Sprintf("run `stochopt datasets fetch %s` with network access", e.Dataset),
	}
	if !e.Real {
		ways = append(ways, standIn)
	}
	return text + " (" + english.OxfordWordSeries(ways, "or") + ")"
}

func (e *MissingError) Unwrap() []error { return append([]error{ErrMissing}, e.Causes...) }

// ChecksumError reports a file whose content differs from the manifest.
type ChecksumError struct {
	// Path is the path or address of the file.
	Path string
	// Sums describes the actual and the expected SHA-256, Advice the remedy.
	Sums, Advice string
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s: wrong checksum: %s (%s)", e.Path, e.Sums, e.Advice)
}

// SyntaxError reports an error in a data file. Line counts from 1; it is 0 if the error has no line,
// as in binary formats and damaged compression.
type SyntaxError struct {
	File string
	Line int
	Msg  string
	Err  error // the cause, or nil
}

// Error implements error: "file:line: message".
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// syntaxError returns a *SyntaxError. Its cause is the operand of %w, if any.
func syntaxError(file string, line int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &SyntaxError{File: file, Line: line, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// unknown returns the error for an unknown name of a kind what, such as "dataset". It lists the known
// names and suggests the closest.
func unknown(what, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: no %ss are accepted here", what, name, what)
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	hint := ""
	if best := closest.Name(name, known, len(name)/2+1); best != "" {
		hint = fmt.Sprintf("did you mean %q? ", best)
	}
	return fmt.Errorf("unknown %s %q (%sknown: %s)", what, name, hint, strings.Join(sorted, ", "))
}

// find returns the element of list with the given name, or the error of unknown.
func find[T any](what, name string, list []T, nameOf func(*T) string) (*T, error) {
	for i := range list {
		if nameOf(&list[i]) == name {
			return &list[i], nil
		}
	}
	return nil, unknown(what, name, names(list, nameOf))
}

func names[T any](list []T, nameOf func(*T) string) []string {
	var out []string
	for i := range list {
		out = append(out, nameOf(&list[i]))
	}
	return out
}
