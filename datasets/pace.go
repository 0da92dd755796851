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

// slowError reports a download that was given up as too slow.
type slowError struct{ limit time.Duration }

func (e *slowError) Error() string {
	return fmt.Sprintf("less than %d kB in %v", leastBytes>>10, e.limit)
}

// pace is the reader of a download under way.
type pace struct {
	io.Reader
	read atomic.Int64
	// stalled ends the download; each read of data puts it off.
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

// watch reports the progress of a download that began at byte have, and gives it up if it
// trickles, until the context ends.
func (d *downloader) watch(ctx context.Context, giveUp context.CancelCauseFunc, p *pace, address string, have, size int64) {
	tell, stopTelling := d.timeout.ticker(d.timeout.tell)
	defer stopTelling()
	check, stopChecking := d.timeout.ticker(d.timeout.slow)
	defer stopChecking()
	told, checked := int64(0), int64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tell:
			n := p.read.Load()
			rate := float64(n-told) / d.timeout.tell.Seconds()
			d.opt.log("%s: %s of %s, %.1f kB/s", address, bytesText(have+n), bytesText(size), rate/1e3)
			told = n
		case <-check:
			n := p.read.Load()
			if n-checked < leastBytes {
				giveUp(&slowError{d.timeout.slow})
				return
			}
			checked = n
		}
	}
}
