package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/whole"
	"stochopt/internal/words"
)

// Intervals between the lines: they double from firstLine to lineEvery.
const (
	firstLine = 5 * time.Second
	lineEvery = 80 * time.Second
)

// progress reports on an execution, in lines.
type progress struct {
	w    io.Writer
	name string
	// again: the runs are on record elsewhere and performed again.
	again bool

	mu      sync.Mutex
	started time.Time
	// total is the number of runs of the plan, pending the number of missing ones, and done
	// counts those performed.
	total, pending int
	done           record.Counts
	// iterations are those of the runs in progress so far.
	iterations map[*plan.Item]*atomic.Int64
	// stop, closed by finish, ends the reports, which are over once idle is closed.
	stop, idle chan struct{}
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
	if p.again {
		fmt.Fprintf(p.w, "%s: running %s again\n", p.name, words.Count(total, "record"))
	} else {
		fmt.Fprintf(p.w, "%s: %s, %d of them on record\n", p.name, words.Count(total, "run"), total-len(pending))
	}
	if len(pending) == 0 {
		return
	}
	p.stop, p.idle = make(chan struct{}), make(chan struct{})
	go p.report()
}

// report prints lines until it is told to stop.
func (p *progress) report() {
	defer close(p.idle)
	for wait := firstLine; ; wait = min(2*wait, lineEvery) {
		select {
		case <-p.stop:
			return
		case <-time.After(wait):
			p.line()
		}
	}
}

// label says how many runs are done and how many of them failed.
func (p *progress) label() string {
	text := fmt.Sprintf("%s %d/%d", p.name, p.total-p.pending+p.done.Runs, p.total)
	if bad := p.done.Failed + p.done.Diverged; bad > 0 {
		text += fmt.Sprintf(", %d failed or diverged", bad)
	}
	if limited := p.done.OutOfTime + p.done.OutOfMemory; limited > 0 {
		text += fmt.Sprintf(", %d out of time or memory", limited)
	}
	return text
}

// performed returns how many runs are performed; a run in progress counts by its share of the budget.
func (p *progress) performed() float64 {
	n := float64(p.done.Runs)
	for it, i := range p.iterations {
		n += min(float64(i.Load())/float64(it.Budget), 1)
	}
	return n
}

// line prints how far the runs are.
func (p *progress) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, elapsed := p.performed(), time.Since(p.started)
	text := fmt.Sprintf("%s, %.0f%%, %s elapsed", p.label(), 100*n/float64(p.pending), elapsed.Round(time.Second))
	if n > 0 {
		text += ", about " + inWords(elapsed.Seconds()*(float64(p.pending)-n)/n) + " left"
	}
	fmt.Fprintln(p.w, text)
}

// inWords rounds a time that is not known exactly.
func inWords(seconds float64) string {
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

// finish ends the reports.
func (p *progress) finish() {
	if p.stop != nil {
		close(p.stop)
		<-p.idle
	}
}
