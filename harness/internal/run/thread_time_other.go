//go:build !linux

package run

import "time"

// threadTime returns 0: the CPU time of threads is unknown on this system.
func threadTime() time.Duration { return 0 }
