package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sumFile returns the SHA-256 of a file as stored and, if it is
// compressed, of its content ("" if it is not, or is damaged).
func sumFile(path string, content bool) (stored, text string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", "", err
	}
	stored = hex.EncodeToString(h.Sum(nil))
	if !content {
		return stored, "", nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", "", err
	}
	r, compressed, err := decompress(f)
	if err != nil || !compressed {
		return stored, "", nil
	}
	h.Reset()
	if _, err := io.Copy(h, r); err != nil {
		return stored, "", nil
	}
	return stored, hex.EncodeToString(h.Sum(nil)), nil
}

// verify returns nil if the file at path has the content of f: it is stored as
// one of the forms is, or is a compressed file of its own making with the same
// content. Otherwise the error is a *ChecksumError or one of reading.
func (f *File) verify(path string) error {
	stored, _, err := sumFile(path, false)
	if err != nil {
		return err
	}
	want := []string{}
	for _, g := range f.Forms {
		if g.SHA256 == stored {
			return nil
		}
		if g.SHA256 != "" && g.Name == strings.TrimSuffix(filepath.Base(path), partSuffix) {
			want = append(want, g.SHA256)
		}
	}
	_, text, err := sumFile(path, true)
	if err != nil {
		return err
	}
	if text == f.SHA256 {
		return nil
	}
	return &ChecksumError{Path: path, Got: stored, Want: want, Text: text, WantText: f.SHA256,
		Advice: "nothing was changed; move the file away or get it again"}
}
