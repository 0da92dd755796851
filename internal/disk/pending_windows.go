package disk

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Pending is a file that takes the place of another once it is complete: write to it, then
// CloseAtomicallyReplace. Cleanup removes what has not been renamed. Package renameio
// leaves Windows out, where a rename is one step for readers but may not be when the power
// is lost.
type Pending struct {
	*os.File
	folder     *os.Root
	temp, base string
	done       bool
}

// NewPending starts a file that will take the place of path.
func NewPending(path string) (*Pending, error) {
	folder, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	p, err := pendingIn(folder, filepath.Base(path))
	if err != nil {
		folder.Close()
	}
	return p, err
}

func pendingIn(folder *os.Root, base string) (*Pending, error) {
	temp := fmt.Sprintf(".%s%d", base, 1_000_000_000+rand.Int64N(1<<60)) // see leftover
	f, err := folder.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	return &Pending{File: f, folder: folder, temp: temp, base: base}, err
}

// CloseAtomicallyReplace puts the file in its place.
func (p *Pending) CloseAtomicallyReplace() error {
	err := p.Sync()
	err = cmp.Or(err, p.Close())
	if err == nil {
		err = p.folder.Rename(p.temp, p.base)
	}
	p.done = err == nil
	return err
}

// Cleanup removes the file if it has not been put in its place.
func (p *Pending) Cleanup() error {
	defer p.folder.Close()
	if p.done {
		return nil
	}
	_ = p.Close() // an open file cannot be removed; it may be closed already
	return p.folder.Remove(p.temp)
}

// Replace writes a file, whole or not at all, where path may lead anywhere.
func Replace(path string, data []byte) error {
	p, err := NewPending(path)
	if err != nil {
		return err
	}
	return p.finish(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func replaceIn(folder *os.Root, base string, write func(w io.Writer) error) error {
	own, err := folder.OpenRoot(".") // which Cleanup may close
	if err != nil {
		return err
	}
	p, err := pendingIn(own, base)
	if err != nil {
		own.Close()
		return err
	}
	return p.finish(write)
}

func (p *Pending) finish(write func(w io.Writer) error) error {
	defer p.Cleanup()
	if err := write(p); err != nil {
		return err
	}
	return p.CloseAtomicallyReplace()
}
