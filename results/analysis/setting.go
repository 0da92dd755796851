package analysis

import (
	"fmt"
	"reflect"
	"slices"

	"stochopt/results/record"
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
func grids(runs []record.Run, tune []string) []*grid {
	type label struct{ dataset, series, algorithm, params string }
	type id struct {
		label
		hash string
		seed uint64
	}
	var out []*grid
	at, mixed := map[id]*grid{}, map[label]*mixture{}
	// Runs read from a folder share their parameters.
	known := map[uintptr]*parted{}
	for i, r := range runs {
		p := known[reflect.ValueOf(r.Params).Pointer()]
		if p == nil {
			p = newParted(r.Params, tune)
			known[reflect.ValueOf(r.Params).Pointer()] = p
		}
		name := label{r.Dataset, r.Series, r.Algorithm, p.fixedText}
		if mixed[name] == nil {
			mixed[name] = &mixture{}
		}
		mixed[name].add(r.Seed, r.DatasetHash)
		key := id{name, r.DatasetHash, r.Seed}
		g, ok := at[key]
		if !ok {
			g = &grid{
				Setting: Setting{
					Dataset: r.Dataset, Group: r.Group, Series: r.Series, Algorithm: r.Algorithm, Params: p.fixed,
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
			return record.CompareParams(a.Params, b.Params, tune)
		})
	}
	return out
}

// parted are parameters, the tuned ones and the others.
type parted struct {
	tuned, fixed         record.Params
	tunedText, fixedText string
}

func newParted(params record.Params, tune []string) *parted {
	tuned, fixed := params.Split(tune)
	return &parted{tuned, fixed, tuned.String(), fixed.String()}
}

func (g *grid) add(i int, r record.Run, p *parted) {
	g.StandIn = g.StandIn || r.StandIn
	j, ok := g.at[p.tunedText]
	if !ok {
		j = len(g.candidates)
		g.at[p.tunedText] = j
		g.candidates = append(g.candidates, Candidate{Params: p.tuned})
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
