package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/datasets"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// FixedSplit reports whether the splits of an SVM problem are the same in every repeat: the publisher's
// splits, or one subset of them.
func (pr *Problem) FixedSplit() bool { return pr.Entry.Split == nil }

// SVMRows returns the table rows of each split of an SVM problem, in increasing order. If the entry has
// no split, the publisher's parts are used. A split with a test fraction divides all rows at random.
// A split without one keeps the publisher's test part and divides the other rows. Each split is then
// reduced to its subset.
//
// SVMRows returns an error if the rows do not allow the split or the subset, or if all training rows
// have the same label.
func (pr *Problem) SVMRows(rootSeed uint64, repeat int) (train, validation, test []int, err error) {
	if pr.FixedSplit() {
		repeat = 0
	}
	rng := seed.Stream(rootSeed, pr.Data.Hash, pr.Split, repeat, seed.RoleSplit)
	splits, err := pr.divide(rng)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, keep := range pr.Entry.Subset.Sizes() {
		if splits[i], err = pr.drawSubset(splits[i], keep, rng); err != nil {
			return nil, nil, nil, fmt.Errorf("subset: %s: %w; lower it or remove it, or %s", spec.SplitNames[i], err, splitAdvice[i])
		}
	}
	if len(splits[0]) == 0 {
		return nil, nil, nil, errors.New("there are no rows to train on; set with: {part: all}")
	}
	for _, label := range [...]float64{1, -1} {
		if !slices.ContainsFunc(splits[0], func(row int) bool { return pr.Data.Table.Labels[row] == label }) {
			return nil, nil, nil, fmt.Errorf("repeat %d: none of the %d training rows has the label %+g; use more rows", repeat, len(splits[0]), label)
		}
	}
	return splits[0], splits[1], splits[2], nil
}

// splitAdvice is advice on getting more rows in each split.
var splitAdvice = [3]string{
	"use a dataset or a file with more rows",
	"add a split to the dataset, such as split: {train: 0.8, validation: 0.2}",
	"add a split to the dataset, such as split: {train: 0.8, test: 0.2}, or add a test file with the key test",
}

// divide returns the rows of each split, in increasing order, before a subset is drawn.
func (pr *Problem) divide(rng *rand.Rand) (splits [3][]int, err error) {
	parts := pr.Data.Parts
	if len(parts) == 0 {
		parts = []datasets.PartRows{{Name: "train", Rows: pr.rows}}
	}
	row := 0
	for _, part := range parts {
		// Parts that are not named as a split are for training.
		i := max(slices.Index(spec.SplitNames[:], part.Name), 0)
		for range part.Rows {
			splits[i] = append(splits[i], row)
			row++
		}
	}
	if pr.FixedSplit() {
		return splits, nil
	}
	pool, test := slices.Concat(splits[0], splits[1]), splits[2]
	if pr.Entry.Split.Test > 0 {
		pool, test = append(pool, test...), nil
	}
	slices.Sort(pool)
	splits[0], splits[1], splits[2], err = datasets.Split(len(pool), datasets.Fractions(*pr.Entry.Split), rng)
	if err != nil {
		return splits, fmt.Errorf("%w; use more rows or other fractions", err)
	}
	for _, rows := range splits {
		for i, k := range rows {
			rows[i] = pool[k]
		}
		slices.Sort(rows)
	}
	splits[2] = append(splits[2], test...)
	return splits, nil
}

// drawSubset draws keep of the rows at random, in proportion to their classes. If keep is 0, it returns all.
func (pr *Problem) drawSubset(rows []int, keep int, rng *rand.Rand) ([]int, error) {
	switch {
	case keep == 0:
		return rows, nil
	case keep > len(rows):
		return nil, fmt.Errorf("%d is more than the %d available rows", keep, len(rows))
	}
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

// checkSVM returns an error if the data do not suit an SVM problem. Data that are not open are checked
// only as far as possible.
func (pr *Problem) checkSVM() error {
	switch {
	case pr.distribution:
		return pr.errorf("the task %s needs labels, but this is a distribution without labels; use another source", pr.Spec.Task)
	case pr.Data.Table == nil && pr.Entry.Subset != nil:
		// The rows are unknown, but the subset has the number of training rows.
		pr.TrainRows = pr.Entry.Subset.Train
		return nil
	case pr.Data.Table == nil:
		pr.points = pr.rows
		return nil
	}
	if err := pr.Data.Table.BinaryLabels(); err != nil {
		return pr.errorf("%w", err)
	}
	splits, err := pr.divide(seed.Stream(pr.Spec.Seed, pr.Data.Hash, pr.Split, 0, seed.RoleSplit))
	if err != nil {
		return pr.errorf("%w", err)
	}
	pr.SplitSizes = make(map[string]int64)
	for i, rows := range splits {
		pr.SplitSizes[spec.SplitNames[i]] = int64(len(rows))
	}
	repeats := pr.Spec.Repeats
	if pr.FixedSplit() {
		repeats = 1
	}
	for repeat := range repeats {
		if splits[0], splits[1], splits[2], err = pr.SVMRows(pr.Spec.Seed, repeat); err != nil {
			return pr.errorf("%w", err)
		}
	}
	test := len(splits[2])
	pr.TrainRows, pr.points = len(splits[0]), len(splits[0])+len(splits[1])+test
	least := 2 // for two halves
	by := pr.Spec.Select
	if by.By == selection.ByValidation {
		least = 1
	}
	if by.BySize() && test < least {
		return pr.errorf("selection by %s needs at least %s, but there are %d; %s",
			by.By, words.Count(least, "test row"), test, splitAdvice[2])
	}
	return nil
}
