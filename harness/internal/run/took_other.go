//go:build !linux

package run

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
