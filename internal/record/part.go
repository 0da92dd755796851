package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stochopt/internal/disk"
)

// PartsFolder contains one file per process of a shard or cluster job, PART-HOST-PID-NONCE.jsonl, and
// the plan that they share. Each process writes only its own file.
const PartsFolder = "parts"

const (
	partSuffix = ".jsonl"
	// PartsPlanFile is the plan of the parts, one ID per line.
	PartsPlanFile = "plan" + partSuffix
)

// entry is a line of a part: a run with its timing, or an optimum.
type entry struct {
	Run     *Run     `json:"run,omitempty"`
	Timing  *Timing  `json:"timing,omitempty"`
	Optimum *Optimum `json:"optimum,omitempty"`
}

// Optimum is a certified optimum. ID identifies the problem.
type Optimum struct {
	ID   string          `json:"id"`
	Data json.RawMessage `json:"data"`
}

func encodeEntry(e entry) ([]byte, error) {
	text, err := encodeLine(e)
	if err != nil {
		return nil, err
	}
	return append(Seal(text), '\n'), nil
}

func decodeEntry(object []byte) (e entry, err error) {
	var raw struct {
		Run     json.RawMessage `json:"run"`
		Timing  *Timing         `json:"timing"`
		Optimum *Optimum        `json:"optimum"`
	}
	if err := DecodeLine(object, &raw); err != nil {
		return e, err
	}
	if raw.Optimum != nil {
		return entry{Optimum: raw.Optimum}, nil
	}
	if raw.Run == nil || raw.Timing == nil {
		return e, errors.New("the line contains neither a run with its timing nor an optimum")
	}
	r, err := decodeRun(raw.Run)
	return entry{Run: &r, Timing: raw.Timing}, cmp.Or(err, raw.Timing.validate())
}

// partsFolder creates the folder of the parts.
func partsFolder(dir string) (string, error) {
	folder := filepath.Join(dir, PartsFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("results: cannot create folder %s: %w; use another --out", folder, err)
	}
	return folder, nil
}

// newPart creates the file of a part.
func newPart(dir, part string) (*os.File, error) {
	folder, err := partsFolder(dir)
	if err != nil {
		return nil, err
	}
	host := strings.Map(func(c rune) rune {
		if c == '/' || c == '\\' || c <= ' ' || c == ':' {
			return '_'
		}
		return c
	}, hostname())
	name := fmt.Sprintf("%s-%s-%d-%08x%s", part, host, os.Getpid(), rand.Uint32(), partSuffix)
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("results: cannot create a file in %s: %w", folder, err)
	}
	return f, nil
}

// partFile is the content of a part.
type partFile struct {
	name    string
	bytes   int64
	entries []entry
	damage  []string
}

// readParts reads the parts of a folder whose size differs from the imported number of bytes.
func readParts(dir string, imported map[string]int64) (parts []partFile, err error) {
	folder := filepath.Join(dir, PartsFolder)
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("results: cannot read folder %s: %w", folder, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !strings.HasSuffix(f.Name(), partSuffix) || f.Name() == PartsPlanFile || info.Size() == imported[f.Name()] {
			continue
		}
		p := partFile{name: f.Name(), bytes: info.Size()}
		p.damage, err = readText(filepath.Join(folder, p.name), true, decodeEntry, func(e entry) { p.entries = append(p.entries, e) })
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// writePartsPlan writes the shared plan of the parts, unless the file has the right content already.
func writePartsPlan(dir string, plan []ID) error {
	var text []byte
	for _, id := range plan {
		line, err := encodeLine(id)
		if err != nil {
			return err
		}
		text = append(append(text, Seal(line)...), '\n')
	}
	path := filepath.Join(dir, PartsFolder, PartsPlanFile)
	if old, err := disk.ReadFile(path, len(text)); err == nil && slices.Equal(old, text) {
		return nil
	}
	if _, err := partsFolder(dir); err != nil {
		return err
	}
	return disk.Replace(path, text)
}

// readPartsPlan reads the shared plan of the parts. It returns a nil plan if there is no file or a line
// is damaged: an incomplete plan would hide records.
func readPartsPlan(dir string) (plan []ID, damage []string, err error) {
	path := filepath.Join(dir, PartsFolder, PartsPlanFile)
	if !exists(path) {
		return nil, nil, nil
	}
	damage, err = readText(path, false, func(object []byte) (id ID, err error) { return id, DecodeLine(object, &id) }, func(id ID) { plan = append(plan, id) })
	if len(damage) > 0 {
		plan = nil
	}
	return plan, damage, err
}
