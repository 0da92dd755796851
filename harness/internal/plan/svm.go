package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"

	"github.com/dustin/go-humanize"
)

// Names of the parts of the data that the publisher put aside. All others are
// for training.
const (
	validationPart = "validation"
	testPart       = "test"
)

// FixedSplit reports whether the splits of an SVM problem are the same in every
// repeat: those of the publisher, or one subset of them.
func (pr *Problem) FixedSplit() bool { return fixedSplit(pr.Entry) }

func fixedSplit(e *spec.DatasetEntry) bool { return e.Split == nil }

// SVMRows returns the rows of the table in each split of an SVM problem, each
// in increasing order. Without a split they are the publisher's parts. A split
// with a test fraction shares out all rows at random; one without keeps the
// publisher's test part and shares out the rest. At last each split is cut down
// to its subset.
//
// It returns an error if the rows do not allow the split or the subset, or if
// the training rows are of one class only.
func (pr *Problem) SVMRows(rootSeed uint64, repeat int) (train, validation, test []int, err error) {
	if pr.FixedSplit() {
		repeat = 0
	}
	rng := seed.Stream(rootSeed, pr.Data.Hash, pr.Split, repeat, seed.RoleSplit)
	splits := pr.published()
	switch {
	case pr.FixedSplit():
	case pr.Entry.Split.Test > 0:
		splits[0], splits[1], splits[2], err = datasets.Split(pr.Data.Table.N, Fractions(pr.Entry.Split), rng)
	default:
		own := slices.Concat(splits[0], splits[1])
		slices.Sort(own)
		splits[0], splits[1], _, err = datasets.Split(len(own), Fractions(pr.Entry.Split), rng)
		for _, rows := range splits[:2] {
			for i, j := range rows {
				rows[i] = own[j]
			}
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for i, keep := range subsetSizes(pr.Entry.Subset) {
		slices.Sort(splits[i])
		if keep == 0 {
			continue
		}
		if splits[i], err = pr.cut(splits[i], keep, rng); err != nil {
			return nil, nil, nil, fmt.Errorf("subset: %s: %w", splitNames[i], err)
		}
	}
	return splits[0], splits[1], splits[2], pr.bothClasses(splits[0])
}

// obtain says how to get rows of each split.
var obtain = [3]string{
	"take a dataset, or a file, with training rows",
	"give the dataset a split, such as split: {train: 0.8, validation: 0.2}",
	"give the dataset a split, such as split: {train: 0.8, test: 0.2}, or its file a second one with test",
}

// svmSizes returns the numbers of rows in each split.
func (pr *Problem) svmSizes() (sizes [3]int, err error) {
	for i, rows := range pr.published() {
		sizes[i] = len(rows)
	}
	switch {
	case pr.FixedSplit():
	case pr.Entry.Split.Test > 0:
		sizes[0], sizes[1], sizes[2], err = Fractions(pr.Entry.Split).Sizes(pr.rows)
	default:
		sizes[0], sizes[1], _, err = Fractions(pr.Entry.Split).Sizes(sizes[0] + sizes[1])
	}
	if err != nil {
		return sizes, fmt.Errorf("%w; use more rows or other fractions", err)
	}
	for i, keep := range subsetSizes(pr.Entry.Subset) {
		if keep > 0 && sizes[i] == 0 {
			return sizes, fmt.Errorf("subset: %s: there are no %s rows to take %d of; %s", splitNames[i], splitNames[i], keep, obtain[i])
		}
		if keep > sizes[i] {
			return sizes, fmt.Errorf("subset: %s: %d is more than the %d rows there are; lower it or remove it", splitNames[i], keep, sizes[i])
		}
		if keep > 0 {
			sizes[i] = keep
		}
	}
	return sizes, nil
}

// checkSVM reports data that cannot be learned from, as far as they are known.
func (pr *Problem) checkSVM() error {
	if pr.endless {
		return pr.errorf("the task svm needs rows with labels, and this is a distribution without; use another source")
	}
	if pr.Data == nil {
		return nil // not open yet
	}
	if err := pr.Data.Table.BinaryLabels(); err != nil {
		return pr.errorf("%w", err)
	}
	sizes, err := pr.svmSizes()
	if err != nil {
		return pr.errorf("%w", err)
	}
	if sizes[0] == 0 {
		return pr.errorf("there are no rows to train on; take with: {part: all}")
	}
	pr.TrainRows, pr.points = sizes[0], sizes[0]+sizes[1]+sizes[2]
	return nil
}

// Memory returns the least number of bytes that rows of kernel matrices need,
// and the problem that needs them; 0 if no run needs a kernel matrix. Two rows
// of a matrix are in use at a time, of 32-bit numbers in blocks of 16.
func (p *Plan) Memory() (*Problem, int64) {
	var most *Problem
	var bytes int64
	for _, it := range p.Items {
		if !it.ReadsKernel(p.Spec.Record.UsesReference()) {
			continue
		}
		if need := 2 * 4 * int64((it.Problem.points+15)/16*16); need > bytes {
			most, bytes = it.Problem, need
		}
	}
	return most, bytes
}

// CheckMemory reports a run whose random Fourier features do not fit in so many
// bytes beside what Memory returns.
func (p *Plan) CheckMemory(bytes int64) error {
	_, rows := p.Memory()
	for _, it := range p.Items {
		need := it.Memory()
		if need <= max(bytes-rows, 0) {
			continue
		}
		beside := ""
		if rows > 0 {
			beside = fmt.Sprintf(" beside %d B of kernel rows", rows)
		}
		cure := fmt.Sprintf("lower pairs to %d or less", registry.MostPairs(it.Problem.points, bytes-rows))
		if registry.MostPairs(it.Problem.points, bytes-rows) < 1 {
			cure = "use fewer rows"
		}
		if need <= math.MaxInt64-rows {
			cure += fmt.Sprintf(", or give --memory %d or more", need+rows)
		}
		return &Error{it.pos, fmt.Errorf("algorithm %q on dataset %q (%s): pairs = %d: the features of its %d points take %s (%d B), which --memory %s has no room for%s; %s",
			it.Series, it.Problem.Entry.ID, it.Problem.Entry.Pos, it.Params.Int("pairs"), it.Problem.points,
			humanize.IBytes(uint64(need)), need, humanize.IBytes(uint64(bytes)), beside, cure)}
	}
	return nil
}

// Memory returns the number of bytes that a run takes by itself, besides rows of
// kernel matrices and what is in proportion to its data.
func (it *Item) Memory() int64 {
	if it.Algorithm.Task != registry.TaskSVM {
		return 0
	}
	return registry.MemoryOfSVM(it.Algorithm.ID, it.Params, it.Problem.points)
}

// ReadsKernel reports whether a run reads a kernel matrix: its algorithm does, or
// the solver of the optimum that it takes its regularisation from, or with which
// it is compared if reference says that runs are. Methods that approximate the
// kernel are not.
func (it *Item) ReadsKernel(reference bool) bool {
	if it.Algorithm.Task != registry.TaskSVM {
		return false
	}
	id := it.Algorithm.ID
	return registry.NeedsOfSVM(id, it.Params).Kernel || registry.Converts(id, it.Params) ||
		reference && registry.Compares(id, it.Params)
}

// KernelEvals returns the number of kernel evaluations that a run will be
// charged if it goes through its budget: for the Perceptron, which pays for its
// support only, the most that it can be. It is 0 for a run without a kernel
// matrix.
func (it *Item) KernelEvals() int64 {
	needs := registry.NeedsOfSVM(it.Algorithm.ID, it.Params)
	if !needs.CountsKernelEvals() {
		return 0
	}
	return it.Budget * int64(needs.WorkingSet) * int64(it.Problem.TrainRows)
}

// checkSplits reports a repeat whose training rows are of one class only.
func (pr *Problem) checkSplits(s *spec.Spec) error {
	if pr.task != registry.TaskSVM {
		return nil
	}
	for repeat := range s.Repeats {
		if _, _, _, err := pr.SVMRows(s.Seed, repeat); err != nil {
			return pr.errorf("repeat %d: %w", repeat, err)
		}
		if pr.FixedSplit() {
			break
		}
	}
	return nil
}

// published returns the rows of each split as the publisher divided them, in
// increasing order.
func (pr *Problem) published() (splits [3][]int) {
	parts := pr.Data.Parts
	if len(parts) == 0 {
		parts = []datasets.PartRows{{Name: "train", Rows: pr.Data.Table.N}}
	}
	row := 0
	for _, part := range parts {
		i := 0
		switch part.Name {
		case validationPart:
			i = 1
		case testPart:
			i = 2
		}
		for range part.Rows {
			splits[i] = append(splits[i], row)
			row++
		}
	}
	return splits
}

// cut draws so many of the rows, in proportion to their classes.
func (pr *Problem) cut(rows []int, keep int, rng *rand.Rand) ([]int, error) {
	labels := make([]float64, len(rows))
	for i, row := range rows {
		labels[i] = pr.Data.Table.Labels[row]
	}
	kept, err := datasets.SubsetRows(labels, 0, len(rows), keep, rng)
	for i, j := range kept {
		kept[i] = rows[j]
	}
	return kept, err
}

// bothClasses returns an error unless the rows are of both classes.
func (pr *Problem) bothClasses(rows []int) error {
	for _, label := range [...]float64{1, -1} {
		if !slices.ContainsFunc(rows, func(row int) bool { return pr.Data.Table.Labels[row] == label }) {
			return fmt.Errorf("none of the %d training rows has the label %+g; use more rows", len(rows), label)
		}
	}
	return nil
}

// splitNames are the splits in the order of their fractions.
var splitNames = [...]string{"train", "validation", "test"}

func subsetSizes(s *spec.Subset) [3]int {
	if s == nil {
		return [3]int{}
	}
	return [3]int{s.Train, s.Validation, s.Test}
}

// subsetText is the canonical text of a subset, "" without one.
func subsetText(s *spec.Subset) string {
	var parts []string
	for i, keep := range subsetSizes(s) {
		if keep > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", splitNames[i], keep))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "subset:" + strings.Join(parts, ",")
}
