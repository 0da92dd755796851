package compare

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/stats"

	"gonum.org/v1/gonum/stat"
)

// leastChosen is the number of repeats below which a cell with a choice is never found
// equivalent, nor decided by an approximate interval: which way a near tie falls is hardly
// seen in fewer.
const leastChosen = 6

// tooFewChosen notes a measure of fewer repeats.
const tooFewChosen = "with a selected parameter and fewer than six repeats, equivalence cannot be shown"

// Choice is what was chosen in a cell whose sides choose among several candidates.
type Choice struct {
	// Baseline and Candidate are the tuned parameters chosen, as "step.c=1".
	Baseline  string `json:"baseline"`
	Candidate string `json:"candidate"`
	// Approximate says that the sides choose among other candidates, or in other ways, so
	// that there is no exact test of the whole procedure: the measures have no p-values, and
	// intervals of the level 1 - alpha/tests decide.
	Approximate bool `json:"approximate,omitempty"`
	// Standing is how what the candidate chose compares with what the baseline
	// chose in what is selected by, over the repeats of both sides: Level, Better or Worse, at
	// the level alpha; empty if both chose the same, or not all repeats have both.
	Standing string `json:"standing,omitempty"`
}

// Level is the standing of two choices that are not told apart.
const Level = "level"

// Text says how a difference of choice shows: in what is selected by, and at the measures of
// the cell. It is empty if both sides chose the same.
func (ch *Choice) Text(measures []Measure) string {
	if ch == nil || ch.Baseline == ch.Candidate {
		return ""
	}
	var parts []string
	if ch.Standing != "" {
		parts = append(parts, ch.Standing+" in what is selected by")
	}
	for _, m := range measures {
		at := map[string]string{AtCost: "at " + costText(m.At), ToTarget: "to " + costText(m.At), Area: "in the area"}[m.Kind]
		switch m.Verdict {
		case Better, Worse, Equivalent:
			parts = append(parts, m.Verdict+" "+at)
		case Inconclusive:
			parts = append(parts, "undecided "+at)
		}
	}
	return fmt.Sprintf("chosen %s -> %s: %s", ch.Baseline, ch.Candidate, strings.Join(parts, ", "))
}

// choose finds what each side chooses, over the repeats that are compared, and makes its
// runs those to compare.
func (c *comparison) choose(p *pool, alpha float64) error {
	a := p.observed()
	choice := p.choice(a)
	for side, g := range []*group{c.base, c.cand} {
		runs := []*[]*record.Run{&c.Base, &c.Cand}[side]
		for _, row := range a[side] {
			if j := choice[side]; j >= 0 {
				*runs = append(*runs, p.runs[row*len(p.columns)+j])
			}
		}
		if !g.by.Chooses() {
			continue
		}
		if len(g.candidates) == 1 || choice[side] < 0 {
			g.takes(p, choice[side])
			continue
		}
		chosen := p.columns[choice[side]].String()
		own, err := g.ownChoice()
		if err != nil {
			return err
		}
		if own != chosen {
			c.Notes = append(c.Notes, fmt.Sprintf("the %s would choose %s by all its repeats, but %s by those compared",
				sideNames[side], cmp.Or(own, "nothing"), chosen))
		}
		g.takes(p, choice[side])
	}
	if p.chooses() && choice[0] >= 0 && choice[1] >= 0 {
		c.Choice = &Choice{
			Baseline: p.columns[choice[0]].String(), Candidate: p.columns[choice[1]].String(),
			Approximate: !p.alike, Standing: p.standing(choice, alpha),
		}
	}
	return nil
}

// takes makes the runs of the group those of a column of a pool, none if it is -1.
func (g *group) takes(p *pool, column int) {
	switch {
	case column < 0:
		g.take(nil)
	case len(g.candidates) == 1:
		g.take(g.candidates[0])
	default:
		g.take(p.columns[column])
	}
}

// ownChoice is what a side chooses by all repeats that have all its candidates, as its runs
// then are; empty if that is nothing.
func (g *group) ownChoice() (string, error) {
	repeats, _ := g.repeats("", nil)
	p, err := newPool(g, g, pairing{base: repeats})
	if err != nil {
		return "", err
	}
	j := p.choose(p.observed()[0])
	if g.takes(p, j); j < 0 {
		return "", nil
	}
	return p.columns[j].String(), nil
}

// standing is that of Choice. Both candidates are of the same repeats, and so paired.
func (p *pool) standing(choice [2]int, alpha float64) string {
	if choice[0] == choice[1] {
		return ""
	}
	k := len(p.columns)
	var d []float64
	for row := range p.rows[0] + p.rows[1] {
		d = append(d, p.score[row*k+choice[1]]-p.score[row*k+choice[0]])
	}
	mean, sd := stat.MeanStdDev(d, nil)
	t := stats.Student(float64(len(d) - 1))
	half := sd / math.Sqrt(float64(len(d))) * t.Quantile(1-alpha/2)
	switch {
	case math.IsNaN(mean) || len(d) < 2:
		return ""
	case mean > half:
		return Worse
	case mean < -half:
		return Better
	}
	return Level
}

// estimateChosen estimates the measures of a cell with a choice; so many tests are made in
// all. The difference is that of what was chosen, its test and its interval are of the whole
// procedure: see pool.pValues and widened.
func (s *curveSet) estimateChosen(of []measurement, o Options, tests int, stream string) []*estimate {
	h := fnv.New64a()
	h.Write([]byte(stream + " choice"))
	approximate := !s.alike
	level := o
	if approximate {
		level.Alpha /= float64(max(tests, 1))
	}
	out := make([]*estimate, len(of))
	var at []int
	var values [][]float64
	for i, m := range of {
		if m.empty == "" {
			e := m.sample.estimate(level)
			e.idle = m.sample.repeats() < leastChosen
			out[i] = &e
			at, values = append(at, i), append(values, m.values)
		}
	}
	if approximate {
		for _, e := range out {
			if e != nil {
				e.approximate, e.p, e.least = true, 1, 1
			}
		}
	} else {
		ps, ranks, least := s.pValues(values, o, tests, h.Sum64())
		for i, e := range at {
			out[e].p, out[e].least = ps[i], least
			if ranks[i] && !out[e].ranks {
				out[e].ranks, out[e].ratio = true, nil
			}
		}
	}
	s.widen(of, out, level, h.Sum64())
	return out
}

// widen makes each interval, which is that of the difference at what was chosen, the hull of
// it and of the percentiles of the differences of repeats drawn again that choose anew. The
// first is too short where the choice is a near tie, as another one would give another
// difference; the other where it is clear, for few repeats. Neither is exact, and nor is
// the hull.
func (s *curveSet) widen(of []measurement, estimates []*estimate, o Options, seed uint64) {
	var at []int
	var values [][]float64
	for i, e := range estimates {
		if e != nil && e.ratio != nil {
			at, values = append(at, i), append(values, of[i].values)
		}
	}
	if len(at) == 0 {
		return
	}
	b := stats.Bootstrap{Alpha: o.Alpha, Resamples: o.resamples}
	again := s.drawnAgain(values, b.Draws(), rand.New(rand.NewPCG(o.Seed, seed)))
	for i, d := range again {
		e := estimates[at[i]]
		lo, hi := b.Percentiles(d)
		e.ratio = &stats.Interval{Value: e.ratio.Value, Lo: min(lo, e.ratio.Lo), Hi: max(hi, e.ratio.Hi)}
	}
}
