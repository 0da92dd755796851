package selection

import (
	"encoding/json"
	"fmt"

	"stochopt/internal/record"
)

// packedHalved is Choice as JSON: what was chosen, without the classifiers that it was
// chosen among.
type packedHalved struct {
	Options struct {
		Count      int      `json:"halvings"`
		Seed       uint64   `json:"seed"`
		Tune       []string `json:"tune"`
		Over       string   `json:"over"`
		Sizes      []int    `json:"sizes"`
		Validation bool     `json:"validation"`
	} `json:"options"`
	Curves []packedCurve `json:"curves"`
}

// packedCurve is Series. Wrong counts the mistakes by halving; ValidationByHalving is made from
// Held.
type packedCurve struct {
	Dataset     string        `json:"dataset"`
	Group       string        `json:"group,omitempty"`
	StandIn     bool          `json:"stand_in,omitempty"`
	Series      string        `json:"series"`
	Algorithm   string        `json:"algorithm"`
	Params      record.Params `json:"params,omitempty"`
	Seed        uint64        `json:"seed"`
	DatasetHash string        `json:"dataset_hash"`
	Warnings    []string      `json:"warnings,omitempty"`

	TestRows           int64          `json:"test_rows"`
	Repeats            []int          `json:"repeats"`
	Least              int            `json:"least"`
	Most               int            `json:"most"`
	Sizes              []int          `json:"sizes"`
	Error              []float64      `json:"error"`
	SD                 []float64      `json:"sd"`
	Validation         []float64      `json:"validation"`
	ByRepeat           [][]float64    `json:"by_repeat"`
	ValidationByRepeat [][]float64    `json:"validation_by_repeat"`
	Wrong              [][]int64      `json:"wrong,omitempty"`
	Held               [][][2]int32   `json:"held,omitempty"`
	Chosen             [][]packedVote `json:"chosen"`
	Edges              []packedEdge   `json:"edges,omitempty"`
	Picks              []packedPick   `json:"picks,omitempty"`
}

type packedVote struct {
	Params record.Params `json:"params"`
	Count  int           `json:"count"`
}

// packedEdge has the value under the name of the parameter, so that its type stays.
type packedEdge struct {
	Param string        `json:"param"`
	Value record.Params `json:"value"`
}

// packedPick is what Pick returns at a size.
type packedPick struct {
	Size    int     `json:"size"`
	Key     string  `json:"key"`
	Extent  string  `json:"extent"`
	Point   int     `json:"point"`
	Support int     `json:"support"`
	Error   float64 `json:"error"`
	Score   float64 `json:"score"`
}

// Unpack decodes the selection of a packed folder with the runs given.
func Unpack(data []byte, runs []record.Run) (*Choice, error) {
	var in packedHalved
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	o := in.Options
	h := &Choice{
		Rule: Rule{By: ByHalvings, Over: o.Over, Tune: o.Tune, Halvings: o.Count, Seed: o.Seed, Sizes: o.Sizes},
		all:  runs, runs: runs, parting: NewParting(o.Tune),
	}
	if o.Validation {
		h.By = ByValidation
	}
	byID := make(map[string]*record.Run, len(runs))
	for i := range runs {
		if id := runs[i].ID().Text(); byID[id] == nil {
			byID[id] = &runs[i]
		}
	}
	for i := range in.Curves {
		c, err := in.Curves[i].unpack(h.Rule, runs, byID)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", in.Curves[i].Dataset, in.Curves[i].Series, err)
		}
		h.Series = append(h.Series, *c)
	}
	return h, nil
}

func (p *packedCurve) unpack(o Rule, runs []record.Run, byID map[string]*record.Run) (*Series, error) {
	c := &Series{
		Setting: Setting{
			Dataset: p.Dataset, Group: p.Group, StandIn: p.StandIn, Series: p.Series, Algorithm: p.Algorithm, Params: p.Params,
			Seed: p.Seed, DatasetHash: p.DatasetHash, Warnings: p.Warnings,
		},
		OK: true,
	}
	c.Tradeoff = Tradeoff{
		TestRows: p.TestRows, Repeats: p.Repeats, Least: p.Least, Most: p.Most, Sizes: p.Sizes,
		Error: p.Error, SD: p.SD, Validation: p.Validation, ByRepeat: p.ByRepeat, ValidationByRepeat: p.ValidationByRepeat,
		tune: o.Tune, any: o.Over == OverAny, split: o.By == ByValidation, runs: runs, picks: map[int]Pick{},
	}
	if err := p.check(o.Halvings); err != nil {
		return nil, err
	}
	for i, wrong := range p.Wrong {
		errors, held := make([]float64, len(wrong)), make([]float64, len(wrong))
		for k, n := range wrong {
			errors[k], held[k] = shareOf(n, c.Reported()), heldError(p.Held[i][k], c.TestRows)
		}
		c.ByHalving, c.ValidationByHalving = append(c.ByHalving, errors), append(c.ValidationByHalving, held)
	}
	for _, votes := range p.Chosen {
		var of []Votes
		for _, v := range votes {
			of = append(of, Votes(v))
		}
		c.Votes = append(c.Votes, of)
	}
	for _, e := range p.Edges {
		c.Edges = append(c.Edges, Edge{e.Param, e.Value[e.Param]})
	}
	for _, pick := range p.Picks {
		r := byID[record.ID{Key: pick.Key, Extent: pick.Extent}.Text()]
		if r == nil {
			return nil, fmt.Errorf("the run of what is picked at %d support vectors is not there", pick.Size)
		}
		c.picks[pick.Size] = Pick{Run: *r, Point: pick.Point, Support: pick.Support, Error: pick.Error, Score: pick.Score}
	}
	return c, nil
}

// check reports what is wrong with the lengths of the lists.
func (p *packedCurve) check(halvings int) error {
	n := len(p.Sizes)
	by := func(lists [][]float64) bool {
		for _, l := range lists {
			if len(l) != n {
				return false
			}
		}
		return len(lists) == len(p.Repeats)
	}
	ok := len(p.Error) == n && len(p.SD) == n && len(p.Validation) == n && len(p.Chosen) == n && by(p.ByRepeat) && by(p.ValidationByRepeat) &&
		(len(p.Wrong) == n || len(p.Wrong) == 0) && len(p.Held) == len(p.Wrong) && p.TestRows >= 0
	for i, wrong := range p.Wrong {
		ok = ok && len(wrong) == halvings && len(p.Held[i]) == halvings
	}
	for _, votes := range p.Chosen {
		ok = ok && len(votes) > 0
	}
	if !ok {
		return fmt.Errorf("its lists are not of equal length")
	}
	return nil
}
