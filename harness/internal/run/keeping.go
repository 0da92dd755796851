package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sync/atomic"
	"time"

	"stochopt/algorithms/checkpoint"
	"stochopt/harness/internal/plan"
	"stochopt/internal/disk"
	"stochopt/results/record"

	"github.com/dustin/go-humanize"
)

// resumable is a trial that can be saved between its steps, and restored into one that has
// just been started. It need not implement it.
type resumable interface {
	trial
	// saves reports whether it can be: not if another program does the work.
	saves() bool
	// checkpoint visits all that the trial holds and that its steps, measurements and
	// record depend on.
	checkpoint(s *checkpoint.State)
}

// counting is a trial that counts the kernel evaluations that were computed for it.
type counting interface{ computed() int64 }

// keeping saves one run on its way, and restores it.
type keeping struct {
	settings settings
	it       *plan.Item
	name     string
	spent    func() float64
	run      resumable
	// timing is that of the run, in which its setup and its points are.
	timing *record.Timing

	// earlier is what parts before this one have taken.
	earlier  part
	restored bool
	// ignored: there may be a checkpoint, but it is of no use.
	ignored bool
	at      place
	started time.Time
	timer   *time.Timer
	late    atomic.Bool
	// since is when the run began, in nanoseconds since 1970, as if nothing had
	// interrupted it: 0 before, and if it is not saved. Any goroutine may read it.
	since atomic.Int64
	// over ends the context of the steps.
	over func()
}

// part is what the timing of a run has of an execution that did not finish it.
type part struct {
	parts int
	// elapsed is the time since the first step, measurements included.
	elapsed time.Duration
	// cpu is the processors' time of all that, in seconds.
	cpu float64
	// computed counts kernel evaluations.
	computed int64
}

var _ keeper = (*keeping)(nil)

// newKeeping returns what keeps an item's run, nil if no run is kept.
func (x *execution) newKeeping(it *plan.Item) *keeping {
	if x.settings.Checkpoints.Every <= 0 {
		return nil
	}
	return &keeping{settings: x.settings, it: it, name: CheckpointFile(it)}
}

// ready starts an item's run, and restores it if there is a checkpoint of it. If that is of
// no use the run is started anew.
func (x *execution) ready(ctx context.Context, it *plan.Item, k *keeping, rec *record.Run, timing *record.Timing) (trial, error) {
	blank, unset := *rec, *timing
	if k != nil {
		ctx = k.lasting(ctx)
	}
	for {
		run, err := x.task.start(ctx, it, rec, timing)
		if err != nil || k == nil {
			return run, err
		}
		k.timing = timing
		if k.run, _ = run.(resumable); k.run != nil && !k.run.saves() {
			k.run = nil
		}
		err = k.restore()
		if err == nil || ctx.Err() != nil {
			return run, err
		}
		k.ignore(err.Error())
		if ended, ok := run.(interface{ discard() }); ok {
			ended.discard()
		}
		*rec, *timing = blank, unset
	}
}

// restore loads the checkpoint, if there is one.
func (k *keeping) restore() error {
	k.earlier, k.at, k.restored = part{}, place{}, false
	if k.run == nil || k.ignored {
		return nil
	}
	setup := *k.timing
	path := filepath.Join(k.settings.Dir, k.name)
	h, err := readCheckpoint(path, k.settings.Checkpoints.headerOf(k.it), k.settings.Memory+ProgramMemory, func(s *checkpoint.State) {
		k.restored = true
		k.visit(s)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	k.timing.SetupSeconds += setup.SetupSeconds
	k.timing.ReferenceSeconds += setup.ReferenceSeconds
	k.settings.Note(fmt.Sprintf("%s goes on at iteration %s, as it was saved %s", k.label(), humanize.Comma(h.Iterations), h.Saved))
	return nil
}

// visit visits a run with its timing.
func (k *keeping) visit(s *checkpoint.State) {
	p := &k.earlier
	s.Index(&p.parts, 1, math.MaxInt32)
	s.Int64((*int64)(&p.elapsed))
	s.Float(&p.cpu)
	s.Int64(&p.computed)
	t := k.timing
	for _, v := range []*float64{&t.SetupSeconds, &t.ReferenceSeconds, &t.SetupCPUSeconds} {
		s.Float(v)
	}
	checkpoint.List(s, &t.Seconds, math.MaxInt)
	checkpoint.List(s, &t.CPUSeconds, math.MaxInt)
	s.Int64(&k.at.t)
	s.Int64(&k.at.observed)
	k.at.clock.checkpoint(s)
	k.run.checkpoint(s)
}

// ignore says why a checkpoint does not count from now on.
func (k *keeping) ignore(why string) {
	k.ignored = true
	k.settings.Warn(fmt.Sprintf("%s: the checkpoint %s is ignored, and the run begins anew: %s", k.label(), filepath.Join(k.settings.Dir, k.name), why))
}

func (k *keeping) label() string {
	return Planned(k.settings.plan, k.it).Name()
}

// close frees what keeping the run has taken.
func (k *keeping) close() {
	if k != nil && k.over != nil {
		k.over()
	}
}

// remove removes the checkpoint: the run is on record.
func (k *keeping) remove() {
	if k != nil {
		// What cannot be removed does no harm: nobody looks at it again.
		_ = disk.Remove(k.settings.Dir, k.name)
	}
}

// begin starts the clock of a run, and returns where the run is and what keeps it. spent
// returns what the processors have taken for it since its setup.
func (k *keeping) begin(spent func() float64) (place, keeper) {
	if k == nil {
		return place{}, nil
	}
	k.spent = spent
	k.started = time.Now()
	k.timer = time.AfterFunc(k.settings.Checkpoints.Every, func() { k.late.Store(true) })
	if k.run != nil {
		k.since.Store(k.started.Add(-k.earlier.elapsed).UnixNano())
	}
	return k.at, k
}

// done ends it.
func (k *keeping) done() {
	if k != nil {
		k.timer.Stop()
	}
}

// long reports whether the run has lasted long enough to be saved.
func (k *keeping) long() bool {
	since := k.since.Load()
	return since > 0 && time.Since(time.Unix(0, since)) >= k.settings.Checkpoints.after()
}

// before returns the time that the parts before have lasted.
func (k *keeping) before() time.Duration {
	if k == nil {
		return 0
	}
	return k.earlier.elapsed
}

// abandon ignores the checkpoint that a run was restored from, if it was, because the run has
// failed.
func (k *keeping) abandon(reason string) bool {
	if k == nil || !k.restored {
		return false
	}
	k.restored = false
	k.ignore("the run that was restored from it has failed: " + reason)
	return true
}

// due implements keeper.
func (k *keeping) due() bool { return k.late.Load() }

// keep implements keeper. What has not lasted long is quicker done again than looked after.
func (k *keeping) keep(at place, last bool) {
	k.late.Store(false)
	if !k.long() {
		if !last {
			k.timer.Reset(max(k.settings.Checkpoints.after()-time.Since(k.started), 0))
		}
		return
	}
	if err := k.save(at); err != nil {
		k.settings.Warn(fmt.Sprintf("%s: no checkpoint can be written: %v", k.label(), err))
	}
	if !last {
		k.timer.Reset(k.settings.Checkpoints.Every)
	}
}

// save writes the run as it is at a place.
func (k *keeping) save(at place) error {
	now := keeping{run: k.run, timing: k.timing, at: at, earlier: part{
		parts: k.earlier.parts + 1, elapsed: k.earlier.elapsed + time.Since(k.started), cpu: k.earlier.cpu + k.spent(), computed: k.earlier.computed,
	}}
	if c, ok := k.run.(counting); ok {
		now.earlier.computed += c.computed()
	}
	h := k.settings.Checkpoints.headerOf(k.it)
	h.Iterations, h.Saved = at.t, time.Now().UTC().Format(time.RFC3339)
	return writeCheckpoint(k.settings.Dir, k.name, h, now.visit)
}

// into adds the parts before to the timing of a run that has ended.
func (k *keeping) into(timing *record.Timing) {
	if k == nil || !k.restored {
		return
	}
	timing.Parts = k.earlier.parts + 1
	timing.RunCPUSeconds += k.earlier.cpu
	timing.KernelEvalsComputed += k.earlier.computed
}

// What is done when the context of a run ends that is to be saved: the step under way is
// given grace, and if that takes long, it is said.
const (
	grace    = 10 * time.Second
	graceSay = time.Second
)

type stepsKey struct{}

// stepsContext returns the context for the steps of a run: that of the run itself, or one
// that outlasts it.
func stepsContext(ctx context.Context) context.Context {
	if steps, ok := ctx.Value(stepsKey{}).(context.Context); ok {
		return steps
	}
	return ctx
}

// lasting returns a context with one for the steps of the run, which outlasts it: a step
// that ends in the middle leaves nothing to be saved.
func (k *keeping) lasting(ctx context.Context) context.Context {
	k.close()
	k.since.Store(0)
	steps, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	end := context.AfterFunc(ctx, func() {
		if !k.long() {
			cancel(context.Cause(ctx))
			return
		}
		say := time.AfterFunc(graceSay, func() {
			k.settings.Note(fmt.Sprintf("%s: waiting up to %v for a step to end, to save the run after it", k.label(), grace))
		})
		last := time.AfterFunc(grace, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(steps, func() { say.Stop(); last.Stop() })
	})
	k.over = func() {
		end()
		cancel(nil)
	}
	return context.WithValue(ctx, stepsKey{}, steps)
}
