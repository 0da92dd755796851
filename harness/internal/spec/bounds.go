package spec

import (
	"errors"
	"fmt"
	"math"

	"stochopt/internal/disk"
)

// What a specification may hold at most. Each bound keeps reading it short and small,
// and is far above what anyone writes by hand.
const (
	// maxBytes bounds a document before it is parsed, and so the number of its nodes:
	// the parser makes at most two of a byte.
	maxBytes = 1 << 20
	// maxNodes bounds the size of a document after its aliases are expanded.
	maxNodes = 200_000
	// maxText bounds a single text, in bytes.
	maxText = 10_000
	// maxEntries bounds the keys of a mapping and a list of mappings or lists, maxGrid a
	// list of values, and the values of a grid.
	maxEntries, maxGrid = 1000, 10_000
	// maxCells bounds the number of combinations of one specification, maxRuns those
	// times their repeats.
	maxCells, maxRuns = 200_000, 1_000_000
	// maxMistakes bounds how many mistakes are told.
	maxMistakes = 100
)

// Numbers other than 0 are from least to most in size, so that neither a product of
// three nor a square is out of range.
const (
	leastNumber = 1e-100
	mostNumber  = 1e100
)

// MostIterations bounds the iterations of a run, of which more than this take years, however
// long one is. It is the maximum of Budget.Iterations.
const MostIterations = 1e15

// mostInt bounds the integers of a parameter that says no other bound.
const mostInt = math.MaxInt32

const tooLong = "is longer than 1 MiB, the limit for a specification"

// checkSize reports a number, written so, that is too large or too small.
func checkSize(x float64, written any) error {
	if size := math.Abs(x); size > mostNumber || x != 0 && size < leastNumber {
		return fmt.Errorf("%v is out of range: a number must be 0, or between %v and %v in absolute value", written, leastNumber, mostNumber)
	}
	return nil
}

// ReadFile reads a specification: an error if it is too long.
func ReadFile(path string) ([]byte, error) {
	data, err := disk.ReadFile(path, maxBytes)
	if errors.Is(err, disk.ErrTooLong) {
		err = fmt.Errorf("%s:1:1: %s", path, tooLong)
	}
	return data, err
}
