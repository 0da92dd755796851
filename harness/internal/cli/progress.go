package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/results/record"
	"stochopt/results/words"

	"github.com/schollz/progressbar/v3"
)

// Intervals of the reports.
const (
	// firstLine is how long the first progress line waits where there is no
	// terminal. The interval to the next is lineEvery, and doubles from line to line up to
	// lineEveryMost.
	firstLine     = 5 * time.Second
	lineEvery     = 10 * time.Second
	lineEveryMost = 80 * time.Second
	// barEvery is the interval at which the bar of a terminal is drawn.
	barEvery = 250 * time.Millisecond
)

const (
	// wholeRun is the length of a run on the bar.
	wholeRun = 1000
	// barWidth and labelWidth are those of the bar and of what is written
	// before it.
	barWidth, labelWidth = 20, 44
	// shownRuns is the number of runs in flight that a line names.
	shownRuns = 4
)

// progress reports on an execution: one bar on a terminal, a line now and then
// elsewhere.
type progress struct {
	w    io.Writer
	name string
	// terminal: there is one line, which is drawn again and again.
	terminal bool
	// anew says that all runs are on record elsewhere and performed again.
	anew bool
	bar  *progressbar.ProgressBar

	mu          sync.Mutex
	started     time.Time
	total, done int
	// bad counts those that failed or diverged, limited those that met a limit.
	bad, limited int
	// pending and ended are the numbers of runs to be performed and of those
	// that are over.
	pending, ended int
	// table is what times are forecast by.
	table   *forecast.Table
	outlook *outlook
	// stop, closed by finish, ends the reports, which are over once idle is
	// closed.
	stop, idle chan struct{}
}

var _ run.Progress = (*progress)(nil)

func newProgress(w io.Writer, name string) *progress {
	return &progress{w: w, name: name, terminal: isTerminal(w), table: forecast.Measured()}
}

// Start implements run.Progress.
func (p *progress) Start(total int, pending []*plan.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.done, p.pending = total, total-len(pending), len(pending)
	p.started = time.Now()
	p.outlook = newOutlook(pending, forecast.New(pending, p.table))
	switch {
	case p.terminal:
	case p.anew:
		fmt.Fprintf(p.w, "%s: running %s again\n", p.name, words.Count(total, "record"))
	default:
		fmt.Fprintf(p.w, "%s: %s, %d of them on record\n", p.name, words.Count(total, "run"), p.done)
	}
	if len(pending) == 0 {
		return
	}
	first, every, most, report := firstLine, lineEvery, lineEveryMost, p.line
	if p.terminal {
		first, every, most, report = barEvery, barEvery, barEvery, p.draw
		p.bar = progressbar.NewOptions64(int64(p.pending)*wholeRun,
			progressbar.OptionSetWriter(unwrapped(p.w)),
			progressbar.OptionSetDescription(harmless(p.label())),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionSetWidth(barWidth),
			progressbar.OptionClearOnFinish(),
		)
	}
	p.stop, p.idle = make(chan struct{}), make(chan struct{})
	go p.watch(first, every, most, report)
}

// watch reports now and then: after first, then after every, which doubles up to most.
func (p *progress) watch(first, every, most time.Duration, report func()) {
	defer close(p.idle)
	// The forecast learns from what it sees more often than is told.
	tick := time.NewTicker(barEvery)
	defer tick.Stop()
	next := time.Now().Add(first)
	for {
		select {
		case <-p.stop:
			return
		case now := <-tick.C:
			p.mu.Lock()
			p.outlook.look()
			if !now.Before(next) {
				next, every = next.Add(every), min(2*every, most)
				report()
			}
			p.mu.Unlock()
		}
	}
}

// label says how many runs are done and how many of them came to grief.
func (p *progress) label() string {
	text := fmt.Sprintf("%s %d/%d", p.name, p.done, p.total)
	if p.bad > 0 {
		text += fmt.Sprintf(", %d failed or diverged", p.bad)
	}
	if p.limited > 0 {
		text += fmt.Sprintf(", %d out of time or memory", p.limited)
	}
	return text
}

// line prints how far the runs are.
func (p *progress) line() {
	text := fmt.Sprintf("%s, %s elapsed", p.label(), time.Since(p.started).Round(time.Second))
	if left := p.outlook.left(); left != "" {
		text += ", " + left
	}
	names := p.running()
	if n := len(names); n > shownRuns {
		names = append(names[:shownRuns], fmt.Sprintf("%d more", n-shownRuns))
	}
	if names != nil {
		text += "; running: " + strings.Join(names, ", ")
	}
	fmt.Fprintln(p.w, text)
}

// draw draws the bar. It may be on a terminal that is gone; the runs go on.
func (p *progress) draw() {
	text := p.label()
	for _, more := range []string{p.outlook.left(), strings.Join(p.running(), ", ")} {
		if more != "" && len([]rune(text+more)) < labelWidth {
			text += ", " + more
		}
	}
	p.bar.Describe(harmless(text))
	at := float64(p.ended)
	for _, f := range p.outlook.flights {
		at += f.share()
	}
	_ = p.bar.Set64(min(int64(at*wholeRun), int64(p.pending)*wholeRun-1))
}

// running names the runs in flight, each with the share of its iterations that
// is done if that means something.
func (p *progress) running() []string {
	var names []string
	for _, f := range p.outlook.flights {
		name := f.it.Problem.Entry.ID + " " + f.it.Series
		switch share := f.share(); {
		case !f.it.Steady():
		case share == 0:
			name += " (preparing)"
		default:
			name += fmt.Sprintf(" %.0f%%", 100*share)
		}
		names = append(names, name)
	}
	return names
}

// Begin implements run.Progress.
func (p *progress) Begin(it *plan.Item, iterations *atomic.Int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outlook.begin(it, iterations)
}

// Done implements run.Progress.
func (p *progress) Done(it *plan.Item, r record.Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outlook.end(it)
	p.done++
	p.ended++
	switch r.Status {
	case record.StatusFailed, record.StatusDiverged:
		p.bad++
	case record.StatusOutOfTime, record.StatusOutOfMemory:
		p.limited++
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

// finish ends the reports and the bar's line.
func (p *progress) finish() {
	if p.stop != nil {
		close(p.stop)
		<-p.idle
	}
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
