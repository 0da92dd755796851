// Package disk reads and writes files where others may have put something else: a pipe
// or a device in the place of a file, a symbolic link in the place of a folder.
package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// Open opens a regular file for reading. It refuses at once, without waiting for a writer,
// what may never end: a pipe, a device, a socket. A folder is refused too.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	// It may have been replaced since.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ErrTooLong is in the error of a file that is longer than it may be.
var ErrTooLong = errors.New("too long")

// ReadFile is os.ReadFile of what Open opens. Of a file with more than so many bytes it
// returns the beginning, one byte more than that, and an error that is ErrTooLong.
func ReadFile(path string, most int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	if info, err := f.Stat(); err == nil {
		b.Grow(int(min(info.Size(), int64(most))) + bytes.MinRead)
	}
	_, err = b.ReadFrom(io.LimitReader(f, int64(most)+1))
	data := b.Bytes()
	if err == nil && len(data) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: tooLong(most)}
	}
	return data, err
}

// SHA256 returns that of a file which Open opens, in hexadecimal digits.
func SHA256(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// SHA256Of is SHA256 of a file that holds data.
func SHA256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tooLong is ErrTooLong with the number of bytes that there may be.
type tooLong int

func (most tooLong) Error() string {
	return fmt.Sprintf("it is longer than %s, the most that it may be", humanize.IBytes(uint64(most)))
}

func (tooLong) Unwrap() error { return ErrTooLong }

// kinds names what is no regular file.
var kinds = []struct {
	mode fs.FileMode
	name string
}{{fs.ModeNamedPipe, "a pipe"}, {fs.ModeSocket, "a socket"}, {fs.ModeDevice, "a device"}}

// regular returns why something is no regular file, nil if it is.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	what := "not a file"
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			what = k.name + ", not a file"
		}
	}
	return &fs.PathError{Op: "read", Path: path, Err: errors.New(what)}
}

// Write writes a file of a folder, whole or not at all. The name may have folders in it,
// which are made if need be; one that is a symbolic link out of dir is refused, as is
// any other name that leads out of it.
func Write(dir, name string, data []byte) error {
	return WriteBy(dir, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteBy is Write of what a function writes, which need not fit in memory. After an error
// of the function there is no file, or the one there was.
func WriteBy(dir, name string, write func(w io.Writer) error) error {
	return within(dir, name, func(folder *os.Root, base string) error { return replaceIn(folder, base, write) })
}

// Remove removes a file of a folder, if it is there. It refuses what Write refuses.
func Remove(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return leading(dir, name, err)
	}
	return nil
}

// leftover is the name of a file that Write had not renamed yet.
var leftover = regexp.MustCompile(`^\..+\.[a-z]+[0-9]{9,}$`)

// Sweep removes what writes that were killed have left in folders of dir. No other
// process may be writing there.
func Sweep(dir string, folders ...string) error {
	for _, folder := range folders {
		names, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, d := range names {
			if d.Type().IsRegular() && leftover.MatchString(d.Name()) {
				if err := Remove(dir, filepath.Join(folder, d.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Inside returns an error if a file or folder of dir is a symbolic link that leads out of it:
// reading or writing it would be elsewhere. Who reads dir tells of other errors.
func Inside(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		if _, err := root.Stat(e.Name()); escapes(err) {
			return leading(dir, e.Name(), err)
		}
	}
	return nil
}

// within calls do with the folder of a name.
func within(dir, name string, do func(folder *os.Root, base string) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	folder := root
	if sub := filepath.Dir(name); sub != "." {
		err := root.MkdirAll(sub, 0o755)
		if err == nil || errors.Is(err, fs.ErrExist) { // a link is there and no folder
			folder, err = root.OpenRoot(sub)
		}
		if err != nil {
			return leading(dir, sub, err)
		}
		defer folder.Close()
	}
	return do(folder, filepath.Base(name))
}

// leading says of a name that leads out of a folder what is to be done.
func leading(dir, name string, err error) error {
	if escapes(err) {
		path := filepath.Join(dir, name)
		return fmt.Errorf("%s leads out of %s, by a symbolic link: remove the link, or name the folder it leads to", path, dir)
	}
	return err
}

// escapes reports whether an error is that of a name that leads out of an os.Root, which
// has no name in package os.
func escapes(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}
