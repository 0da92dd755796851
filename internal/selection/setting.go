package selection

import (
	"fmt"
	"reflect"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Setting is what the runs that are selected among agree in: those of one dataset and
// series with the same seed, data, and parameters but the tuned ones.
type Setting struct {
	Dataset   string
	Group     string
	StandIn   bool
	Series    string
	Algorithm string
	// Params holds the parameters that are not tuned.
	Params record.Params
	// Seed and DatasetHash are those of the runs.
	Seed        uint64
	DatasetHash string
	// Warnings are what an experimenter should know of the selection.
	Warnings []string
}

// Name returns what messages call the setting.
func (s *Setting) Name() string { return fmt.Sprintf("%s %s[%s]", s.Dataset, s.Series, s.Params) }

// grid is a setting with its candidates.
type grid struct {
	Setting
	candidates []Candidate
	// twins warns of settings that only the seed or the data keep apart from this one:
	// their runs are of different experiments.
	twins []string
	// at finds a candidate by the label of its parameters.
	at map[string]int
}

// grids sorts runs by their settings, in order of first appearance, and those of each by
// the tuned parameters.
func grids(runs []record.Run, tune []string) ([]*grid, *Parting) {
	type label struct{ dataset, series, algorithm, params string }
	type id struct {
		label
		hash string
		seed uint64
	}
	var out []*grid
	at, mixed := map[id]*grid{}, map[label]*mixture{}
	parting := NewParting(tune)
	for i := range runs {
		r := &runs[i]
		p := parting.Of(r.Params)
		name := label{r.Dataset, r.Series, r.Algorithm, p.FixedText}
		if mixed[name] == nil {
			mixed[name] = &mixture{}
		}
		mixed[name].add(r.Seed, r.DatasetHash)
		key := id{name, r.DatasetHash, r.Seed}
		g, ok := at[key]
		if !ok {
			g = &grid{
				Setting: Setting{
					Dataset: r.Dataset, Group: r.Group, Series: r.Series, Algorithm: r.Algorithm, Params: p.Fixed,
					Seed: r.Seed, DatasetHash: r.DatasetHash,
				},
				at: map[string]int{},
			}
			at[key] = g
			out = append(out, g)
		}
		g.add(i, r, p)
	}
	for _, g := range out {
		if what := mixed[label{g.Dataset, g.Series, g.Algorithm, g.Params.String()}].String(); what != "" {
			g.twins = []string{"there are other runs that differ only in " + what +
				": they are of different experiments, and parameters are selected for each; give each its own --out"}
		}
		slices.SortStableFunc(g.candidates, func(a, b Candidate) int {
			return observe.CompareParams(a.Params, b.Params, tune)
		})
	}
	return out, parting
}

// Parting parts parameters into those that are tuned and the others. Runs read from a folder
// share their parameters, which are parted once.
type Parting struct {
	tune  []string
	known map[uintptr]*Parted
}

// Parted are the parameters of a run, the tuned ones and the others, with their texts.
type Parted struct {
	Tuned, Fixed         record.Params
	TunedText, FixedText string
}

// NewParting returns what parts off the parameters that are named.
func NewParting(tune []string) *Parting { return &Parting{tune, map[uintptr]*Parted{}} }

// Of parts parameters, which must not change from then on.
func (p *Parting) Of(params record.Params) *Parted {
	at := reflect.ValueOf(params).Pointer()
	out := p.known[at]
	if out == nil {
		tuned, fixed := params.Split(p.tune)
		out = &Parted{tuned, fixed, tuned.String(), fixed.String()}
		p.known[at] = out
	}
	return out
}

// fixedText returns the text of the parameters that are not tuned.
func (p *Parting) fixedText(params record.Params) string {
	if known := p.known[reflect.ValueOf(params).Pointer()]; known != nil {
		return known.FixedText
	}
	_, fixed := params.Split(p.tune)
	return fixed.String()
}

func (g *grid) add(i int, r *record.Run, p *Parted) {
	g.StandIn = g.StandIn || r.StandIn
	j, ok := g.at[p.TunedText]
	if !ok {
		j = len(g.candidates)
		g.at[p.TunedText] = j
		g.candidates = append(g.candidates, Candidate{Params: p.Tuned})
	}
	c := &g.candidates[j]
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
