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

// threadClock returns the time that the calling thread has had of the processors, as a function
// that any thread may call; it must not be called once that thread has ended.
func threadClock() func() time.Duration {
	// The kernel's number for the clock of a thread: see clock_getres(2), and
	// pthread_getcpuclockid, which makes the same.
	const perThread, scheduled = 4, 2
	clock := int32(^unix.Gettid()<<3 | perThread | scheduled)
	return func() time.Duration {
		var t unix.Timespec
		if unix.ClockGettime(clock, &t) != nil {
			return 0
		}
		return time.Duration(t.Nano())
	}
}
