//go:build !linux

package external

import (
	"os"
	"time"
)

// roomyFolder returns where folders of programs are made.
func roomyFolder() string { return os.TempDir() }

// usage is what processes take, which is not known here.
type usage struct {
	cpu    time.Duration
	memory int64
}

func usageOf(int) usage { return usage{} }

func processTime(int) time.Duration { return 0 }
