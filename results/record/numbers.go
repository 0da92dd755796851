package record

import (
	"math"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// numbers are what was made of the curves of a file, by name, in the order of its lines;
// unknown where it was not.
type numbers map[string][]float64

// unknown stands for a number that was not made. It is no number that anybody makes.
var unknown = math.Float64frombits(math.MaxUint64)

func isUnknown(v float64) bool { return math.Float64bits(v) == math.Float64bits(unknown) }

// mostChecked is how many numbers of a name from an index are made again when they are first
// asked for, to see whether they are made now as they were then.
const mostChecked = 16

// Numbers returns a number of each run, which of makes of its curve, several at a time.
// Those of runs in large files are kept in the index by name, which has to say how they are
// made, once the experiment saves it (see SaveNumbers): then no curve is read for them.
func Numbers(runs []*Run, name string, of func(*Run) (float64, error)) ([]float64, error) {
	out := make([]float64, len(runs))
	known := func(r *Run) *float64 {
		if f := r.stored.file; f != nil && f.numbers[name] != nil {
			return &f.numbers[name][r.stored.line]
		}
		return nil
	}
	for _, r := range runs {
		if f := r.stored.file; f != nil && f.indexed && f.numbers[name] == nil {
			f.forget(name)
		}
	}
	var missing, checked []int
	for i, r := range runs {
		out[i] = unknown
		if r.LeftOut != nil {
			v, ok := r.LeftOut.Numbers[name]
			if !ok {
				return nil, &LeftOutError{r.Name()}
			}
			out[i] = v
			continue
		}
		if at := known(r); at != nil {
			out[i] = *at
		}
		if isUnknown(out[i]) {
			missing = append(missing, i)
		} else if !runs[i].stored.file.trusted[name] {
			checked = append(checked, i)
		}
	}
	every := max(len(checked)/mostChecked, 1)
	for k := 0; k < len(checked); k += every {
		i := checked[k]
		v, err := of(runs[i].unnoted())
		if err != nil || math.Float64bits(v) != math.Float64bits(out[i]) {
			for _, i := range checked { // they were made otherwise
				runs[i].stored.file.forget(name)
			}
			missing = slices.Concat(missing, checked)
			slices.Sort(missing)
			break
		}
	}
	for _, i := range checked {
		runs[i].stored.file.trusted[name] = true
	}
	errs := make([]error, len(runs))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(missing, 64) {
		workers.Go(func() error {
			for _, i := range part {
				out[i], errs[i] = of(runs[i].unnoted())
			}
			return nil
		})
	}
	workers.Wait()
	for _, i := range missing {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if at := known(runs[i]); at != nil {
			*at, runs[i].stored.file.unsaved = out[i], true
		}
	}
	for i, r := range runs {
		if f := r.stored.file; f != nil && f.watch != nil {
			f.watch.makes(r.stored.place, name, out[i])
		}
	}
	return out, nil
}

// forget makes all numbers of a name unknown: those that become known are made now.
func (f *lineFile) forget(name string) {
	if !f.trusted[name] {
		f.numbers[name], f.trusted[name] = slices.Repeat([]float64{unknown}, f.count), true
	}
}

// SaveNumbers saves in the index what Numbers has made of the experiment's runs, if the
// folder can be written to: who cannot find them makes them again.
func (e *Experiment) SaveNumbers() {
	var x index
	for _, f := range e.lines {
		if !f.unsaved {
			continue
		}
		f.unsaved = false
		if x == nil {
			x = readIndex(e.Dir)
		}
		if s := x[filepath.Base(f.path)]; s != nil && s.fingerprint == f.fingerprint {
			s.numbers = f.numbers
		}
	}
	if x != nil {
		_ = x.write(e.Dir)
	}
}
