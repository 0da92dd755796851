package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/whole"
	"stochopt/internal/words"
)

// The intervals between lines double from firstInterval to maxInterval.
const (
	firstInterval = 5 * time.Second
	maxInterval   = 80 * time.Second
)

// progress prints lines about an execution.
type progress struct {
	w    io.Writer
	name string

	mu      sync.Mutex
	started time.Time
	// total is the number of runs of the plan. pending is the number that was missing at the start.
	total, pending int
	done           record.Counts
	// iterations counts the iterations of each run in progress.
	iterations map[*plan.Item]*atomic.Int64
	// printing is the goroutine that prints lines until stop is closed.
	printing sync.WaitGroup
	stop     chan struct{}
}

var _ run.Progress = (*progress)(nil)

func newProgress(w io.Writer, name string) *progress {
	return &progress{w: w, name: name, iterations: make(map[*plan.Item]*atomic.Int64)}
}

// Start implements run.Progress.
func (p *progress) Start(total int, pending []*plan.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.pending, p.started = total, len(pending), time.Now()
	fmt.Fprintf(p.w, "%s: %s, %d already done\n", p.name, words.Count(total, "run"), total-len(pending))
	if len(pending) == 0 {
		return
	}
	p.stop = make(chan struct{})
	p.printing.Go(p.printLines)
}

// printLines prints lines until finish closes stop.
func (p *progress) printLines() {
	for wait := firstInterval; ; wait = min(2*wait, maxInterval) {
		select {
		case <-p.stop:
			return
		case <-time.After(wait):
			p.printLine()
		}
	}
}

// printLine prints the number of runs done, such as "pca-real 7/8, 2 failed", their share of the work, and the elapsed
// time. Once there is a basis for an estimate, it also prints the time left.
func (p *progress) printLine() {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := float64(p.done.Runs)
	for it, iterations := range p.iterations { // a run in progress counts as the used fraction of its budget
		n += min(float64(iterations.Load())/float64(it.Budget), 1)
	}
	done := fmt.Sprintf("%s %d/%d", p.name, p.total-p.pending+p.done.Runs, p.total)
	text := strings.Join(append([]string{done}, unfinished(p.done)...), ", ")
	elapsed := time.Since(p.started)
	share := n / float64(p.pending)
	text += fmt.Sprintf(", %.0f%%, %s elapsed", 100*share, elapsed.Round(time.Second))
	if p.done.Runs > 0 || share >= 0.01 {
		text += ", about " + roundedTime(elapsed.Seconds()*(float64(p.pending)-n)/n) + " left"
	}
	fmt.Fprintln(p.w, text)
}

// roundedTime returns an estimated time in whole seconds.
func roundedTime(seconds float64) string {
	return whole.Seconds(max(seconds, 1)).Round(time.Second).String()
}

// Begin implements run.Progress.
func (p *progress) Begin(it *plan.Item, iterations *atomic.Int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.iterations[it] = iterations
}

// Done implements run.Progress.
func (p *progress) Done(it *plan.Item, r record.Run, _ record.Timing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.iterations, it)
	p.done.Add(r.Status)
}

// warn prints a warning between the lines.
func (p *progress) warn(text string) { p.note("warning: " + text) }

// note prints a text between the lines.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.w, text)
}

// finish stops the lines.
func (p *progress) finish() {
	if p.stop != nil {
		close(p.stop)
		p.printing.Wait()
	}
}
