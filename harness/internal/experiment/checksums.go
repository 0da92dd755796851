package experiment

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// ChecksumsFile lists the runs of a folder without records, so that verify can repeat some of them.
const ChecksumsFile = "runs.csv.gz"

// maxChecksums is the maximum uncompressed size of ChecksumsFile, in bytes.
const maxChecksums = 64 << 20

// RunChecksum identifies the result of a run.
type RunChecksum struct {
	// Key and Extent identify the run.
	Key, Extent, Status string
	// Curve is the checksum of the curve; see record.Run.CurveChecksum.
	Curve string
}

var checksumColumns = []string{"key", "extent", "status", "checksum"}

// ChecksumOf returns the checksum of a run.
func ChecksumOf(r *record.Run) RunChecksum {
	return RunChecksum{r.Key, r.Extent, r.Status, r.CurveChecksum()}
}

// WriteChecksums writes the checksums of runs as CSV, one row for each run.
func WriteChecksums(w io.Writer, runs []record.Run) error {
	out := csv.NewWriter(w) // Error returns the first error
	out.Write(checksumColumns)
	for i := range runs {
		c := ChecksumOf(&runs[i])
		out.Write([]string{c.Key, c.Extent, c.Status, c.Curve})
	}
	out.Flush()
	return out.Error()
}

// Checksums reads ChecksumsFile. A folder without the file gives the error of Records.
func (f *Folder) Checksums() ([]RunChecksum, error) {
	path := filepath.Join(f.Dir, ChecksumsFile)
	text, err := disk.ReadCompressed(path, maxChecksums)
	if errors.Is(err, fs.ErrNotExist) {
		err = f.noRecords()
	}
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err == nil && (len(rows) == 0 || !slices.Equal(rows[0], checksumColumns)) {
		err = errors.New("its first line does not have the names of the columns")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list := make([]RunChecksum, 0, len(rows)-1)
	for _, row := range rows[1:] {
		list = append(list, RunChecksum{row[0], row[1], row[2], row[3]})
	}
	return list, nil
}
