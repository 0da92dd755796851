package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/results"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// lineEvery is the interval between progress lines where there is no terminal.
const lineEvery = 10 * time.Second

// progress reports on an execution: one bar on a terminal, a line now and then
// elsewhere.
type progress struct {
	w    io.Writer
	name string
	bar  *progressbar.ProgressBar

	mu          sync.Mutex
	started     time.Time
	last        time.Time
	total, done int
	bad         int
	iterations  int64
	performed   int64
}

var _ run.Progress = (*progress)(nil)

func newProgress(w io.Writer, name string) *progress { return &progress{w: w, name: name} }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Start implements run.Progress.
func (p *progress) Start(total, done int, iterations int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.done, p.iterations = total, done, iterations
	p.started = time.Now()
	p.last = p.started
	fmt.Fprintf(p.w, "%s: %s, %d of them on record\n", p.name, plural(total, "run"), done)
	if done == total || !isTerminal(p.w) {
		return
	}
	p.bar = progressbar.NewOptions64(iterations,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetDescription(p.label()),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
	)
}

// label says how many runs are done and how many of them came to grief.
func (p *progress) label() string {
	text := fmt.Sprintf("%s %d/%d", p.name, p.done, p.total)
	if p.bad > 0 {
		text += fmt.Sprintf(", %d failed or diverged", p.bad)
	}
	return text
}

// Done implements run.Progress.
func (p *progress) Done(it *plan.Item, r results.Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.performed += it.Budget
	if r.Status != results.StatusFinished && r.Status != results.StatusSkipped {
		p.bad++
	}
	if p.bar != nil {
		p.bar.Describe(p.label())
		// The bar draws on a terminal that may be gone; the run goes on.
		_ = p.bar.Add64(it.Budget)
		return
	}
	if now := time.Now(); now.Sub(p.last) >= lineEvery {
		p.last = now
		elapsed := now.Sub(p.started)
		left := time.Duration(float64(elapsed) * float64(p.iterations-p.performed) / float64(p.performed))
		fmt.Fprintf(p.w, "%s, %s elapsed, about %s left\n", p.label(), elapsed.Round(time.Second), left.Round(time.Second))
	}
}

// warn passes on what a user should know, above the bar.
func (p *progress) warn(text string) { p.note("warning: " + text) }

// note passes on what the runs are waiting for, above the bar.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	fmt.Fprintln(p.w, text)
}

// finish ends the bar's line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
