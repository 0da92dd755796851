package run

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is what the calling thread has had of the processors, 0 if it is not known.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
