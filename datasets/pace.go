package datasets

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// leastBytes is what a download must bring in the time timeouts.slow, about 1 kB/s.
const leastBytes = 64 << 10

// slowError is a download that was given up because it would take too long.
type slowError struct{ limit time.Duration }

func (e *slowError) Error() string {
	return fmt.Sprintf("less than %d kB in %v", leastBytes>>10, e.limit)
}

// pace is the reader of a download under way.
type pace struct {
	io.Reader
	read atomic.Int64
	// stalled ends the download unless it is put off by data.
	stalled *time.Timer
	limit   time.Duration
}

// Read implements io.Reader.
func (p *pace) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.read.Add(int64(n))
	p.stalled.Reset(p.limit)
	return n, err
}

// watch tells now and then how far a download is, from byte have on, and gives up one
// that trickles, until the context ends.
func (d *downloader) watch(ctx context.Context, giveUp context.CancelCauseFunc, p *pace, address string, have, size int64) {
	tell, check := time.NewTicker(d.timeout.tell), time.NewTicker(d.timeout.slow)
	defer tell.Stop()
	defer check.Stop()
	told, checked := int64(0), int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tell.C:
			n := p.read.Load()
			rate := float64(n-told) / d.timeout.tell.Seconds()
			d.opt.log("%s: %s of %s, %.1f kB/s", address, bytesText(have+n), bytesText(size), rate/1e3)
			told = n
		case <-check.C:
			n := p.read.Load()
			if n-checked < leastBytes {
				giveUp(&slowError{d.timeout.slow})
				return
			}
			checked = n
		}
	}
}
