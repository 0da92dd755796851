package record

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"sync"

	"stochopt/internal/disk"
)

// stored says where the curve of a run is on disk, and what of it is asked for so often
// that it stays in memory. The zero value is that of a run whose curve is in memory.
type stored struct {
	place
	brief
	columns *Columns
	// line is its number in the index of its file.
	line int
	// unnoted says that no Watch is told of it.
	unnoted bool
}

// brief is what is known of a curve without reading it.
type brief struct {
	points int
	// end is the last iteration, 0 without points.
	end int64
	// classifier says that some point has support vectors.
	classifier bool
}

func briefOf(c Curve) brief {
	b := brief{points: c.Len()}
	if b.points > 0 {
		b.end = c.Cost[CostIterations][b.points-1]
	}
	b.classifier = slices.ContainsFunc(c.Metrics[SplitState][MetricSupport], func(k float64) bool { return k >= 1 })
	return b
}

func (r *Run) brief() brief {
	if l := r.LeftOut; l != nil {
		return brief{l.Points, l.End, l.Classifier}
	}
	if r.stored.file != nil {
		return r.stored.brief
	}
	return briefOf(r.Curve)
}

// Points is the number of recorded points. The curve is not read for it.
func (r *Run) Points() int { return r.brief().points }

// End is the last iteration on record, 0 if there is none. The curve is not read for it.
func (r *Run) End() int64 { return r.brief().end }

// Measured returns the curve of a run, which must not be modified. That of a run read from
// a folder is read when it is asked for, as a folder may hold more curves than memory does;
// the last ones stay in memory. Measured panics if the line, which has been read before, is
// gone or damaged now: the disk fails, or somebody writes into the file. It panics with a
// *LeftOutError if the folder leaves the curve out: see CatchLeftOut.
func (r *Run) Measured() Curve {
	switch {
	case r.LeftOut != nil:
		panic(&LeftOutError{r.Name()})
	case r.stored.file == nil:
		return r.Curve
	case !r.stored.unnoted:
		r.stored.file.note(keptAt{r.stored.place, false})
	}
	return readKept(keptAt{r.stored.place, false}, func(object []byte) (Curve, error) {
		e, err := r.stored.decode(object, func(e *entry) any { return &e.Run })
		return e.Run.Curve, err
	})
}

// decode decodes the object of the line at a place: an entry in a journal, elsewhere a part
// of one.
func (p place) decode(object []byte, part func(*entry) any) (e entry, err error) {
	if p.file.journal {
		err = DecodeLine(object, &e)
	} else {
		err = DecodeLine(object, part(&e))
	}
	return e, err
}

// sound returns a line as it is on disk, with its checksum, or what part takes of that of a
// journal, with one of its own.
func (p place) sound(part func(journalParts) json.RawMessage) ([]byte, error) {
	line, err := p.bytes()
	if err != nil {
		return nil, err
	}
	object, err := Unseal(line)
	if err != nil {
		return nil, err
	}
	if !p.file.journal {
		return line, nil
	}
	var parts journalParts
	if err := DecodeLine(object, &parts); err != nil {
		return nil, err
	}
	return Seal(part(parts)), nil
}

// journalParts are the texts of an entry, which are those of the lines of other files.
type journalParts struct {
	Run    json.RawMessage `json:"run"`
	Timing json.RawMessage `json:"timing"`
}

// With returns the run with another curve.
func (r Run) With(c Curve) Run {
	r.Curve, r.stored, r.LeftOut = c, stored{}, nil
	return r
}

// whole returns the run with its curve, unless that is left out, in memory.
func (r Run) whole() Run {
	if r.LeftOut != nil {
		return r
	}
	return r.With(r.Measured())
}

// unnoted returns the run as one whose curve is read without any Watch being told.
func (r Run) unnoted() *Run {
	r.stored.unnoted = true
	return &r
}

// place is where a line is in a file that stays as it is.
type place struct {
	file   *lineFile
	offset int64
	size   int
}

// lineFile is a file whose lines are read one by one.
type lineFile struct {
	path string
	// journal says that its lines hold runs and their timings.
	journal bool

	// indexed says that there is an index of it, of so many lines; numbers are those in it,
	// and unsaved those that are not.
	indexed bool
	fingerprint
	count   int
	numbers numbers
	unsaved bool
	// trusted has the names whose numbers are as they would be made now.
	trusted map[string]bool

	mu   sync.Mutex
	open *os.File

	watch *Watch
}

// note tells the watch of the file, if there is one, what is read.
func (f *lineFile) note(at keptAt) {
	if f.watch != nil {
		f.watch.reads(at)
	}
}

// read returns the object of the line at a place.
func (p place) read() (object []byte, err error) {
	line, err := p.bytes()
	if err != nil {
		return nil, err
	}
	return Unseal(line)
}

// bytes returns the line at a place.
func (p place) bytes() ([]byte, error) {
	f := p.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil {
		var err error
		if f.open, err = disk.Open(f.path); err != nil {
			return nil, err
		}
	}
	line := make([]byte, p.size)
	_, err := f.open.ReadAt(line, p.offset)
	return line, err
}

// close closes the file until it is read again.
func (f *lineFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != nil {
		f.open.Close()
		f.open = nil
	}
}

// SameLine reports whether two runs were read from lines of equal bytes, and so agree in all
// that is on record of them. False says nothing.
func SameLine(a, b *Run) bool {
	if a.stored.file == nil || b.stored.file == nil || a.stored.file.journal || b.stored.file.journal || a.stored.size != b.stored.size {
		return false
	}
	x, errX := a.stored.bytes()
	y, errY := b.stored.bytes()
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
