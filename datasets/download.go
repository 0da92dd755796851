package datasets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	cannotWrite = "cannot write to the cache: %w"
	partSuffix  = ".part" // an unfinished download, resumed by the next attempt
	// leastBytes is what a download must bring from one tick to the next, about 1 kB/s.
	leastBytes = 20 << 10
)

// timeouts bound each stage of a download: to connect, to get an answer, and to bring leastBytes.
type timeouts struct {
	dial, header, tick time.Duration
}

var defaultTimeouts = timeouts{dial: 2 * time.Second, header: 5 * time.Second, tick: 20 * time.Second}

// downloader gets files over HTTP.
type downloader struct {
	*library
	opt    *Options
	client *http.Client
}

func newDownloader(opt *Options, l *library) *downloader {
	return &downloader{l, opt, &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: l.timeout.dial}).DialContext,
		TLSHandshakeTimeout:   l.timeout.header,
		ResponseHeaderTimeout: l.timeout.header,
		DisableCompression:    true,
	}}}
}

// get downloads address to path, as form g of file f, through a file of this call alone, as
// other processes may download it, too. A download that breaks off is resumed at once if it got
// on, and otherwise leaves path.part for the next call.
func (d *downloader) get(ctx context.Context, address, path string, f *File, g *Form) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%s is not a URL", address)
	}
	if err, failed := d.unreachable.Load(u.Host); failed {
		return err.(error)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf(cannotWrite, err)
	}
	left := path + partSuffix
	part := fmt.Sprintf("%s-%d-%08x", left, os.Getpid(), rand.Uint32())
	if err := os.Rename(left, part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(cannotWrite, err)
	}
	defer func() { _ = os.Rename(part, left) }() // it is not there if the download is complete
	before := fileSize(part)
	err = d.transfer(ctx, address, part, g)
	if err != nil && ctx.Err() == nil && fileSize(part)-before >= leastBytes {
		err = d.transfer(ctx, address, part, g) // it got on, and may resume
	}
	if err == nil {
		err = f.verify(part)
	}
	if err == nil {
		return os.Rename(part, path)
	}
	if sum, wrong := errors.AsType[*ChecksumError](err); wrong {
		sum.Path, sum.Advice = address, "the download was not kept"
		err = errors.Join(err, os.Remove(part))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if unreachable, isHost := errors.AsType[*url.Error](err); isHost {
		err = fmt.Errorf("%s: %w", u.Host, unreachable.Err)
		d.unreachable.Store(u.Host, err)
	}
	d.opt.log("%v", err)
	return err
}

// transfer completes the file part, from its present size to the size of g. The error is a
// *url.Error if the host does not answer.
func (d *downloader) transfer(ctx context.Context, address, part string, g *Form) error {
	have := fileSize(part)
	if have == g.Size && have > 0 {
		return nil
	}
	if have > g.Size { // so too if the size is not known
		have = 0
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "stochopt-datasets")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch sent := resp.Header.Get("Content-Range"); {
	case resp.StatusCode == http.StatusOK: // also from a server that does not know ranges
		have = 0
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return errors.Join(fmt.Errorf("%s: the server says %s; the same command starts anew", address, resp.Status), os.Truncate(part, 0))
	case resp.StatusCode != http.StatusPartialContent:
		return fmt.Errorf("%s: the server says %s", address, resp.Status)
	case !strings.HasPrefix(sent, fmt.Sprintf("bytes %d-", have)):
		return fmt.Errorf("%s: asked for bytes from %d on, the server sent %q", address, have, sent)
	}
	size, n := g.Size, resp.ContentLength
	switch {
	case size == 0 && n < 0:
		return fmt.Errorf("%s: neither the manifest nor the server says how large the file is", address)
	case size == 0:
		size = n
	case n >= 0 && have+n != size:
		return fmt.Errorf("%s: the server offers %d bytes, the file has %d", address, have+n, size)
	}
	d.opt.log("downloading %s from byte %d on (%s)", address, have, bytesText(size))
	watched, done := context.WithCancel(ctx)
	defer done()
	go d.watch(watched, cancel, address, part, have, size)
	have, err = appendTo(part, have, io.LimitReader(resp.Body, size-have+1))
	switch _, ofFile := errors.AsType[*fs.PathError](err); {
	case ofFile:
		return fmt.Errorf(cannotWrite, err)
	case have == size: // all of it, even if the server does not end it
	case context.Cause(ctx) == errSlow:
		return fmt.Errorf("%s: given up after %d of %d bytes: %w in %v; they are kept, and the same command goes on from there",
			address, have, size, errSlow, d.timeout.tick)
	case have > size:
		return fmt.Errorf("%s: the server sent more than the %d bytes of the file", address, size)
	default:
		return fmt.Errorf("%s: broke off after %d of %d bytes (%w); the same command goes on from there",
			address, have, size, cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// appendTo writes what r brings to a file, from byte have on, and returns the size of the file.
func appendTo(path string, have int64, r io.Reader) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return have, err
	}
	defer f.Close() // a second Close below reports what the first one found
	if err := f.Truncate(have); err != nil {
		return have, err
	}
	n, err := io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	return have + n, errors.Join(err, f.Close())
}

// errSlow is why a download is given up.
var errSlow = fmt.Errorf("less than %s", bytesText(leastBytes))

// watch reports the progress of a download to part, and gives it up if it trickles, until the
// context ends.
func (d *downloader) watch(ctx context.Context, giveUp context.CancelCauseFunc, address, part string, have, size int64) {
	ticker := time.NewTicker(d.timeout.tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			now := fileSize(part)
			rate := float64(now-have) / d.timeout.tick.Seconds()
			d.opt.log("%s: %s of %s, %s/s", address, bytesText(now), bytesText(size), bytesText(int64(rate)))
			if now-have < leastBytes {
				giveUp(errSlow)
				return
			}
			have = now
		}
	}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func bytesText(n int64) string { return humanize.Bytes(uint64(max(n, 0))) }
