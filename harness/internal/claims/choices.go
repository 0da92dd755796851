package claims

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/internal/selection"
	"stochopt/internal/stats"
)

// choices are the parameters of the series of a part that were chosen by its repeats, chosen
// again by resamples of these: repeats are drawn with replacement, the same for all series,
// each series takes the eligible candidate with the least mean loss over those drawn, and
// what the claim is about is read from the runs of all that were taken. How far it scatters is the
// error of the whole procedure, the luck of a near tie included.
//
// The percentile interval of that is too short where one candidate is clearly ahead and there are few
// repeats, as Student's is near ties. Their hull is what intervals are: from 3 repeats
// on it covers in 89 to 98 of 100 in either case (TestCoverageOfChoices of internal/compare).
type choices struct {
	series []string
	of     []selection.Rivals
	// repeats are those that all have. draws are of their indices; taken is, by draw, the
	// index in readings of what was chosen.
	repeats []int
	draws   [][]int
	taken   []int
	// readings are, by what was chosen, the numbers that the predicate averages.
	readings [][]averaged
}

// averaged is what an estimate is the mean of: numbers, or their logarithms, of the
// replicates ids, beside what the estimate has to be.
type averaged struct {
	ids  []int
	v    []float64
	want Between
}

// drawSeed is that of the resamples: verdicts are the same each time.
const drawSeed = 20130719

// chooseAgain returns the choices that enter a part, nil if there are none.
func (p *part) chooseAgain(estimate estimator) *choices {
	if p.in.Selection == nil || p.halved {
		return nil
	}
	c := &choices{}
	for _, name := range p.series {
		runs := p.samples[name].runs
		if len(runs) < 2 {
			continue
		}
		r, ok := p.in.Selection.Rivals(runs[0])
		if !ok {
			continue
		}
		if c.of == nil {
			c.repeats = r.Repeats
		}
		c.repeats = slices.DeleteFunc(slices.Clone(c.repeats), func(id int) bool { return !slices.Contains(r.Repeats, id) })
		c.series, c.of = append(c.series, name), append(c.of, r)
	}
	if len(c.repeats) < 2 {
		return nil
	}
	c.draw(func(choice []int) []averaged {
		q := p.choosing(c, choice)
		if _, err := estimate(q); err != nil {
			return nil
		}
		return q.readings
	})
	return c
}

// draw makes the resamples, and reads what each chooses.
func (c *choices) draw(read func(choice []int) []averaged) {
	rng := rand.New(rand.NewPCG(drawSeed, 0))
	known := make(map[string]int)
	choice, id := make([]int, len(c.of)), make([]byte, 0, 4*len(c.of))
	for range (stats.Bootstrap{Alpha: 1 - confidence}).Draws() {
		draw := make([]int, len(c.repeats))
		for i := range draw {
			draw[i] = rng.IntN(len(c.repeats))
		}
		id = id[:0]
		for i := range c.of {
			choice[i] = c.best(&c.of[i], draw)
			id = append(id, byte(choice[i]), byte(choice[i]>>8), byte(choice[i]>>16))
		}
		k, ok := known[string(id)]
		if !ok {
			k = len(c.readings)
			known[string(id)] = k
			c.readings = append(c.readings, read(choice))
		}
		c.draws, c.taken = append(c.draws, draw), append(c.taken, k)
	}
}

// best is the candidate that a resample chooses.
func (c *choices) best(r *selection.Rivals, draw []int) int {
	losses := make([]float64, len(r.Losses))
	for _, i := range draw {
		at, _ := slices.BinarySearch(r.Repeats, c.repeats[i])
		for j := range losses {
			losses[j] += r.Losses[j][at]
		}
	}
	return stats.Best(losses)
}

// choosing is the part with the runs of other candidates.
func (p *part) choosing(c *choices, choice []int) *part {
	q := *p
	q.readings, q.again = nil, nil
	q.reasons, q.caveats, q.doubts = nil, nil, nil
	q.samples = maps.Clone(p.samples)
	for i, name := range c.series {
		runs := c.of[i].Runs[choice[i]]
		q.samples[name] = &sample{runs: runs, all: slices.Clone(runs)}
	}
	return &q
}

// known reports whether the estimate number k could be read with whatever was chosen, but
// for what is chosen less often than an interval leaves out.
func (c *choices) known(k int) bool {
	first := -1
	lacks := make([]bool, len(c.readings))
	for i, r := range c.readings {
		switch {
		case k >= len(r):
			lacks[i] = true
		case first < 0:
			first = i
		default:
			lacks[i] = r[k].want.String() != c.readings[first][k].want.String()
		}
	}
	missed := 0
	for _, i := range c.taken {
		if lacks[i] {
			missed++
		}
	}
	return first >= 0 && float64(missed) <= (1-confidence)/2*float64(len(c.taken))
}

// interval is the percentile interval of the estimate number k, which is known, on the scale
// that it is averaged on.
func (c *choices) interval(k int, level float64) (lo, hi float64) {
	numbers := make([][]float64, len(c.readings))
	for i, r := range c.readings {
		if k < len(r) {
			numbers[i] = c.byRepeat(&r[k])
		}
	}
	means := make([]float64, 0, len(c.draws))
	for i, draw := range c.draws {
		if v := numbers[c.taken[i]]; v != nil {
			if m := meanOf(v, draw); !math.IsNaN(m) {
				means = append(means, m)
			}
		}
	}
	return stats.Bootstrap{Alpha: 1 - level}.Percentiles(means)
}

// byRepeat returns the numbers of the repeats of the draws, NaN of those that were not read.
func (c *choices) byRepeat(of *averaged) []float64 {
	v := make([]float64, len(c.repeats))
	for i, id := range c.repeats {
		v[i] = math.NaN()
		if at := slices.Index(of.ids, id); at >= 0 {
			v[i] = of.v[at]
		}
	}
	return v
}

// meanOf is the mean of those drawn of the numbers, NaN if there is none.
func meanOf(v []float64, draw []int) float64 {
	sum, n := 0.0, 0
	least, most := math.Inf(1), math.Inf(-1)
	for _, i := range draw {
		if x := v[i]; !math.IsNaN(x) {
			sum, least, most = sum+x, min(least, x), max(most, x)
			n++
		}
	}
	if n > 0 && least == most { // not the mean, which rounds
		return least
	}
	return sum / float64(n)
}
