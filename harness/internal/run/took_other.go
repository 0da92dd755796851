//go:build !linux

package run

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }

// threadClock returns the time by the clock, in place of that of the thread.
func threadClock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
