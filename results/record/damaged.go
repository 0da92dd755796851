package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"
)

// DamagedFile keeps the damaged lines of the other files, which are left out when these
// are written anew. It is only appended to.
const DamagedFile = "damaged.jsonl"

// Lines says how sound the lines of one file of a results folder are.
type Lines struct {
	// File is the name of the file in the folder.
	File  string `json:"file"`
	Count int    `json:"lines"`
	// Damaged are the lines that were passed over. A last line of a journal that an
	// interrupted write left is not among them, nor counted.
	Damaged []DamagedLine `json:"damaged,omitempty"`
}

// DamagedLine is a line that cannot be read, or whose checksum is not that of its bytes.
type DamagedLine struct {
	// Line is its number, from 1, or 0 if that is not known.
	Line int    `json:"line"`
	Why  string `json:"why"`
	// Data are its bytes, without the newline.
	Data []byte `json:"-"`
}

// The things that can be done with damaged lines.
const (
	// Aside: they are kept in DamagedFile, and what they recorded is done anew.
	Aside = iota
	// Passed: that is so once the folder is not shared with other processes.
	Passed
	// Seen: the folder is read only.
	Seen
)

// Warning says what is damaged in the file of a folder, and what is done about it. It is
// empty where nothing is.
func (l Lines) Warning(dir string, done int) string {
	if len(l.Damaged) == 0 {
		return ""
	}
	path, first := filepath.Join(dir, l.File), l.Damaged[0]
	at := path
	if first.Line > 0 {
		at = fmt.Sprintf("%s:%d", path, first.Line)
	}
	what, them, they := fmt.Sprintf("%s: damaged line: %s", at, first.Why), "it", "it records"
	if n := len(l.Damaged); n > 1 {
		what, them, they = fmt.Sprintf("%s: %d damaged lines, the first at line %d: %s", path, n, first.Line, first.Why), "them", "they record"
	}
	remedy := map[string]string{
		PlanFile:       "the plan is written anew",
		TimingsFile:    "the runs that lack their times are done anew",
		ReferencesFile: "the optimum is solved again if a run needs it",
		ArchiveFile:    "what " + they + " is done anew once a plan asks for it",
	}[l.File]
	if remedy == "" {
		remedy = "what " + they + " is done anew"
	}
	if l.File == PlanFile && done == Seen {
		what += "; the plan is ignored, and all records count as part of the experiment"
	}
	switch done {
	case Aside:
		return fmt.Sprintf("%s; moved to %s, and %s", what, DamagedFile, remedy)
	case Passed:
		return fmt.Sprintf("%s; ignored, and %s; the first run without --shard moves %s to %s", what, remedy, them, DamagedFile)
	}
	return fmt.Sprintf("%s; ignored; run the spec again: that moves %s to %s, and %s", what, them, DamagedFile, remedy)
}

// aside is a line of DamagedFile.
type aside struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Why  string `json:"why"`
	// Text holds the line, or Bytes if it is not valid UTF-8.
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"base64,omitempty"`
}

// id is the same for the same line of a file, however often it is found.
func (a aside) id() string { return fmt.Sprintf("%s\x00%d\x00%s%s", a.File, a.Line, a.Text, a.Bytes) }

func decodeAside(object []byte) (a aside, err error) { return a, DecodeLine(object, &a) }

// readAside reads DamagedFile. What is damaged in it stays there, and counts.
func readAside(dir string) ([]aside, Lines, error) {
	kept, lines, err := ReadLines(filepath.Join(dir, DamagedFile), true, decodeAside)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return kept, lines, err
}

// PutAside appends the damaged lines of files of a folder to its DamagedFile and forces it
// to disk. Lines that it has already are left out.
func PutAside(dir string, files ...Lines) (err error) {
	path := filepath.Join(dir, DamagedFile)
	defer func() {
		if err != nil {
			err = fmt.Errorf("results: cannot move the damaged lines of %s: %w; nothing was changed: free space or repair the disk, then run the same command again", dir, err)
		}
	}()
	kept, _, err := readAside(dir)
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(kept))
	for _, a := range kept {
		known[a.id()] = true
	}
	var text bytes.Buffer
	for _, l := range files {
		for _, d := range l.Damaged {
			a := aside{File: l.File, Line: d.Line, Why: d.Why, Text: string(d.Data)}
			if !utf8.Valid(d.Data) {
				a.Text, a.Bytes = "", d.Data
			}
			if known[a.id()] {
				continue
			}
			known[a.id()] = true
			line, err := encodeLine(a)
			if err != nil {
				return err
			}
			text.Write(append(Seal(line), '\n'))
		}
	}
	if text.Len() == 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	// A kill may have left a line without its end.
	last := []byte{'\n'}
	if info, err := f.Stat(); err != nil {
		return err
	} else if info.Size() > 0 {
		if _, err := f.ReadAt(last, info.Size()-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		text = *bytes.NewBuffer(append([]byte{'\n'}, text.Bytes()...))
	}
	if _, err := f.Write(text.Bytes()); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return syncDir(dir)
}
