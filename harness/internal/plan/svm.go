package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/datasets"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// FixedSplit reports whether the splits of an SVM problem are the same in every
// repeat: those of the publisher, or one subset of them.
func (pr *Problem) FixedSplit() bool { return pr.Entry.Split == nil }

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
		splits[0], splits[1], splits[2], err = datasets.Split(pr.Data.Table.N, datasets.Fractions(*pr.Entry.Split), rng)
	default:
		own := slices.Concat(splits[0], splits[1])
		slices.Sort(own)
		splits[0], splits[1], _, err = datasets.Split(len(own), datasets.Fractions(*pr.Entry.Split), rng)
		for _, rows := range splits[:2] {
			for i, j := range rows {
				rows[i] = own[j]
			}
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for i, keep := range pr.Entry.Subset.Sizes() {
		slices.Sort(splits[i])
		if keep == 0 {
			continue
		}
		if splits[i], err = pr.cut(splits[i], keep, rng); err != nil {
			return nil, nil, nil, fmt.Errorf("subset: %s: %w", spec.SplitNames[i], err)
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

// Whole returns how many rows of each split there are before a subset is taken, by
// the name of the split; nil where data have no such splits.
func (pr *Problem) Whole() map[string]int64 {
	if !pr.supervised || pr.Data == nil || pr.rows == 0 {
		return nil
	}
	sizes, err := pr.wholeSizes()
	if err != nil {
		return nil
	}
	whole := make(map[string]int64)
	for i, n := range sizes {
		whole[spec.SplitNames[i]] = int64(n)
	}
	return whole
}

// wholeSizes returns the numbers of rows in each split before a subset is taken.
func (pr *Problem) wholeSizes() (sizes [3]int, err error) {
	for i, rows := range pr.published() {
		sizes[i] = len(rows)
	}
	switch {
	case pr.FixedSplit():
	case pr.Entry.Split.Test > 0:
		sizes[0], sizes[1], sizes[2], err = datasets.Fractions(*pr.Entry.Split).Sizes(pr.rows)
	default:
		sizes[0], sizes[1], _, err = datasets.Fractions(*pr.Entry.Split).Sizes(sizes[0] + sizes[1])
	}
	return sizes, err
}

// svmSizes returns the numbers of rows in each split.
func (pr *Problem) svmSizes() (sizes [3]int, err error) {
	if sizes, err = pr.wholeSizes(); err != nil {
		return sizes, fmt.Errorf("%w; use more rows or other fractions", err)
	}
	for i, keep := range pr.Entry.Subset.Sizes() {
		if keep > 0 && sizes[i] == 0 {
			return sizes, fmt.Errorf("subset: %s: there are no %s rows to draw %d from; %s", spec.SplitNames[i], spec.SplitNames[i], keep, obtain[i])
		}
		if keep > sizes[i] {
			return sizes, fmt.Errorf("subset: %s: %d is more than the %d rows that exist; lower it or remove it", spec.SplitNames[i], keep, sizes[i])
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
		return pr.errorf("the task %s needs labels, but this is a distribution without labels; use another source", pr.Spec.Task)
	}
	if pr.Data == nil {
		// Not open yet: a subset alone says how many rows there are to be.
		if sub := pr.Entry.Subset; sub != nil {
			pr.TrainRows = sub.Train
		}
		return nil
	}
	if err := pr.Data.Table.BinaryLabels(); err != nil {
		return pr.errorf("%w", err)
	}
	sizes, err := pr.svmSizes()
	if err != nil {
		return pr.errorf("%w", err)
	}
	if sizes[0] == 0 {
		return pr.errorf("there are no rows to train on; set with: {part: all}")
	}
	least := 2 // to halve
	by := pr.Spec.Select
	if by.By == selection.ByValidation {
		least = 1
	}
	if by.BySize() && sizes[2] < least {
		return pr.errorf("selection by %s needs at least %s, and there are %d; %s", by.By, words.Count(least, "test row"), sizes[2], obtain[2])
	}
	pr.TrainRows, pr.points = sizes[0], sizes[0]+sizes[1]+sizes[2]
	return nil
}

// checkSplits reports a repeat whose training rows are of one class only.
func (pr *Problem) checkSplits(s *spec.Spec) error {
	if !pr.supervised {
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
		parts = []datasets.PartRows{{Name: "train", Rows: pr.rows}}
	}
	row := 0
	for _, part := range parts {
		// All that the publisher has not put aside are for training.
		i := max(slices.Index(spec.SplitNames[:], part.Name), 0)
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
	kept, err := datasets.SubsetRows(labels, keep, rng)
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
