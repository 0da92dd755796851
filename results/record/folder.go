package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/internal/disk"
)

// Files of a results folder that this package owns.
const (
	// PlanFile holds the current plan, one ID a line, in its order. Without it
	// all records are taken for those of the experiment.
	PlanFile = "plan.jsonl"
	// RunsFile holds the records of the plan, in plan order.
	RunsFile = "runs.jsonl"
	// PackedFile may hold them in its place, compressed by gzip, in folders that are
	// kept for reference. It is read and never written; where there is RunsFile too,
	// it does not count.
	PackedFile = RunsFile + ".gz"
	// TimingsFile holds the timings of RunsFile, then of ArchiveFile.
	TimingsFile = "timings.jsonl"
	// ArchiveFile holds completed records that an earlier plan asked for and
	// the last one did not. They are kept for reuse.
	ArchiveFile = "archive.jsonl"
	// ReferencesFile holds the certified optima that runs were measured against. Who
	// runs them reads and writes it.
	ReferencesFile = "references.jsonl"

	journalPrefix = "journal-"
	journalSuffix = ".jsonl"
)

// contents is what the files of a folder hold, each in its order.
type contents struct {
	runs     []Run
	archive  []Run
	journals []storedEntry
	timings  []storedTiming
	// journalFiles are the paths of the journals, sorted.
	journalFiles []string
	plan         []ID
	// hasPlan tells an empty plan from none.
	hasPlan bool
	// files says how sound the files are, in the order in which they were read; kept
	// counts the lines that were put aside before, and aside holds those of them that
	// can be read.
	files    []Lines
	kept     int
	aside    []aside
	warnings []string

	// index is that of the folder, made what it should be while files are read. remade is
	// set if it was not.
	index  index
	remade bool
	// lines are the files that are open, by their names.
	lines map[string]*lineFile
}

// storedEntry is a line of a journal.
type storedEntry struct {
	run    Run
	timing timed
}

// storedTiming is a line of TimingsFile.
type storedTiming struct {
	ref
	timed
}

// readFolder reads all that is in dir. The journals come first: should another
// process compact meanwhile, their records turn up in the files read later. The
// plan comes last, being what compacting replaces first: whichever it is, its
// records have been in one of the files. The index is that of the folder, or nil to
// do without.
func readFolder(dir string, x index) (*contents, error) {
	if err := disk.Inside(dir); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	c := &contents{index: x, lines: map[string]*lineFile{}}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("results: cannot read folder %s: %w", dir, err)
	}
	for _, d := range names {
		if isJournal(d.Name()) {
			c.journalFiles = append(c.journalFiles, filepath.Join(dir, d.Name()))
		}
	}
	slices.Sort(c.journalFiles)
	for _, path := range c.journalFiles {
		if err := c.readJournal(path); err != nil {
			return nil, err
		}
	}
	if c.archive, err = c.loadRuns(filepath.Join(dir, ArchiveFile)); err != nil {
		return nil, err
	}
	if err := c.readRuns(dir); err != nil {
		return nil, err
	}
	if c.timings, err = c.loadTimings(timingsOf(dir)); err != nil {
		return nil, err
	}
	if err := c.readPlan(dir); err != nil {
		return nil, err
	}
	var kept Lines
	c.aside, kept, err = readAside(dir)
	c.kept = kept.Count
	if c.remade {
		// Where it cannot be written the next one makes it again.
		_ = c.index.write(dir)
	}
	return c, err
}

// timesLost reports whether lines of TimingsFile are or were damaged.
func (c *contents) timesLost() bool {
	return slices.ContainsFunc(c.files, func(l Lines) bool { return l.File == TimingsFile && len(l.Damaged) > 0 }) ||
		slices.ContainsFunc(c.aside, func(a aside) bool { return a.File == TimingsFile })
}

// timingsOf returns the path of TimingsFile or, where there is none, of packedTimingsFile.
func timingsOf(dir string) string {
	plain, packed := filepath.Join(dir, TimingsFile), filepath.Join(dir, packedTimingsFile)
	if _, err := os.Stat(plain); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(packed); err == nil {
			return packed
		}
	}
	return plain
}

// readRuns reads RunsFile or, where there is none, PackedFile.
func (c *contents) readRuns(dir string) error {
	plain, packed := filepath.Join(dir, RunsFile), filepath.Join(dir, PackedFile)
	var err error
	if _, missing := os.Stat(plain); errors.Is(missing, fs.ErrNotExist) {
		c.runs, err = c.loadRuns(packed)
		return err
	}
	if _, err := os.Stat(packed); err == nil {
		c.warnings = append(c.warnings, fmt.Sprintf("%s is ignored, because %s exists: remove one of them", packed, plain))
	}
	c.runs, err = c.loadRuns(plain)
	return err
}

func isJournal(name string) bool {
	return strings.HasPrefix(name, journalPrefix) && strings.HasSuffix(name, journalSuffix)
}

// differ reports whether two records of one identity differ in more than what
// the plan calls them: if so, the computation is not deterministic.
func differ(a, b Run) bool {
	b.Dataset, b.Group, b.Series = a.Dataset, a.Group, a.Series
	x, errX := Content(a)
	y, errY := Content(b)
	return errX != nil || errY != nil || !bytes.Equal(x, y)
}

func nondeterminism(r Run) string {
	return fmt.Sprintf("%s: two records of the same run (key %s, extent %s) differ; the first is kept. Either the algorithm, its data or the machine is not deterministic, or the algorithm changed without a new Version", r.Name(), r.Key, r.Extent)
}
