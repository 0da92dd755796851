package selection

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Candidate is one value of the tuned parameters of a series.
type Candidate struct {
	// Params holds the tuned parameters only.
	Params record.Params
	// Scored is false if the candidate is out of the race, for it has repeats
	// that did not finish or no finished one. Score and SE are 0 then.
	Scored bool
	// Score is the mean over repeats, SE its standard error (0 if there are fewer than two repeats).
	Score, SE float64
	// Counts is of the repeats.
	record.Counts
	Selected bool
	// Problems holds the reasons of the repeats that did not finish.
	Problems []string

	// runs are indices in the runs of the choice.
	runs []int
}

// races reports whether all repeats of the candidate finished, of which there are some.
func (c *Candidate) races() bool { return c.Finished > 0 && c.Finished == c.Runs }

// name is what warnings call the candidate.
func (c *Candidate) name() string {
	if len(c.Params) == 0 {
		return "the only candidate"
	}
	return "candidate " + c.Params.String()
}

// add adds a run with an index.
func (c *Candidate) add(i int, r *record.Run) {
	c.runs = append(c.runs, i)
	c.Add(r.Status)
	if what, unfinished := ends[r.Status]; unfinished {
		c.Problems = append(c.Problems, fmt.Sprintf("repeat %d %s: %s", r.Repeat, what, r.Reason))
	}
}

// ends says how runs of these statuses ended.
var ends = map[string]string{
	record.StatusDiverged: "diverged", record.StatusFailed: "failed", record.StatusSkipped: "was skipped",
	record.StatusOutOfTime: "ran out of time", record.StatusOutOfMemory: "ran out of memory",
}

// seriesID tells the series of a choice apart. params are those that are not tuned.
type seriesID struct {
	dataset, series, algorithm, params string
	hash                               string
	seed                               uint64
}

func idOf(r *record.Run, params string) seriesID {
	return seriesID{r.Dataset, r.Series, r.Algorithm, params, r.DatasetHash, r.Seed}
}

// sort makes the series, in order of first appearance, with their candidates.
func (s *Choice) sort() {
	type candidateID struct {
		series int
		tuned  string
	}
	s.parting, s.at = NewParting(s.Tune), map[seriesID]int{}
	candidates := map[candidateID]int{}
	for i := range s.all {
		r := &s.all[i]
		p := s.parting.Of(r.Params)
		id := idOf(r, p.FixedText)
		at, ok := s.at[id]
		if !ok {
			at = len(s.Series)
			s.at[id] = at
			s.Series = append(s.Series, Series{
				Dataset: r.Dataset, Group: r.Group, Name: r.Series, Algorithm: r.Algorithm, Params: p.Fixed,
				Seed: r.Seed, DatasetHash: r.DatasetHash,
			})
		}
		c := &s.Series[at]
		c.StandIn = c.StandIn || r.StandIn
		k, ok := candidates[candidateID{at, p.TunedText}]
		if !ok {
			k = len(c.Candidates)
			candidates[candidateID{at, p.TunedText}] = k
			c.Candidates = append(c.Candidates, Candidate{Params: p.Tuned})
		}
		c.Candidates[k].add(i, r)
	}
	for i := range s.Series {
		slices.SortStableFunc(s.Series[i].Candidates, func(a, b Candidate) int {
			return observe.CompareParams(a.Params, b.Params, s.Tune)
		})
	}
}

// Parting parts parameters into those that are tuned and the others. Runs read from a folder
// share their parameters, which are parted once.
type Parting struct {
	tune  []string
	known sync.Map // of *Parted, by the address of the parameters
}

// Parted are the parameters of a run, the tuned ones and the others, with their texts.
type Parted struct {
	Tuned, Fixed         record.Params
	TunedText, FixedText string

	of record.Params // else their address may be used again
}

// NewParting returns what parts off the parameters that are named.
func NewParting(tune []string) *Parting { return &Parting{tune: tune} }

// Of parts parameters, which must not change from then on.
func (p *Parting) Of(params record.Params) *Parted {
	at := reflect.ValueOf(params).Pointer()
	if known, ok := p.known.Load(at); ok {
		return known.(*Parted)
	}
	tuned, fixed := params.Split(p.tune)
	out := &Parted{tuned, fixed, tuned.String(), fixed.String(), params}
	p.known.Store(at, out)
	return out
}
