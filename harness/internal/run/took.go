package run

import (
	"time"

	"stochopt/internal/record"
)

// took is how long something took: by the clock on the wall, and of the processor's time, which
// does not grow while others have the processor. That is 0 where it is not known.
type took struct{ wall, cpu time.Duration }

func (t took) plus(o took) took { return took{t.wall + o.wall, t.cpu + o.cpu} }

// into adds a recorded point to a timing.
func (t took) into(timing *record.Timing) {
	timing.Seconds = append(timing.Seconds, t.wall.Seconds())
	if t.cpu > 0 || len(timing.CPUSeconds) > 0 {
		timing.CPUSeconds = append(timing.CPUSeconds, t.cpu.Seconds())
	}
}

// stopwatch measures from its start on. The goroutine must stay on its thread meanwhile, for it is
// that of which it knows the processor's time.
type stopwatch struct {
	wall time.Time
	cpu  time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), threadTime()} }

func (w stopwatch) took() took { return took{time.Since(w.wall), threadTime() - w.cpu} }
