// Package plan turns a spec into the list of runs that it asks for, each with
// its data, its budget and its key.
package plan

import (
	"context"
	"fmt"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// Problem is a dataset entry of a spec with its data.
type Problem struct {
	// Spec is what it is a part of.
	Spec  *spec.Spec
	Entry *spec.DatasetEntry
	Data  *datasets.Data
	// Split is the canonical text of the split fractions and of the subset,
	// "" without either.
	Split string
	// TrainRows is the number of training rows, 0 for a distribution.
	TrainRows int

	// supervised: the task learns labels. sparse: it seeks classifiers of few
	// expansion vectors.
	supervised, sparse bool
	// points is the number of rows in all splits of an SVM problem.
	points int
	// rows and dim are those of the data, 0 where they are not known yet.
	rows, dim int
	// measuredRows is the number of rows of the largest split that the task pca measures on.
	measuredRows int
	// endless: the data are a distribution.
	endless bool
	// bytes is what the data take, pointBytes what a point takes laid out for kernel rows, 0
	// where they are not known yet.
	bytes      int64
	pointBytes float64
}

// Item is one run.
type Item struct {
	// Index is the place in plan order.
	Index   int
	Problem *Problem
	// Series is the label of the algorithm's entry.
	Series    string
	Algorithm *registry.Algorithm
	Params    registry.Params
	Repeat    int
	// Budget is the number of iterations.
	Budget int64
	// Limit bounds what the run may take.
	Limit spec.Limit
	ID    record.ID

	// pos is where the algorithm's entry was written.
	pos spec.Position
}

// Plan is the run list of a spec, in plan order: datasets, problem parameters,
// algorithms and their grids as the spec lists them, then repeats (see Repeats).
type Plan struct {
	Spec     *spec.Spec
	Problems []*Problem
	Items    []*Item

	released bool
}

// IDs returns the ids of all items in plan order.
func (p *Plan) IDs() []record.ID {
	ids := make([]record.ID, len(p.Items))
	for i, it := range p.Items {
		ids[i] = it.ID
	}
	return ids
}

// StandIns returns the ids of the dataset entries that use a stand-in.
func (p *Plan) StandIns() []string {
	var ids []string
	for _, pr := range p.Problems {
		if pr.Data.StandIn {
			ids = append(ids, pr.Entry.ID)
		}
	}
	return ids
}

// Release lets go of the rows of the data, whose number and size the plan knows. Its runs can
// no longer be performed.
func (p *Plan) Release() {
	p.released = true
	for _, pr := range p.Problems {
		data := *pr.Data
		data.Table = nil
		pr.Data = &data
	}
}

// Released reports whether Release was called.
func (p *Plan) Released() bool { return p.released }

// Opener opens the data of a dataset entry.
type Opener func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error)

// Build opens every dataset and lists the runs. Errors name the dataset or
// algorithm entry and its position in the spec.
func Build(ctx context.Context, s *spec.Spec, open Opener) (*Plan, error) {
	p := &Plan{Spec: s}
	byEntry := make(map[*spec.DatasetEntry]*Problem)
	for i := range s.Datasets {
		e := &s.Datasets[i]
		pr := newProblem(s, e)
		data, err := open(ctx, e)
		if err != nil {
			return nil, pr.errorf("%w", err)
		}
		pr.Data, pr.dim, pr.endless = data, data.Dim(), data.Dist != nil
		if data.Table != nil {
			pr.rows, pr.bytes = data.Table.N, registry.Counted(float64(data.Table.Bytes()))
			if pr.supervised {
				pr.pointBytes = registry.PointBytes(data.Table, pr.sparse)
			}
		}
		if err := pr.check(); err != nil {
			return nil, err
		}
		if err := pr.checkSplits(s); err != nil {
			return nil, err
		}
		p.Problems = append(p.Problems, pr)
		byEntry[e] = pr
	}
	byKey := map[string]*Item{}
	rows := newRows(s)
	for c := range s.Expand() {
		pr := byEntry[c.Dataset]
		algorithm, err := rows.of(c.Algorithm)
		if err != nil {
			return nil, err
		}
		params := algorithm.Resolve(c.Params)
		budget, err := pr.fit(algorithm, c, s.BudgetOf(c.Algorithm))
		if err != nil {
			return nil, err
		}
		if params.Text("step.schedule") == "theory" {
			// The step size depends on the horizon, so the run does.
			params["step.horizon"] = budget
		}
		// Of the repeats of a cell all but their number is the same.
		var key func(repeat int) string
		var extent string
		for repeat := range Repeats(s, c) {
			it := &Item{
				Index: len(p.Items), Problem: pr, Series: c.Series, Algorithm: algorithm,
				Params: params, Repeat: repeat, Budget: budget,
				pos: c.Algorithm.Pos,
			}
			it.limit(c)
			if key == nil {
				key, extent = it.keys(s), it.extent(s)
			}
			it.ID = record.ID{
				Key: key(repeat), Extent: extent,
				Labels: record.Labels{Dataset: c.Dataset.ID, Group: c.Dataset.Group, Series: c.Series},
			}
			p.Items = append(p.Items, it)
			if before := byKey[it.ID.Key]; before != nil {
				return nil, &Error{c.Algorithm.Pos, fmt.Errorf("%s and %s ask for the same run: %s; remove one of them", it.whose(), before.whose(), record.Params(params))}
			}
			byKey[it.ID.Key] = it
		}
	}
	return p, nil
}

// whose names the entries that ask for the item.
func (it *Item) whose() string {
	return fmt.Sprintf("dataset %q, algorithm %q", it.Problem.Entry.ID, it.Series)
}

// Repeats returns how many runs a cell of a spec has: one where they would all be
// the same, those of a deterministic algorithm on a split that is the same in
// every repeat, and else as many as the spec asks for. Where times are to compare,
// a deterministic algorithm is timed as often as the others.
func Repeats(s *spec.Spec, c spec.Cell) int {
	if s.Deterministic(c.Dataset, c.Algorithm) && !s.Record.Alone {
		return 1
	}
	return s.Repeats
}

// keys returns what hashes everything that the bits of the item's run and of its other
// repeats depend on, and nothing else: not the names in the spec, not the budget or the
// points recorded.
func (it *Item) keys(s *spec.Spec) (key func(repeat int) string) {
	sample := it.Problem.Entry.Sample
	if it.Problem.endless {
		sample = "" // of a distribution there is but one way to draw
	}
	values := map[string]any{
		"protocol":  seed.Protocol,
		"task":      s.Task,
		"algorithm": it.Algorithm.ID,
		"version":   it.Algorithm.Version,
		"params":    map[string]any(it.Params),
		"dataset":   it.Problem.Data.Hash,
		"split":     it.Problem.Split,
		"sample":    sample,
		"seed":      s.Seed,
	}
	if program := it.Algorithm.Program; program != nil {
		values["external"] = program.Identity()
	}
	if reference := it.demands().Reference; reference != nil {
		values["reference"] = reference
	}
	return record.Keys(values, "repeat")
}

// extent says how far the run goes and what is recorded of it. The version of the
// reference is part of it where that adds to the record, and not where the run
// depends on it: there it is part of the key, and the record has what it tells
// whether it is asked for or not. Limits are no part of it: a record that met one
// says so, and serves until it is raised.
func (it *Item) extent(s *spec.Spec) string {
	r := s.Record
	text := fmt.Sprintf("%d/%s:%d", it.Budget, r.Spacing, r.Points)
	demands := it.demands()
	if demands.Recording > 0 {
		text += fmt.Sprintf("+recording%d", demands.Recording)
	}
	if r.Spectrum {
		text += "+spectrum"
	}
	if r.UsesReference() && demands.Compared {
		text += fmt.Sprintf("+reference%d", registry.ReferenceVersion)
	}
	if r.Vectors {
		text += "+vectors"
	}
	if r.Alone {
		text += record.ExtentAlone
	}
	return text
}

// newProblem returns a problem whose data are not open yet.
func newProblem(s *spec.Spec, e *spec.DatasetEntry) *Problem {
	task := registry.Catalog().Task(s.Task)
	return &Problem{
		Spec: s, Entry: e, Split: splitText(e), supervised: task.Supervised, sparse: task.Sparse,
	}
}

// splitText is the canonical text of the split of an entry and of its subset, ""
// without either.
func splitText(e *spec.DatasetEntry) string {
	var split, subset []string
	for i, name := range spec.SplitNames {
		if e.Split != nil {
			split = append(split, fmt.Sprintf("%s=%g", name, e.Split.Fractions()[i]))
		}
		if keep := e.Subset.Sizes()[i]; keep > 0 {
			subset = append(subset, fmt.Sprintf("%s=%d", name, keep))
		}
	}
	text := strings.Join(split, ",")
	if len(subset) > 0 {
		text = strings.TrimPrefix(text+";subset:"+strings.Join(subset, ","), ";")
	}
	return text
}
