//go:build !windows

package disk

import (
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Pending is a file that takes the place of another once it is complete: write to it, then
// CloseAtomicallyReplace. Cleanup removes what has not been renamed.
type Pending = renameio.PendingFile

// NewPending starts a file that will take the place of path.
func NewPending(path string) (*Pending, error) {
	return renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o644))
}

// Replace writes a file, whole or not at all, where path may lead anywhere.
func Replace(path string, data []byte) error { return renameio.WriteFile(path, data, 0o644) }

func replaceIn(folder *os.Root, base string, write func(w io.Writer) error) error {
	p, err := renameio.NewPendingFile(base, renameio.WithRoot(folder), renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() { _ = p.Cleanup() }() // nothing is left of it once it is in its place
	if err := write(p); err != nil {
		return err
	}
	return p.CloseAtomicallyReplace()
}
