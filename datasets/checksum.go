package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strings"

	"stochopt/internal/disk"
)

// readHashed is readFile that also returns the SHA-256 of the content.
func readHashed(path string, read func(io.Reader) error) (string, error) {
	h := sha256.New()
	err := readFile(path, func(r io.Reader) error {
		tee := io.TeeReader(r, h)
		if err := read(tee); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, tee) // readers end at the end of the file
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// verify returns nil if the file at path has the content of f: it is stored as
// one of the forms is, or is a compressed file of its own making with the same
// content. Otherwise the error is a *ChecksumError or one of reading.
func (f *File) verify(path string) error {
	stored, err := disk.SHA256(path)
	if err != nil {
		return err
	}
	want := []string{}
	name, _, _ := strings.Cut(filepath.Base(path), partSuffix)
	for _, g := range f.Forms {
		if g.SHA256 == stored {
			return nil
		}
		if g.SHA256 != "" && g.Name == name {
			want = append(want, g.SHA256)
		}
	}
	text, err := readHashed(path, func(io.Reader) error { return nil })
	if err != nil || text == stored { // damaged, or not compressed
		text = ""
	}
	if text == f.SHA256 {
		return nil
	}
	return &ChecksumError{Path: path, Got: stored, Want: want, Text: text, WantText: f.SHA256,
		Advice: "nothing was changed; move the file away or get it again"}
}
