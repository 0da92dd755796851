package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/internal/whole"
	"stochopt/internal/words"

	"github.com/schollz/progressbar/v3"
)

// Intervals of the reports: of lines they double from firstLine to lineEvery.
const (
	firstLine = 5 * time.Second
	lineEvery = 80 * time.Second
	barEvery  = 250 * time.Millisecond
)

const (
	// wholeRun is the length of a run on the bar.
	wholeRun = 1000
	// barWidth and labelWidth are those of the bar and of what is written before it.
	barWidth, labelWidth = 20, 44
	// shownRuns is the number of runs in flight that a line names.
	shownRuns = 4
)

// progress reports on an execution: one bar on a terminal, a line now and then elsewhere.
type progress struct {
	w    io.Writer
	name string
	// again: the runs are on record elsewhere and performed again.
	again bool
	// terminal: reports are a bar, not lines.
	terminal bool
	bar      *progressbar.ProgressBar

	mu      sync.Mutex
	started time.Time
	// total is the number of runs of the plan, pending how many are to be performed.
	total, pending int
	// sum counts the runs that are over since the start; missing are those that have not begun.
	sum     experiment.Summary
	flights []flight
	// stop, closed by finish, ends the reports, which are over once idle is closed.
	stop, idle chan struct{}
}

// flight is a run in flight, with the number of its iterations so far.
type flight struct {
	it         *plan.Item
	iterations *atomic.Int64
}

// share returns how much of its budget the run has used.
func (f flight) share() float64 {
	return min(float64(f.iterations.Load())/float64(f.it.Budget), 1)
}

var _ run.Progress = (*progress)(nil)

func newProgress(w io.Writer, name string) *progress {
	return &progress{w: w, name: name, terminal: isTerminal(w)}
}

// Start implements run.Progress.
func (p *progress) Start(total int, pending []*plan.Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total, p.pending = total, len(pending)
	p.started = time.Now()
	for _, it := range pending {
		p.series(it).Missing++
	}
	wait, most, report := firstLine, lineEvery, p.line
	switch {
	case p.terminal && len(pending) > 0:
		wait, most, report = barEvery, barEvery, p.draw
		p.bar = progressbar.NewOptions64(int64(p.pending)*wholeRun,
			progressbar.OptionSetWriter(unwrapped(p.w)),
			progressbar.OptionSetDescription(harmless(p.label())),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionSetWidth(barWidth),
			progressbar.OptionClearOnFinish(),
		)
	case p.again:
		fmt.Fprintf(p.w, "%s: running %s again\n", p.name, words.Count(total, "record"))
	default:
		fmt.Fprintf(p.w, "%s: %s, %d of them on record\n", p.name, words.Count(total, "run"), total-len(pending))
	}
	if len(pending) == 0 {
		return
	}
	p.stop, p.idle = make(chan struct{}), make(chan struct{})
	go p.watch(wait, most, report)
}

// watch reports at intervals that double up to most.
func (p *progress) watch(wait, most time.Duration, report func()) {
	defer close(p.idle)
	for ; ; wait = min(2*wait, most) {
		select {
		case <-p.stop:
			return
		case <-time.After(wait):
			p.mu.Lock()
			report()
			p.mu.Unlock()
		}
	}
}

// label says how many runs are done and how many of them failed.
func (p *progress) label() string {
	text := fmt.Sprintf("%s %d/%d", p.name, p.total-p.pending+p.sum.Runs, p.total)
	if bad := p.sum.Failed + p.sum.Diverged; bad > 0 {
		text += fmt.Sprintf(", %d failed or diverged", bad)
	}
	if limited := p.sum.OutOfTime + p.sum.OutOfMemory; limited > 0 {
		text += fmt.Sprintf(", %d out of time or memory", limited)
	}
	return text
}

// line prints how far the runs are.
func (p *progress) line() {
	text := fmt.Sprintf("%s, %s elapsed", p.label(), time.Since(p.started).Round(time.Second))
	if left := p.left(); left != "" {
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

// draw draws the bar. Errors are ignored, because the terminal may be closed while the runs continue.
func (p *progress) draw() {
	text := p.label()
	for _, more := range []string{p.left(), strings.Join(p.running(), ", ")} {
		if more != "" && len([]rune(text+more)) < labelWidth {
			text += ", " + more
		}
	}
	p.bar.Describe(harmless(text))
	at := float64(p.sum.Runs)
	for _, f := range p.flights {
		at += f.share()
	}
	_ = p.bar.Set64(min(int64(at*wholeRun), int64(p.pending)*wholeRun-1))
}

// left estimates how long the runs that are not over will take, "" before any has finished.
func (p *progress) left() string {
	if len(p.flights) == 0 || p.sum.Finished == 0 {
		return ""
	}
	seconds := p.sum.MissingSeconds()
	for _, f := range p.flights {
		seconds += (1 - f.share()) * p.sum.RunSeconds(f.it.Problem.Entry.ID, f.it.Series)
	}
	return "about " + inWords(seconds/float64(len(p.flights))) + " left"
}

// inWords rounds a time that is not known exactly.
func inWords(seconds float64) string {
	return whole.Seconds(max(seconds, 1)).Round(time.Second).String()
}

// running names the runs in flight, each with the share of its budget that is used.
func (p *progress) running() []string {
	var names []string
	for _, f := range p.flights {
		name := f.it.Problem.Entry.ID + " " + f.it.Series
		if share := f.share(); share > 0 {
			name += fmt.Sprintf(" %.0f%%", 100*share)
		}
		names = append(names, name)
	}
	return names
}

// series returns the counts of the runs like an item.
func (p *progress) series(it *plan.Item) *experiment.SeriesSummary {
	return p.sum.Of(it.Problem.Entry.ID, it.Series)
}

// Begin implements run.Progress.
func (p *progress) Begin(it *plan.Item, iterations *atomic.Int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.series(it).Missing--
	p.flights = append(p.flights, flight{it, iterations})
}

// Done implements run.Progress.
func (p *progress) Done(it *plan.Item, r record.Run, t record.Timing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flights = slices.DeleteFunc(p.flights, func(f flight) bool { return f.it == it })
	p.sum.Add(r.Status)
	g := p.series(it)
	g.Add(r.Status)
	if r.Status == record.StatusFinished {
		g.FinishedSeconds += t.StepSeconds + t.EvalSeconds
	}
}

// warn prints a warning above the bar.
func (p *progress) warn(text string) { p.note("warning: " + text) }

// note prints a line above the bar.
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
