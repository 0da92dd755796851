package datasets

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stochopt/internal/disk"
)

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
	text := ""
	h := sha256.New()
	if err := readFile(path, h, func(io.Reader) error { return nil }); err == nil { // else it is damaged
		text = fmt.Sprintf("%x", h.Sum(nil))
	}
	if text == stored { // it is not compressed
		text = ""
	}
	if text == f.SHA256 {
		return nil
	}
	return &ChecksumError{Path: path, Got: stored, Want: want, Text: text, WantText: f.SHA256,
		Advice: "nothing was changed; move the file away or get it again"}
}
