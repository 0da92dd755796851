package run

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"stochopt/algorithms/kernel"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
)

// svmKey identifies what SVM runs share: the points, in which order, and the
// kernel.
type svmKey struct {
	// data is the content's hash, split the canonical text of the split.
	data, split string
	// repeat is -1 where the split is the same in every repeat.
	repeat int
	kernel string
}

func svmKeyOf(it *plan.Item) svmKey {
	pr := it.Problem
	key := svmKey{data: pr.Data.Hash, split: pr.Split, repeat: it.Repeat}
	if pr.FixedSplit() {
		key.repeat = -1
	}
	// A kernel that cannot be had fails each of its runs.
	if kern, err := registry.KernelOf(it.Params); err == nil {
		key.kernel = kern.String()
	}
	return key
}

// svmShared is what the runs of one split and kernel share. The points are laid
// out by the first of them, the kernel rows computed as they are asked for, the
// certified optima solved when a run needs them.
type svmShared struct {
	key    svmKey
	kern   kernel.Kernel
	points *kernel.Points
	// order lists the rows of the table as the points are: the positives of
	// the training split, its negatives, the validation and the test split.
	order  []int
	layout objective.SVMPoints
	rows   map[string]int64

	// cache has the kernel rows that methods see, others, in the task svm-sparse,
	// those over the points that are not trained on.
	cache, others once[*kernel.Cache]

	references memo[string, *objective.SVMReference]
	trained    memo[string, *trained]
}

// newSVMShared lays out the points of the item's split.
func newSVMShared(root uint64, it *plan.Item, kern kernel.Kernel) (*svmShared, error) {
	pr := it.Problem
	train, validation, test, err := pr.SVMRows(root, it.Repeat)
	if err != nil {
		return nil, err
	}
	s := &svmShared{key: svmKeyOf(it), kern: kern}
	s.layout = objective.SVMPoints{Train: len(train), Validation: len(validation), Test: len(test)}
	labels := pr.Data.Table.Labels
	negative := func(row int) bool { return labels[row] < 0 }
	positives := slices.DeleteFunc(slices.Clone(train), negative)
	s.layout.Positive = len(positives)
	negatives := slices.DeleteFunc(train, func(row int) bool { return !negative(row) })
	s.order = slices.Concat(positives, negatives, validation, test)
	for _, row := range s.order {
		s.layout.Labels = append(s.layout.Labels, labels[row])
	}
	if s.points, err = kernel.NewPoints(pr.Data.Table, s.order); err != nil {
		return nil, err
	}
	s.rows = rowCounts(pr, s.layout)
	return s, nil
}

// close gives the memory of the kernel rows back.
func (s *svmShared) close() {
	for _, c := range []*kernel.Cache{s.cache.value, s.others.value} {
		if c != nil {
			c.Close()
		}
	}
}

// rowCounts returns the numbers of rows by split, and what they are a subset
// of.
func rowCounts(pr *plan.Problem, p objective.SVMPoints) map[string]int64 {
	rows, whole := make(map[string]int64), pr.Whole()
	for _, s := range p.Splits() {
		n := int64(s.To - s.From)
		rows[s.Name] = n
		if n < whole[s.Name] {
			rows[s.Name+"_of"] = whole[s.Name]
		}
	}
	return rows
}

// seen returns the number of points that the kernel rows of methods span.
func (s *svmShared) seen(apart bool) int {
	if apart {
		return s.layout.Train
	}
	return s.points.Len()
}

// wanted names the problem regularised as given.
func (r *kernelRun) wanted() objective.SVMReference {
	pr, key := r.it.Problem, r.shared.key
	want := objective.SVMReference{
		Solved: objective.Solved{
			Dataset: pr.Data.Name, DatasetHash: key.data, Split: key.split, Repeat: key.repeat,
			Seed: r.settings.plan.Spec.Seed, Protocol: seed.Protocol,
		},
		Version: registry.ReferenceVersion,
		Kernel:  key.kernel, Bias: r.reg.Bias, Given: r.form, Value: r.value,
	}
	if pr.FixedSplit() && pr.Entry.Subset == nil {
		want.Seed = 0 // nothing is drawn
	}
	return want
}

// reference returns the certified optimum of the problem wanted, solving it if no
// run and no earlier execution has, and the seconds that this execution has taken
// for it.
func (r *kernelRun) reference(ctx context.Context, want objective.SVMReference, rows *kernel.Reader) (*objective.SVMReference, float64, error) {
	name := fmt.Sprintf("%s=%s %t %g", want.Given, strconv.FormatFloat(want.Value, 'g', -1, 64), want.Bias, want.Within)
	return r.shared.references.get(name, func() (*objective.SVMReference, error) {
		return r.settings.refs.GetSVM(ctx, want, r.problem(rows), r.settings.waiting(r.it))
	})
}

// A reference optimum that takes longer than patience is reported on, and again
// every so often.
const (
	patience   = 2 * time.Second
	noteEvery  = 10 * time.Second
	noteFormat = "%s: solving the reference optimum (%s = %g): relative gap %.1e after %d steps"
)

// waiting returns what notes that a reference optimum is being solved.
func (s settings) waiting(it *plan.Item) func(gap float64, steps int64) {
	form := registry.Regulariser(it.Params)
	next := time.Now().Add(patience)
	return func(gap float64, steps int64) {
		if now := time.Now(); now.After(next) {
			next = now.Add(noteEvery)
			s.Note(fmt.Sprintf(noteFormat, it.Problem.Entry.ID, form, it.Params.Float(form), gap, steps))
		}
	}
}
