package datasets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"stochopt/internal/disk"

	"github.com/dustin/go-humanize"
)

// leastBytes is the least progress of a download per timeouts.tick, by default about 1 kB/s.
const leastBytes = 20 << 10

// timeouts limit the stages of a download: connecting, receiving the header, and each leastBytes.
type timeouts struct {
	dial, header, tick time.Duration
}

var defaultTimeouts = timeouts{dial: 2 * time.Second, header: 5 * time.Second, tick: 20 * time.Second}

// downloader downloads files over HTTP.
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

// get downloads form g of file f from address to dir/name. It creates the file only if the content is
// complete and has the right checksum. After a host was unreachable once, get fails for it at once.
func (d *downloader) get(ctx context.Context, address, dir, name string, f *File, g *Form) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%s is not a URL", address)
	}
	if err, failed := d.unreachable.Load(u.Host); failed {
		return err.(error)
	}
	err = d.transfer(ctx, address, dir, name, f, g)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if unreachable, isHost := errors.AsType[*url.Error](err); isHost {
		err = fmt.Errorf("%s: %w", u.Host, unreachable.Err)
		d.unreachable.Store(u.Host, err)
	}
	if err != nil {
		d.opt.log("%v", err)
	}
	return err
}

// transfer implements get. The error is a *url.Error if the host is unreachable.
func (d *downloader) transfer(ctx context.Context, address, dir, name string, f *File, g *Form) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "stochopt-datasets")
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	size := cmp.Or(g.Size, resp.ContentLength)
	switch {
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: the server replied %s", address, resp.Status)
	case size < 0:
		return fmt.Errorf("%s: the size of the file is unknown: neither the manifest nor the server states it", address)
	case resp.ContentLength >= 0 && resp.ContentLength != size:
		return fmt.Errorf("%s: wrong size: the server sends %d bytes, want %d", address, resp.ContentLength, size)
	}
	d.opt.log("downloading %s (%s)", address, humanize.Bytes(uint64(size)))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot write to the cache: %w", err)
	}
	body := &pacedReader{r: resp.Body, pace: d.timeout.tick}
	body.timer = time.AfterFunc(d.timeout.tick, func() { cancel(errSlow) })
	defer body.timer.Stop()
	err = disk.WriteBy(dir, name, func(w io.Writer) error {
		return f.copyVerified(w, io.LimitReader(body, size+1), address)
	})
	switch _, ofFile := errors.AsType[*fs.PathError](err); {
	case ofFile:
		return fmt.Errorf("cannot write to the cache: %w", err)
	case context.Cause(ctx) == errSlow:
		return fmt.Errorf("%s: too slow: stopped after %d of %d bytes: %w in %v",
			address, body.n, size, errSlow, d.timeout.tick)
	case body.n < size && err != nil:
		return fmt.Errorf("%s: the connection was lost after %d of %d bytes", address, body.n, size)
	}
	return err
}

// copyVerified copies r to w. It returns a *ChecksumError unless the decompressed content is f.
func (f *File) copyVerified(w io.Writer, r io.Reader, address string) error {
	stored, content := sha256.New(), sha256.New()
	copied := io.TeeReader(r, io.MultiWriter(w, stored))
	text, _, err := decompress(copied)
	if err == nil {
		_, err = io.Copy(content, text)
	}
	if _, rest := io.Copy(io.Discard, copied); rest != nil {
		return rest
	}
	if sum := fmt.Sprintf("%x", content.Sum(nil)); err != nil || sum != f.SHA256 {
		sums := fmt.Sprintf("sha256 is %x; decompressed %s, want %s", stored.Sum(nil), sum, f.SHA256)
		return &ChecksumError{address, sums, "the download was discarded"}
	}
	return nil
}

// errSlow is the cause of a download that was cancelled because it was too slow.
var errSlow = fmt.Errorf("less than %s", humanize.Bytes(leastBytes))

// pacedReader resets a timer after every leastBytes bytes.
type pacedReader struct {
	r       io.Reader
	n, next int64 // bytes read, and bytes read at the last reset
	pace    time.Duration
	timer   *time.Timer
}

// Read implements io.Reader.
func (p *pacedReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.n += int64(n)
	if p.n >= p.next+leastBytes {
		p.next = p.n
		p.timer.Reset(p.pace)
	}
	return n, err
}
