package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/checkpoint"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

const oneRun = `version: 1
name: one
task: svm
seed: 7
budget: {iterations: 400}
record: {points: 8}
datasets:
  - {id: a, source: adult, problem: {sigma2: 0.5, C: 1, bias: true}}
algorithms:
  - {id: sbp}
`

var onceEnded = Checkpoints{Every: time.Hour, After: 1, Build: "this build"}

// interruptedAt executes the plan of oneRun in a folder until a run has made so many steps,
// and returns the checkpoint.
func interruptedAt(t *testing.T, p *plan.Plan, dir string, steps int64, c Checkpoints) string {
	t.Helper()
	f := open(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := f.executeSVM(ctx, p, Options{Checkpoints: c}, stoppedAfter(steps, cancel))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, CheckpointFile(p.Items[0]))
}

func stoppedAfter(steps int64, end func()) svmConstructor {
	return func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
		l, err := registry.NewSVM(a, env, p)
		return countedSVM{l, &countdown{left: steps, end: end}}, err
	}
}

// executedIn executes the plan and returns its records, what it warned of, and in how many
// parts the first run was made.
func executedIn(t *testing.T, p *plan.Plan, dir string, o Options) (records, warnings []string, parts int) {
	t.Helper()
	f := open(t, dir)
	var warned messages
	o.Warn = warned.add
	if _, err := f.executeSVM(context.Background(), p, o, registry.NewSVM); err != nil {
		t.Fatal(err)
	}
	timing, _ := f.timing(t, f.store.Runs(p.IDs())[0])
	records = f.records(t, p)
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, record.CheckpointsFolder)); err == nil {
		t.Error("the run is on record, and there is still a folder of checkpoints")
	}
	return records, warned.all, timing.Parts
}

// A checkpoint that is not as it was written, or of another run, limit or build, is said and
// ignored: the run ends the same.
func TestCheckpointsThatDoNotCount(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, oneRun)
	want, _, _ := executedIn(t, p, t.TempDir(), Options{})
	rewritten := func(edit func(h *checkpointHeader)) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			h := onceEnded.headerOf(p.Items[0])
			edit(&h)
			dir, name := filepath.Split(path)
			if err := writeCheckpoint(dir, name, h, func(s *checkpoint.State) {}); err != nil {
				t.Fatal(err)
			}
		}
	}
	bytesOf := func(edit func(data []byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, edit(data), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, test := range map[string]struct {
		damage func(t *testing.T, path string)
		says   string
	}{
		"nothing":   {func(*testing.T, string) {}, ""},
		"not there": {func(t *testing.T, path string) { os.Remove(path) }, ""},
		"empty":     {bytesOf(func([]byte) []byte { return nil }), "it is damaged: it is too short"},
		"cut short": {bytesOf(func(b []byte) []byte { return b[:len(b)/2] }), "it is damaged: its checksum is not that of its contents"},
		"longer":    {bytesOf(func(b []byte) []byte { return append(b, 0) }), "it is damaged: its checksum"},
		"a bit":     {bytesOf(func(b []byte) []byte { b[len(b)/3] ^= 4; return b }), "it is damaged: its checksum"},
		"another version": {bytesOf(func(b []byte) []byte {
			return resummed(bytes.Replace(b, []byte("checkpoint 1"), []byte("checkpoint 2"), 1))
		}), "it is not this run's: it does not begin as a checkpoint of this version"},
		"no header":      {bytesOf(func(b []byte) []byte { return resummed(bytes.ReplaceAll(b, []byte{'\n'}, []byte{' '})) }), "it is not this run's"},
		"another run":    {rewritten(func(h *checkpointHeader) { h.Key = strings.Repeat("0", 32) }), "it is not this run's: it is of another run"},
		"another budget": {rewritten(func(h *checkpointHeader) { h.Extent = "9/log:1" }), "it is of another budget"},
		"another limit":  {rewritten(func(h *checkpointHeader) { h.Limit.Seconds = 1 }), "it is of another limit"},
		"another build":  {rewritten(func(h *checkpointHeader) { h.Build = "arm64" }), "it is of another build or architecture"},
		"nothing in it":  {rewritten(func(*checkpointHeader) {}), "the state ends in the middle"},
		"a folder":       {func(t *testing.T, path string) { os.Remove(path); os.Mkdir(path, 0o755) }, "is a directory"},
		"longer than it may be": {func(t *testing.T, path string) {
			if err := os.Truncate(path, DefaultMemory+ProgramMemory+1); err != nil {
				t.Fatal(err)
			}
		}, "it is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := interruptedAt(t, p, dir, 100, onceEnded)
			test.damage(t, path)
			got, warnings, parts := executedIn(t, p, dir, Options{Checkpoints: onceEnded})
			if !slices.Equal(got, want) {
				t.Errorf("the records are\n%s\nwant\n%s", got, want)
			}
			if restored := parts > 1; restored != (name == "nothing") {
				t.Errorf("it was made in %d parts", parts)
			}
			switch {
			case test.says == "" && len(warnings) > 0, test.says != "" && (len(warnings) != 1 || !strings.Contains(warnings[0], test.says) || !strings.Contains(warnings[0], path+" is ignored, and the run begins anew: ")):
				t.Errorf("it warns %q, want %q", warnings, test.says)
			}
		})
	}
}

// resummed gives the contents of a checkpoint their checksum.
func resummed(data []byte) []byte {
	body := data[:len(data)-32]
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

// tripped is a learner that panics once it has been restored.
type tripped struct {
	svm.Learner
	restored bool
}

func (l *tripped) Step() algorithms.Status {
	if l.restored {
		panic("restored")
	}
	return l.Learner.Step()
}

func (l *tripped) Checkpoint(s *checkpoint.State) {
	s.Part(l.Learner)
	l.restored = s.Loads()
}

func TestRestoredRunThatPanicsBeginsAnew(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, oneRun)
	want, _, _ := executedIn(t, p, t.TempDir(), Options{})
	dir := t.TempDir()
	interruptedAt(t, p, dir, 100, onceEnded)
	f := open(t, dir)
	var warnings messages
	o := Options{Checkpoints: onceEnded, Warn: warnings.add}
	if _, err := f.executeSVM(context.Background(), p, o, func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
		l, err := registry.NewSVM(a, env, p)
		return &tripped{Learner: l}, err
	}); err != nil {
		t.Fatal(err)
	}
	if got := f.records(t, p); !slices.Equal(got, want) {
		t.Errorf("the records are\n%s\nwant\n%s", got, want)
	}
	if len(warnings.all) != 1 || !strings.Contains(warnings.all[0], "begins anew: the run that was restored from it has failed: panic: restored at ") {
		t.Errorf("warnings %q", warnings.all)
	}
}

// When a run is saved: not before it has lasted for a while, nor if it is not asked for.
func TestRunsThatAreNotSaved(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, oneRun)
	for name, c := range map[string]Checkpoints{
		"never": {}, "too short": {Every: time.Hour, After: time.Hour}, "shorter than a minute": {Every: time.Hour},
	} {
		if path := interruptedAt(t, p, t.TempDir(), 100, c); exists(path) {
			t.Errorf("%s: there is a checkpoint", name)
		}
	}
	if got := (Checkpoints{Every: time.Second}).after(); got != time.Second {
		t.Errorf("with a checkpoint each second, a run must have lasted %v", got)
	}
	// Who wants none does not read one, and leaves none that is of no use.
	dir := t.TempDir()
	interruptedAt(t, p, dir, 100, onceEnded)
	if _, _, parts := executedIn(t, p, dir, Options{}); parts > 1 {
		t.Errorf("without checkpoints the run is restored from one")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A run that nothing ends is saved now and then.
func TestRunsAreSavedOnTheirWay(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, oneRun)
	dir := t.TempDir()
	path := filepath.Join(dir, CheckpointFile(p.Items[0]))
	saves := 0
	f := open(t, dir)
	step := func(int64) (algorithms.Status, bool) {
		if exists(path) {
			saves++
			os.Remove(path)
		}
		time.Sleep(time.Millisecond)
		return algorithms.Status{}, false
	}
	_, err := f.executeSVM(context.Background(), p, Options{Checkpoints: Checkpoints{Every: time.Millisecond}}, func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
		l, err := registry.NewSVM(a, env, p)
		return saved{&hookedSVM{Learner: l, step: step}}, err
	})
	if err != nil || saves < 2 {
		t.Errorf("saved %d times, %v", saves, err)
	}
}

type saved struct{ *hookedSVM }

func (s saved) Checkpoint(to *checkpoint.State) { to.Part(s.Learner) }

// Of a folder with more than one checkpoint those go whose runs are on record.
func TestCheckpointsAreSwept(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(oneRun, "budget:", "repeats: 3\nbudget:", 1))
	dir := t.TempDir()
	interruptedAt(t, p, dir, 100, onceEnded)
	var names []string
	for _, it := range p.Items {
		names = append(names, filepath.Join(dir, CheckpointFile(it)))
	}
	f := open(t, dir)
	foreign := filepath.Join(dir, record.CheckpointsFolder, strings.Repeat("0", 32)+"-01234567"+record.CheckpointSuffix)
	for _, path := range append(names[1:], foreign) {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.executeSVM(context.Background(), p, Options{Checkpoints: onceEnded}, registry.NewSVM); err != nil {
		t.Fatal(err)
	}
	if exists(names[0]) || exists(names[2]) || !exists(foreign) {
		t.Error("all runs are on record: their checkpoints are to go, and others to stay")
	}
	if err := Discard(dir); err != nil || exists(foreign) {
		t.Errorf("after discarding all (%v) there is a checkpoint", err)
	}
}

// A step that is under way when a run is ended goes on to its end, if the run is to be saved.
func TestStepsAreLetEnd(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, oneRun)
	for name, test := range map[string]struct {
		c     Checkpoints
		saved bool
	}{"saved": {onceEnded, true}, "too short": {Checkpoints{Every: time.Hour, After: time.Hour}, false}, "never": {Checkpoints{}, false}} {
		dir := t.TempDir()
		f := open(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		_, err := f.executeSVM(ctx, p, Options{Checkpoints: test.c}, func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
			l, err := registry.NewSVM(a, env, p)
			return saved{&hookedSVM{Learner: l, step: func(step int64) (algorithms.Status, bool) {
				if step != 100 {
					return algorithms.Status{}, false
				}
				cancel()
				wait := time.Millisecond
				if !test.saved {
					wait = time.Minute
				}
				select {
				case <-env.Context.Done():
					return algorithms.Status{State: algorithms.Failed, Reason: "ended"}, true
				case <-time.After(wait):
					return algorithms.Status{}, false
				}
			}}}, err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if exists(filepath.Join(dir, CheckpointFile(p.Items[0]))) != test.saved {
			t.Errorf("%s: is the run saved: %t", name, !test.saved)
		}
	}
}
