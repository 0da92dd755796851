package record

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"stochopt/internal/disk"
	"stochopt/internal/lease"

	"github.com/dustin/go-humanize"
)

// AwaitPatience is how long who collects waits by default for what others have written.
// Network file systems may show files of other nodes a minute late.
const AwaitPatience = time.Minute

// Late is a journal that is not fully visible.
type Late struct {
	// Part is what Holder, the process that wrote the journal, performed.
	Part   string
	Holder Holder
	// File is a journal of Bytes bytes, of which the first Seen are visible.
	File        string
	Bytes, Seen int64
}

// String says it in words.
func (l Late) String() string {
	return fmt.Sprintf("%s of %s, written by %v, is not to be seen here as it was written: %s of %s are",
		l.File, l.Part, l.Holder.Holder, humanize.IBytes(uint64(l.Seen)), humanize.IBytes(uint64(l.Bytes)))
}

// Await waits until the journals of all finished parts are fully visible, but no longer
// than patience, and returns what is missing then. It does not wait for parts at work.
func Await(ctx context.Context, dir string, patience time.Duration) ([]Late, error) {
	start := time.Now()
	return await(ctx, dir, func(pause time.Duration) bool {
		pause = min(pause, patience-time.Since(start))
		return pause > 0 && lease.Pause(ctx, pause) == nil
	})
}

// await is Await with what waits, and says whether there was still time.
func await(ctx context.Context, dir string, wait func(time.Duration) bool) ([]Late, error) {
	const longest = 2 * time.Second
	whole := make(map[string]bool)
	for pause := longest / 64; ; pause = min(2*pause, longest) {
		if err := refresh(dir); err != nil {
			return nil, fmt.Errorf("results: cannot write to folder %s: %w", dir, err)
		}
		late, err := lateIn(dir, whole)
		if err != nil || len(late) == 0 {
			return nil, err
		}
		more := wait(pause)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !more {
			return late, nil
		}
	}
}

// refresh writes a file to a folder, and removes it: whoever writes to one of a network file
// system sees it as it is.
func refresh(dir string) error {
	f, err := disk.NewPending(filepath.Join(dir, "write.test"))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	_, err = f.Write([]byte{'\n'})
	return err
}

// lateIn returns what is not to be seen now. It takes down in whole which files are.
func lateIn(dir string, whole map[string]bool) (late []Late, err error) {
	holders, err := allHolders(dir)
	if err != nil {
		return nil, err
	}
	for _, h := range holders {
		for _, f := range h.Files {
			if !isJournal(f.File) || filepath.Base(f.File) != f.File {
				return nil, fmt.Errorf("results: the mark %s in folder %s is of %q, which is no journal", h.Stem, dir, f.File)
			}
			at := fmt.Sprintf("%s %d %d", f.File, f.Bytes, f.CRC32C)
			if whole[at] {
				continue
			}
			seen, err := seenOf(filepath.Join(dir, f.File), f.Bytes, f.CRC32C)
			if err != nil {
				return nil, err
			}
			if whole[at] = seen == f.Bytes; !whole[at] {
				late = append(late, Late{h.Part, h, f.File, f.Bytes, seen})
			}
		}
	}
	return late, nil
}

// seenOf returns how many of the first bytes of a file are there, and none if their checksum
// is another.
func seenOf(path string, bytes int64, sum uint32) (int64, error) {
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("results: cannot read %s: %w", path, err)
	}
	defer f.Close()
	hash := crc32.New(castagnoli)
	n, err := io.Copy(hash, io.LimitReader(f, bytes))
	switch {
	case err != nil:
		return 0, fmt.Errorf("results: cannot read %s: %w", path, err)
	case n == bytes && hash.Sum32() != sum:
		return 0, nil // blocks of zeros stand for what has not arrived
	}
	return n, nil
}
