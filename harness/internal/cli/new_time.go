package cli

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"stochopt/internal/whole"
	"stochopt/results/words"
)

// size is what the time of a sweep depends on.
type size struct {
	// Rows are the examples kept in all splits together.
	Rows int
	// Length is that of a run, in passes or iterations.
	Length int
	// Repeats is the number of repeats.
	Repeats int
}

// trial is what a sweep of one repeat has taken, in seconds: by the clock, and of that the
// steps of its runs, which are in proportion to their length.
type trial struct {
	size
	wall, steps float64
}

const (
	// firstRows are those of the first trial of a task whose time grows with them.
	firstRows = 200
	// trialShare is the share of the time of the sweep that trials may take.
	trialShare = 0.2
	// leastTrial is how many seconds a trial may take before it is cut short, at least.
	leastTrial = 30
	// squared is how the time grows with the rows if there is only one trial to tell it,
	// and leastGrowth and mostGrowth bound what trials tell.
	squared, leastGrowth, mostGrowth = 2, 1.5, 3
)

// timing is a size, how long a sweep of it should take, and how that is known.
type timing struct {
	size
	// seconds is 0 if even the smallest trial was cut short.
	seconds float64
	trials  []trial
	growth  float64
	rows    int
}

// trier performs a sweep of a size.
type trier func(context.Context, size) (trial, error)

// fit chooses the size of a sweep for a time, by trials of small sweeps.
func (s *sweep) fit(ctx context.Context, seconds float64, try trier) (*timing, error) {
	t := &timing{rows: s.Rows, growth: squared}
	z := size{Rows: s.Rows, Length: s.lengths[0], Repeats: 1}
	if s.subsets {
		z.Rows = s.least
	}
	limit, cancel := context.WithTimeout(ctx, whole.Seconds(max(seconds, leastTrial)))
	defer cancel()
	warm := false
	for left := trialShare * seconds; ; {
		done, err := try(limit, z)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && limit.Err() == nil {
			return nil, err
		}
		if err != nil {
			break // cut short
		}
		left -= done.wall
		if again := len(t.trials) == 0 && !warm; again && done.wall < left {
			warm = true // what is slow only once is not there the second time
			continue
		}
		t.trials = append(t.trials, done)
		next, factor, ok := s.next(z)
		if !ok || factor*done.wall > left {
			break
		}
		z = next
	}
	t.choose(s, seconds)
	return t, nil
}

// next is the size of the trial after that of a size, which takes so many times as long at
// most.
func (s *sweep) next(z size) (next size, factor float64, ok bool) {
	next = z
	if s.subsets {
		next.Rows = min(2*z.Rows, s.Rows)
		ratio := float64(next.Rows) / float64(z.Rows)
		return next, math.Pow(ratio, squared), next.Rows > z.Rows
	}
	next.Length = min(5*z.Length, s.lengths[len(s.lengths)-1])
	return next, float64(next.Length) / float64(z.Length), next.Length > z.Length
}

// forecast says how many seconds a sweep of a size should take. What the first trial took
// besides steps, such as drawing, is there once; the rest grows with the rows.
func (t *timing) forecast(z size) float64 {
	first, last := t.trials[0], t.trials[len(t.trials)-1]
	once := first.wall - first.steps
	beside := max(last.wall-last.steps-once, 0)
	ratio := 1.0
	if last.Rows > 0 { // a distribution has none
		ratio = float64(z.Rows) / float64(last.Rows)
	}
	steps := last.steps * math.Pow(ratio, squared) * float64(z.Length) / float64(last.Length)
	if len(t.trials) == 1 {
		// All of it may be of the repeats.
		beside, once = once, 0
	}
	return once + float64(z.Repeats)*(beside*math.Pow(ratio, t.growth)+steps)
}

// grow tells how what is beside the steps grows with the rows.
func (t *timing) grow() {
	n := len(t.trials)
	if n < 3 || t.trials[n-1].Rows == t.trials[n-2].Rows {
		return
	}
	once := t.trials[0].wall - t.trials[0].steps
	beside := func(x trial) float64 { return x.wall - x.steps - once }
	a, b := beside(t.trials[n-2]), beside(t.trials[n-1])
	if a > 0 && b > 0 {
		p := math.Log(b/a) / math.Log(float64(t.trials[n-1].Rows)/float64(t.trials[n-2].Rows))
		t.growth = min(max(p, leastGrowth), mostGrowth)
	}
}

// choose takes the most rows that there is time for, then the longest runs, then the most
// repeats.
func (t *timing) choose(s *sweep, seconds float64) {
	rows := s.rowChoices()
	t.size = size{rows[0], s.lengths[0], s.repeats[0]}
	if len(t.trials) == 0 {
		return
	}
	t.grow()
	fits := func(z size) bool { return t.forecast(z) <= seconds }
	for _, n := range rows {
		if z := (size{n, t.Length, t.Repeats}); fits(z) {
			t.size = z
		}
	}
	for _, length := range s.lengths {
		if z := (size{t.Rows, length, t.Repeats}); fits(z) {
			t.size = z
		}
	}
	for _, repeats := range s.repeats {
		if z := (size{t.Rows, t.Length, repeats}); fits(z) {
			t.size = z
		}
	}
	t.seconds = t.forecast(t.size)
}

// rowChoices are the numbers of rows that a sweep may keep, in increasing order.
func (s *sweep) rowChoices() (out []int) {
	if s.subsets {
		for _, n := range niceNumbers(s.least, s.Rows) {
			if n < s.Rows {
				out = append(out, n)
			}
		}
	}
	return append(out, s.Rows)
}

// niceNumbers are 1, 2, 3 and 5 times powers of ten within bounds.
func niceNumbers(least, most int) (out []int) {
	for power := 1; power <= most; power *= 10 {
		for _, digit := range []int{1, 2, 3, 5} {
			if n := digit * power; n >= least && n <= most {
				out = append(out, n)
			}
		}
	}
	return out
}

// String says how long the sweep should take.
func (t *timing) String() string {
	if t.seconds == 0 {
		return "of unknown time"
	}
	return "about " + inWords(t.seconds)
}

// inWords is a time that is not known exactly.
func inWords(seconds float64) string {
	return whole.Seconds(max(seconds, 1)).Round(time.Second).String()
}

// assumed are the lines of the spec's comment on its time.
func (t *timing) assumed(minutes float64) []string {
	goal := fmt.Sprintf("Rows, budget and repeats are chosen by --minutes %v on this machine, with %s side by side.",
		minutes, words.Count(runtime.NumCPU(), "run"))
	if len(t.trials) == 0 {
		return []string{goal + " They are the smallest. A trial was cut short before it was over, so it may take long."}
	}
	all := " This sweep should take about %s, as far as trials tell."
	if t.seconds > 60*minutes {
		all = " They are the smallest, and this sweep should take about %s all the same."
	}
	goal += fmt.Sprintf(all, inWords(t.seconds))
	last := t.trials[len(t.trials)-1]
	took := whole.Seconds(last.wall).Round(100 * time.Millisecond)
	if last.Rows == t.rows {
		return []string{goal, fmt.Sprintf("In a trial one repeat of length %d took %s.", last.Length, took)}
	}
	return []string{goal, fmt.Sprintf("In a trial one repeat on %d rows took %s; "+
		"the time of steps was taken to grow as the square of the rows, and the rest as their power %s.",
		last.Rows, took, words.Significant(t.growth, 2))}
}

// upTo returns those of some increasing choices that are at most a bound, the first always.
func upTo(choices []int, most int) []int {
	n := 1
	for n < len(choices) && choices[n] <= most {
		n++
	}
	return slices.Clone(choices[:n])
}
