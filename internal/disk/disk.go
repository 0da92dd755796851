// Package disk reads and writes files in folders that others can modify. It rejects pipes and devices
// in place of files and symbolic links out of a folder.
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

// Open opens a regular file for reading. It returns an error for folders, pipes, devices and sockets,
// and does not block on them.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	// The file may have been replaced in the meantime.
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

// ErrTooLong is wrapped by errors about files that exceed a size limit.
var ErrTooLong = errors.New("too long")

// ReadFile reads a file opened by Open. If the file has more than most bytes, it returns the first
// most + 1 bytes and an error that wraps ErrTooLong.
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

// SHA256 returns the SHA-256 of a file in hexadecimal. It opens the file with Open.
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

// SHA256Of returns the SHA-256 of data in hexadecimal.
func SHA256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// tooLong is ErrTooLong with the limit in bytes.
type tooLong int

func (most tooLong) Error() string {
	return fmt.Sprintf("it is longer than the limit of %s", humanize.IBytes(uint64(most)))
}

func (tooLong) Unwrap() error { return ErrTooLong }

// regular returns an error unless info describes a regular file.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	}
	return &fs.PathError{Op: "read", Path: path, Err: errors.New("it is a pipe, a socket or a device, not a file")}
}

// Create atomically creates a file with the given content. If the file exists, the error is
// fs.ErrExist: only one of several concurrent calls succeeds. On file systems without hard links, a
// killed process may leave an incomplete file.
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

// Replace atomically writes a file.
func Replace(path string, data []byte) error {
	return Write(filepath.Dir(path), filepath.Base(path), data)
}

// Write atomically writes a file in dir. It creates folders in name if necessary. It returns an error if
// name leads out of dir, for example by a symbolic link.
func Write(dir, name string, data []byte) error {
	return WriteBy(dir, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteBy is Write for content produced by a function. If the function returns an error, WriteBy does
// not change the file.
func WriteBy(dir, name string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if sub := filepath.Dir(name); sub != "." {
		if err := root.MkdirAll(sub, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { // a link to a folder
			return explainEscape(dir, sub, err)
		}
	}
	removeAbandoned(root, name)
	temp := filepath.Join(filepath.Dir(name), temporary(filepath.Base(name)))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return explainEscape(dir, filepath.Dir(name), err)
	}
	if err = errors.Join(write(f), f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// temporary returns a temporary name for a file. It contains the id of this process; see Sweep.
func temporary(name string) string {
	return fmt.Sprintf("%s%d-%d", temporaryPrefix(name), os.Getpid(), rand.Uint64())
}

// temporaryPrefix returns the prefix of the temporary names of a file on this host.
func temporaryPrefix(name string) string {
	host, _ := os.Hostname() // "" on an error
	return fmt.Sprintf(".%s.tmp-%s-", name, host)
}

// removeAbandoned removes temporary files that killed processes on this host left for a file.
func removeAbandoned(root *os.Root, name string) {
	folder, err := root.Open(filepath.Dir(name))
	if err != nil {
		return
	}
	defer folder.Close()
	files, _ := folder.Readdirnames(-1) // best effort
	for _, file := range files {
		suffix, ours := strings.CutPrefix(file, temporaryPrefix(filepath.Base(name)))
		id, _, _ := strings.Cut(suffix, "-")
		if process, err := strconv.Atoi(id); ours && err == nil && Ended(process) {
			root.Remove(filepath.Join(filepath.Dir(name), file))
		}
	}
}

// Ended reports whether there is no process with the given id on this host.
func Ended(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return true
	}
	defer p.Release()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Remove removes a file in dir, if it exists. As in Write, name must not lead out of dir.
func Remove(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explainEscape(dir, name, err)
	}
	return nil
}

// Sweep removes the temporary files in folders of dir. No other process may be writing there.
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

// explainEscape adds advice to the error for a name that leads out of a folder.
func explainEscape(dir, name string, err error) error {
	if strings.HasSuffix(err.Error(), "path escapes from parent") {
		return fmt.Errorf("%s leads out of %s by a symbolic link: remove the link, or use its target instead",
			filepath.Join(dir, name), dir)
	}
	return err
}
