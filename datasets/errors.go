package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/closest"

	"github.com/dustin/go-humanize/english"
)

// ErrMissing is wrapped by every *MissingError.
var ErrMissing = errors.New("dataset not found")

// NamedError says which dataset an error is about.
type NamedError struct {
	// Dataset is "" for a file of the user's own, which Err names.
	Dataset string
	Err     error
}

// Error implements error: "dataset name: message".
func (e *NamedError) Error() string {
	return strings.TrimSpace("dataset "+e.Dataset) + ": " + e.Err.Error()
}

func (e *NamedError) Unwrap() error { return e.Err }

// MissingError says which files of a dataset are in no place that was looked at, why not,
// and what to do. It wraps ErrMissing and the causes.
type MissingError struct {
	Dataset string
	// Files is empty for data that are not distributed freely; Obtain says how to get those.
	Files  []string
	Causes []error
	Obtain string
	// Real: only the real data will do, so that a stand-in is not proposed.
	Real bool
}

// Error says what cannot be found, why not, and what to do. A spec can allow a stand-in in
// its place.
func (e *MissingError) Error() string {
	const standIn = "put `stand_in: allow` in the spec"
	if e.Obtain != "" {
		text := "it is licensed and cannot be fetched: " + strings.TrimSpace(e.Obtain)
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
		fmt.Sprintf("set HARNESS_MIRROR to a folder or URL that holds %s/%s", e.Dataset, e.Files[0]),
		fmt.Sprintf("run `stochopt datasets fetch %s` where there is a network", e.Dataset),
	}
	if !e.Real {
		ways = append(ways, standIn)
	}
	return text + " (" + english.OxfordWordSeries(ways, "or") + ")"
}

func (e *MissingError) Unwrap() []error { return append([]error{ErrMissing}, e.Causes...) }

// ChecksumError is a file whose content is not what the manifest says.
type ChecksumError struct {
	// Path is the file as it lies on disk. It was not changed.
	Path string
	// Sums names the SHA-256 that the file has and that it should have, Advice says what to do.
	Sums, Advice string
}

func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%s: wrong checksum: %s (%s)", e.Path, e.Sums, e.Advice)
}

// SyntaxError is a mistake in a data file. Line counts from 1; it is 0 when
// the mistake has no line (binary formats, damaged compression).
type SyntaxError struct {
	File string
	Line int
	Msg  string
	// Err is the cause, if it came from elsewhere.
	Err error
}

// Error implements error: "file:line: message".
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// syntaxError returns a *SyntaxError whose cause is what %w stands for.
func syntaxError(file string, line int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &SyntaxError{File: file, Line: line, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// unknown is the error for a name that is not one of the known ones; what is
// "dataset", "parameter", …
func unknown(what, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: none is accepted here", what, name)
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	hint := ""
	if best := closest.Name(name, known, len(name)/2+1); best != "" {
		hint = fmt.Sprintf("did you mean %q? ", best)
	}
	return fmt.Errorf("unknown %s %q (%sknown: %s)", what, name, hint, strings.Join(sorted, ", "))
}

// find returns the one of a list that has a name, which nameOf tells; else an error that
// lists the names, as unknown does.
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
