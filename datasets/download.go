package datasets

import (
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
)

const (
	partSuffix = ".part" // an unfinished download, resumed by the next attempt
	badSuffix  = ".bad"  // a finished download with the wrong checksum

	// attempts is how often a download that broke off is resumed at once.
	attempts = 3
)

// downloader gets files over HTTP.
type downloader struct {
	opt     *Options
	timeout timeouts
	client  *http.Client
}

func newDownloader(opt *Options, timeout timeouts) *downloader {
	return &downloader{opt, timeout, &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			limit := timeout.dial
			if opt.Hosts.any() {
				limit = timeout.dialAgain
			}
			return (&net.Dialer{Timeout: limit}).DialContext(ctx, network, addr)
		},
		TLSHandshakeTimeout:   timeout.header,
		ResponseHeaderTimeout: timeout.header,
		DisableCompression:    true,
	}}}
}

// get downloads address to path, as form g of file f. Data arrive in a file of this call
// alone, so several processes may download the same file. It is renamed to path once its
// checksum is right, and to path.bad if it is wrong. If the download breaks off it is renamed
// to path.part, which the next call resumes.
func (d *downloader) get(ctx context.Context, address, path string, f *File, g *Form) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%s is not a URL", address)
	}
	if err := d.opt.Hosts.failure(u.Host); err != nil {
		return fmt.Errorf("%s: %w", u.Host, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write to the cache: %w", err)
	}
	left := path + partSuffix
	part := fmt.Sprintf("%s-%d-%08x", left, os.Getpid(), rand.Uint32())
	if err := os.Rename(left, part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot write to the cache: %w", err)
	}
	defer func() { _ = os.Rename(part, left) }() // it is not there if the download is complete
	for try := 1; ; try++ {
		before := fileSize(part)
		resumed, err := d.transfer(ctx, address, part, g)
		if err == nil {
			if err = f.verify(part); err == nil {
				return os.Rename(part, path)
			}
			if err = setAside(err, part, path+badSuffix, address); err == nil || !resumed || try == attempts {
				return err
			}
			d.opt.log("%v; downloading it again from the start", err)
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, broken := errors.AsType[*brokenError](err); broken && try < attempts && fileSize(part) > before {
			d.opt.log("%v; resuming at %s", err, bytesText(fileSize(part)))
			continue
		}
		if unreachable, ok := errors.AsType[*unreachableError](err); ok {
			if d.opt.Hosts.fail(u.Host, unreachable) {
				d.opt.log("cannot reach %s (%v); going on without it", u.Host, unreachable)
			}
			return fmt.Errorf("%s: %w", u.Host, unreachable)
		}
		d.opt.log("%v", err)
		return err
	}
}

// setAside renames a download with the wrong checksum and says so.
func setAside(err error, part, bad, address string) error {
	sum, ok := errors.AsType[*ChecksumError](err)
	if !ok {
		return err
	}
	if rerr := os.Rename(part, bad); rerr != nil {
		return rerr
	}
	sum.Path = bad
	sum.Advice = "downloaded from " + address + " and kept there"
	return sum
}

// unreachableError is a host that did not answer.
type unreachableError struct{ err error }

func (e *unreachableError) Error() string { return e.err.Error() }
func (e *unreachableError) Unwrap() error { return e.err }

// brokenError is a download that ended before its end.
type brokenError struct{ msg string }

func (e *brokenError) Error() string { return e.msg }

// transfer brings the file part to the size of g. resumed says that part had
// content before which was kept.
func (d *downloader) transfer(ctx context.Context, address, part string, g *Form) (resumed bool, err error) {
	have := fileSize(part)
	if have == g.Size && have > 0 {
		return true, nil
	}
	if have > g.Size { // so too if the size is not known
		have = 0
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := d.request(ctx, address, have)
	if err == nil && resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0 {
		resp.Body.Close()
		have = 0
		resp, err = d.request(ctx, address, 0)
	}
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()

	switch resp.StatusCode {
	case http.StatusOK: // also from a server that does not know ranges
		have = 0
	case http.StatusPartialContent:
		if got := resp.Header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", have)) {
			return false, fmt.Errorf("%s: asked for bytes from %d on, the server sent %q", address, have, got)
		}
	default:
		return false, fmt.Errorf("%s: the server says %s", address, resp.Status)
	}
	size := g.Size
	if n := resp.ContentLength; size == 0 {
		if size = n; n < 0 {
			return false, fmt.Errorf("%s: neither the manifest nor the server says how large the file is", address)
		}
	} else if n >= 0 && have+n != size {
		return false, fmt.Errorf("%s: the server offers %d bytes, the file has %d", address, have+n, size)
	}
	if have > 0 {
		d.opt.log("resuming %s at %s of %s", address, bytesText(have), bytesText(size))
	} else {
		d.opt.log("downloading %s (%s)", address, bytesText(size))
	}
	return have > 0, d.save(ctx, cancel, resp.Body, part, address, have, size)
}

func (d *downloader) request(ctx context.Context, address string, from int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "stochopt-datasets")
	if from > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	resp, err := d.client.Do(req)
	if err != nil {
		if ue, ok := errors.AsType[*url.Error](err); ok {
			err = ue.Err // without the method and address, which the caller adds
		}
		return nil, &unreachableError{err}
	}
	return resp, nil
}

// save appends body to part, from byte have on, until it has size bytes.
func (d *downloader) save(ctx context.Context, cancel context.CancelCauseFunc, body io.Reader, part, address string, have, size int64) error {
	flags := os.O_CREATE | os.O_WRONLY
	if have == 0 {
		flags |= os.O_TRUNC
	}
	if info, err := os.Stat(part); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write to the cache: %s is not a file; remove it", part)
	}
	f, err := os.OpenFile(part, flags, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write to the cache: %w", err)
	}
	defer f.Close() // a second Close below reports what the first one found
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return err
	}
	stalled := fmt.Errorf("no data for %v", d.timeout.stall)
	p := &pace{Reader: body, limit: d.timeout.stall}
	p.stalled = time.AfterFunc(d.timeout.stall, func() { cancel(stalled) })
	defer p.stalled.Stop()
	watched, done := context.WithCancel(ctx)
	defer done()
	go d.watch(watched, cancel, p, address, have, size)
	n, err := io.Copy(f, io.LimitReader(p, size-have+1))
	have += n
	slow, tooSlow := errors.AsType[*slowError](context.Cause(ctx))
	_, ofFile := errors.AsType[*fs.PathError](err)
	switch {
	case ofFile:
		return fmt.Errorf("cannot write to the cache: %w", err)
	case err != nil && tooSlow:
		return fmt.Errorf("%s: given up after %d of %d bytes: %w; they are kept, and the same command goes on from there",
			address, have, size, slow)
	case err != nil && context.Cause(ctx) == stalled:
		return &brokenError{fmt.Sprintf("%s: %v after %d of %d bytes", address, stalled, have, size)}
	case err != nil:
		return &brokenError{fmt.Sprintf("%s: broke off after %d of %d bytes (%v)", address, have, size, err)}
	case have < size:
		return &brokenError{fmt.Sprintf("%s: ended after %d of %d bytes", address, have, size)}
	case have > size:
		return fmt.Errorf("%s: the server sent more than the %d bytes of the file", address, size)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("cannot write to the cache: %w", err)
	}
	return f.Close()
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func bytesText(n int64) string {
	if n < 1e5 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
