// Package plan lists the runs of a spec, each with its data, its budget and its key.
package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// Item is one run.
type Item struct {
	// Index is the position in plan order.
	Index   int
	Problem *Problem
	// Series is the label of the algorithm's entry.
	Series    string
	Algorithm *registry.Algorithm
	Params    registry.Params
	Repeat    int
	// Budget is the number of iterations.
	Budget int64
	// Limit bounds the time and memory of the run.
	Limit spec.Limit
	ID    record.ID

	// pos is the position of the algorithm's entry.
	pos spec.Position
}

// Plan is the list of runs of a spec. In plan order, runs are sorted by dataset, problem parameters,
// algorithm and grid point, in the order of the spec, and then by repeat.
type Plan struct {
	Spec     *spec.Spec
	Problems []*Problem
	Items    []*Item
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

// Opener opens the data of a dataset entry. It may return nil, nil if no run on the data is performed.
// The plan then contains only what is known without opening them, and the keys of these runs are valid
// only within the plan.
type Opener func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error)

// Check returns all errors of a spec that can be found without opening data.
func Check(s *spec.Spec) error {
	_, err := Build(context.Background(), s, noData)
	return err
}

// WithoutData returns the plan of a spec without opening data. The spec must have passed Check.
func WithoutData(s *spec.Spec) *Plan {
	p, _ := Build(context.Background(), s, noData)
	return p
}

// noData opens no data.
func noData(context.Context, *spec.DatasetEntry) (*datasets.Data, error) { return nil, nil }

// Build opens every dataset and lists the runs. It returns all errors joined, each with the name and
// position of the dataset or algorithm entry.
func Build(ctx context.Context, s *spec.Spec, open Opener) (*Plan, error) {
	b := builder{
		plan: &Plan{Spec: s}, problems: make(map[*spec.DatasetEntry]*Problem),
		algorithms: make(map[*spec.AlgorithmEntry]*registry.Algorithm), byKey: make(map[string]*Item), reported: make(map[string]bool),
	}
	for i := range s.Datasets {
		e := &s.Datasets[i]
		pr, err := newProblem(ctx, s, e, open)
		if ctx.Err() != nil {
			return nil, err
		}
		if b.report(err) {
			b.problems[e] = pr
			b.plan.Problems = append(b.plan.Problems, pr)
		}
	}
	for c := range s.Expand() {
		if pr := b.problems[c.Dataset]; pr != nil {
			b.report(b.add(pr, c))
		}
	}
	return b.plan, errors.Join(b.errs...)
}

// builder collects the runs of a plan and the errors in its spec.
type builder struct {
	plan     *Plan
	problems map[*spec.DatasetEntry]*Problem
	// algorithms caches the algorithm of each entry, so that files of external ones are read once.
	algorithms map[*spec.AlgorithmEntry]*registry.Algorithm
	byKey      map[string]*Item
	errs       []error
	reported   map[string]bool
}

// report collects an error, unless one with the same text is there. It reports whether err is nil.
func (b *builder) report(err error) bool {
	if err != nil && !b.reported[err.Error()] {
		b.reported[err.Error()] = true
		b.errs = append(b.errs, err)
	}
	return err == nil
}

// add adds the runs of a cell of the spec. They differ only in their repeat.
func (b *builder) add(pr *Problem, c spec.Cell) error {
	algorithm := b.algorithms[c.Algorithm]
	if algorithm == nil {
		var err error
		if algorithm, err = registry.AlgorithmOf(b.plan.Spec.Task, c.Algorithm); err != nil {
			return &Error{c.Algorithm.Pos, err}
		}
		b.algorithms[c.Algorithm] = algorithm
	}
	params := algorithm.Resolve(c.Params)
	budget, err := pr.budget(algorithm, params, c)
	if err != nil {
		return err
	}
	if params.Text("step.schedule") == "theory" {
		// The step size depends on the horizon, so the horizon must be part of the key.
		params["step.horizon"] = budget
	}
	cell := Item{Problem: pr, Series: c.Series, Algorithm: algorithm, Params: params, Budget: budget, pos: c.Algorithm.Pos}
	if l := c.Algorithm.Limit; l != nil {
		cell.Limit = *l
	}
	cell.ID.Extent = cell.extent()
	cell.ID.Labels = record.Labels{Dataset: c.Dataset.ID, Group: c.Dataset.Group, Series: c.Series}
	key := cell.keys()
	for repeat := range repeats(b.plan.Spec, c) {
		it := cell
		it.Index, it.Repeat = len(b.plan.Items), repeat
		it.ID.Key = key(repeat)
		if before := b.byKey[it.ID.Key]; before != nil {
			return &Error{it.pos, fmt.Errorf("dataset %q, algorithm %q and dataset %q, algorithm %q ask for the same run: %s; remove one of them",
				c.Dataset.ID, c.Series, before.Problem.Entry.ID, before.Series, record.Params(params))}
		}
		b.byKey[it.ID.Key] = &it
		b.plan.Items = append(b.plan.Items, &it)
	}
	return nil
}

// repeats returns the number of runs of a cell of a spec. It is 1 if all repeats would be equal, because
// the algorithm is deterministic and the split is fixed. With record.alone, deterministic algorithms
// are repeated too, for their times.
func repeats(s *spec.Spec, c spec.Cell) int {
	if s.Deterministic(c.Dataset, c.Algorithm) && !s.Record.Alone {
		return 1
	}
	return s.Repeats
}

// keys returns a function that returns the run key of a repeat. The key is a hash of everything that
// determines the bits of the run. It does not depend on names in the spec, on the budget or on the
// recorded points.
func (it *Item) keys() (key func(repeat int) string) {
	pr := it.Problem
	sample := pr.Entry.Sample
	if pr.distribution {
		sample = "" // there is only one way to draw from a distribution
	}
	values := map[string]any{
		"protocol":  seed.Protocol,
		"task":      pr.Spec.Task,
		"algorithm": it.Algorithm.ID,
		"version":   it.Algorithm.Version,
		"params":    map[string]any(it.Params),
		"dataset":   pr.Data.Hash,
		"split":     pr.Split,
		"sample":    sample,
		"seed":      pr.Spec.Seed,
	}
	if program := it.Algorithm.Program; program != nil {
		values["external"] = program.Identity()
	}
	if reference := it.Algorithm.ReferenceKey(it.Params); reference != nil {
		values["reference"] = reference
	}
	return record.Keys(values, "repeat")
}

// sparseRecording is the version of the contents of svm-sparse records. Raise it when the recorded
// points, metrics or facts change although the runs do not. The runs are then repeated.
const sparseRecording = 2

// extent returns the budget of the run and what is recorded. If the record is compared with the
// reference optimum, the extent includes the version of the reference. If the run depends on the
// reference, the key includes it instead. Limits are not part of the extent: the record of a run that
// reached its limit is reused until the limit is raised.
func (it *Item) extent() string {
	r := it.Problem.Spec.Record
	text := fmt.Sprintf("%d/%s:%d", it.Budget, r.Spacing, r.Points)
	if it.Problem.task.Sparse {
		text += fmt.Sprintf("+recording%d", sparseRecording)
	}
	if r.Spectrum {
		text += "+spectrum"
	}
	if it.Compared() {
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

// Limits returns the limits of a run in the form used by records.
func (it *Item) Limits() record.Limit {
	return record.Limit{Seconds: it.Limit.Seconds, Memory: int64(it.Limit.Memory)}
}

// Within returns the same run with other limits.
func (it *Item) Within(l record.Limit) *Item {
	limited := *it
	limited.Limit = spec.Limit{Seconds: l.Seconds, Memory: spec.Size(l.Memory)}
	return &limited
}

// ReadsKernel reports whether a run reads a kernel matrix, either for its algorithm or for an optimum.
func (it *Item) ReadsKernel() bool {
	a := it.Algorithm
	return a.Needs(it.Params).Kernel || a.Converts(it.Params) || it.Compared()
}

// Compared reports whether a run is compared with a reference optimum that it does not depend on.
func (it *Item) Compared() bool {
	return it.Problem.Spec.Record.UsesReference() && it.Algorithm.Compares(it.Params)
}

// KernelEvals estimates the number of kernel evaluations charged to a run of the full budget. For the
// Perceptron, which is charged for its support only, it is an upper bound. It is 0 if the run's kernel
// evaluations are not counted.
func (it *Item) KernelEvals() int64 {
	n := it.Algorithm.Needs(it.Params)
	if !n.CountsKernelEvals() {
		return 0
	}
	evals := float64(it.Budget) * float64(n.WorkingSet) * float64(it.Problem.TrainRows)
	return int64(whole.Within(evals, 0, math.MaxInt64))
}

// splitText returns the canonical text of the split and the subset of an entry, "" if there is neither.
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
