//go:build !windows

package disk

import (
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

func replaceIn(folder *os.Root, base string, data []byte) error {
	return renameio.WriteFile(base, data, 0o644, renameio.WithRoot(folder))
}
