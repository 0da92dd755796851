package record

import (
	"fmt"
	"io"
	"sync"

	"stochopt/internal/disk"
)

// packedTimingsFile may take the place of TimingsFile where PackedFile takes that of
// RunsFile.
const packedTimingsFile = TimingsFile + ".gz"

// Watch knows which curves and timings of an experiment are read, and what Numbers makes.
type Watch struct {
	of *Experiment

	mu      sync.Mutex
	noting  bool
	read    map[keptAt]bool
	numbers map[place]map[string]float64
}

// Watch begins to watch an experiment. It fails if its curves are not in files whose lines
// are read one by one, as those of a packed folder.
func (e *Experiment) Watch() (*Watch, error) {
	w := &Watch{of: e, read: map[keptAt]bool{}, numbers: map[place]map[string]float64{}}
	for i := range e.Runs {
		if e.Runs[i].stored.file == nil {
			return nil, fmt.Errorf("results: the records of %s are packed already", e.Dir)
		}
	}
	for _, f := range e.lines {
		f.watch = w
	}
	return w, nil
}

// Note says whether the curves and timings that are read from now on are noted.
func (w *Watch) Note(noting bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noting = noting
}

// reads notes that a curve or a timing is read.
func (w *Watch) reads(at keptAt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.noting {
		w.read[at] = true
	}
}

// makes notes what Numbers makes of a run.
func (w *Watch) makes(at place, name string, v float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.numbers[at] == nil {
		w.numbers[at] = map[string]float64{}
	}
	w.numbers[at][name] = v
}

// Packed returns the runs of the experiment as a packed folder keeps them, in memory: with
// what thin keeps of the curves that were noted, and with LeftOut in place of the others.
func (w *Watch) Packed(thin func(Curve) Curve) []Run {
	out := make([]Run, len(w.of.Runs))
	for i, r := range w.of.Runs {
		if at := r.stored.place; w.read[keptAt{at, false}] {
			out[i] = r.With(thin(r.Measured()))
		} else {
			r.LeftOut, r.stored = r.leftOut(w.numbers[at]), stored{}
			out[i] = r
		}
	}
	return out
}

// Timings returns the timings that were noted.
func (w *Watch) Timings() (timings []Timing) {
	for i := range w.of.Runs {
		if t := w.of.timings.of.get(w.of.Runs[i].ref()); t != nil && t.timed && w.read[keptAt{t.timing.place, true}] {
			timings = append(timings, t.timing.timing())
		}
	}
	return timings
}

// WritePacked writes PackedFile and packedTimingsFile.
func WritePacked(dir string, runs []Run, timings []Timing) error {
	if err := compressed(dir, PackedFile, runs, EncodeRun); err != nil {
		return err
	}
	return compressed(dir, packedTimingsFile, timings, func(t Timing) ([]byte, error) {
		line, err := encodeLine(t)
		return Seal(line), err
	})
}

// compressed writes a file of lines, compressed.
func compressed[T any](dir, name string, values []T, encode func(T) ([]byte, error)) error {
	return disk.WriteCompressed(dir, name, func(w io.Writer) error {
		for _, v := range values {
			line, err := encode(v)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}
