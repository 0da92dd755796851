// Package disk reads and writes files where others may have put something else: a pipe or a device
// in the place of a file, a symbolic link in the place of a folder.
package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// Open opens a regular file for reading. It refuses at once, without waiting for a writer, what may
// never end: a pipe, a device, a socket. A folder is refused too.
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

// ReadFile is os.ReadFile of what Open opens. Of a file with more than most bytes it returns the
// beginning, most + 1 bytes, and an error that is ErrTooLong.
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

// tooLong is ErrTooLong with the greatest number of bytes.
type tooLong int

func (most tooLong) Error() string {
	return fmt.Sprintf("it is longer than %s, the most that it may be", humanize.IBytes(uint64(most)))
}

func (tooLong) Unwrap() error { return ErrTooLong }

// regular returns why something is no regular file, nil if it is.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	return &fs.PathError{Op: "read", Path: path, Err: errors.New("it is a pipe, a socket or a device, not a file")}
}

// Create writes a file that must not exist, and of several who do so for one path one succeeds: the
// error of the others is fs.ErrExist. The file is there whole or not at all, unless the file system
// has no hard links and the process is killed.
func Create(path string, data []byte) error {
	temp := filepath.Join(filepath.Dir(path), temporary(filepath.Base(path)))
	if err := createAt(temp, data); err != nil {
		return err
	}
	err := os.Link(temp, path)
	if err = errors.Join(err, os.Remove(temp)); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return createAt(path, data)
}

func createAt(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// Replace writes a file, whole or not at all.
func Replace(path string, data []byte) error {
	return Write(filepath.Dir(path), filepath.Base(path), data)
}

// Write writes a file of a folder, whole or not at all. The name may have folders in it, which are
// made if need be; one that is a symbolic link out of dir is refused, as is any other name that
// leads out of it.
func Write(dir, name string, data []byte) error {
	return WriteBy(dir, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteBy is Write of what a function writes, which need not fit in memory. After an error of the
// function there is no file, or the one that was there.
func WriteBy(dir, name string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if sub := filepath.Dir(name); sub != "." {
		if err := root.MkdirAll(sub, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { // a link to a folder
			return leading(dir, sub, err)
		}
	}
	removeAbandoned(root, name)
	temp := filepath.Join(filepath.Dir(name), temporary(filepath.Base(name)))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return leading(dir, filepath.Dir(name), err)
	}
	if err = errors.Join(write(f), f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// temporary returns a name for a file until it is whole: see Sweep. It names the process.
func temporary(name string) string {
	return fmt.Sprintf("%s%d-%d", temporaries(name), os.Getpid(), rand.Uint64())
}

// temporaries is how the names of temporary files begin that this host makes for a file.
func temporaries(name string) string {
	host, _ := os.Hostname() // "" on an error
	return fmt.Sprintf(".%s.tmp-%s-", name, host)
}

// removeAbandoned removes the temporary files of a file whose processes, on this host, were killed.
func removeAbandoned(root *os.Root, name string) {
	folder, err := root.Open(filepath.Dir(name))
	if err != nil {
		return
	}
	defer folder.Close()
	files, _ := folder.Readdirnames(-1) // what cannot be read stays
	for _, file := range files {
		of, ours := strings.CutPrefix(file, temporaries(filepath.Base(name)))
		id, _, _ := strings.Cut(of, "-")
		if process, err := strconv.Atoi(id); ours && err == nil && Ended(process) {
			root.Remove(filepath.Join(filepath.Dir(name), file))
		}
	}
}

// Ended reports whether no process of this host has a number.
func Ended(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return true
	}
	defer p.Release()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
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

// Sweep removes the files that writes that were killed have left in folders of dir. No other
// process may be writing there.
func Sweep(dir string, folders ...string) error {
	for _, folder := range folders {
		files, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, f := range files {
			if strings.HasPrefix(f.Name(), ".") && strings.Contains(f.Name(), ".tmp") {
				if err := Remove(dir, filepath.Join(folder, f.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// leading adds advice to the error of a name that leads out of a folder.
func leading(dir, name string, err error) error {
	if err != nil && strings.HasSuffix(err.Error(), "path escapes from parent") {
		return fmt.Errorf("%s leads out of %s, by a symbolic link: remove the link, or name the folder it leads to", filepath.Join(dir, name), dir)
	}
	return err
}
