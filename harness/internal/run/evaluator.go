package run

import (
	"fmt"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/seed"

	"gonum.org/v1/gonum/mat"
)

// evaluation is what the runs of one problem and repeat share: the rows of
// each split, and on every split that is measured the second moment and its
// certified optimum. It is built by the first run that needs it and released
// by the last.
type evaluation struct {
	train []int
	on    []measured
}

// measured is a split to measure on.
type measured struct {
	split     string
	moment    objective.SecondMoment
	reference *objective.Reference
}

// evaluationKey names it; the repeat is -1 where all repeats have the same.
type evaluationKey struct {
	problem *plan.Problem
	repeat  int
}

func evaluationKeyOf(it *plan.Item) evaluationKey {
	if it.Problem.Split == "" {
		return evaluationKey{it.Problem, -1}
	}
	return evaluationKey{it.Problem, it.Repeat}
}

// evaluations hands out evaluations and counts their users, so that at most
// those of the repeats in flight are in memory.
type evaluations struct {
	shares[evaluationKey, *evaluation]
	seed uint64
	maxK map[*plan.Problem]int
	refs *objective.References
}

// newEvaluations prepares to evaluate the pending ones of all runs of a plan.
func newEvaluations(s uint64, refs *objective.References, all, pending []*plan.Item) *evaluations {
	e := &evaluations{seed: s, refs: refs, maxK: make(map[*plan.Problem]int)}
	for _, it := range all {
		// Of all runs, so that what is stored does not depend on what is
		// pending.
		e.maxK[it.Problem] = max(e.maxK[it.Problem], it.Params.Int("k"))
	}
	for _, it := range pending {
		e.expect(evaluationKeyOf(it))
	}
	return e
}

// release gives up the item's claim on its evaluation.
func (e *evaluations) release(it *plan.Item) { e.unshare(evaluationKeyOf(it)) }

func (e *evaluations) build(it *plan.Item) (*evaluation, error) {
	ev := new(evaluation)
	pr := it.Problem
	if pr.Split == "" {
		if pr.Data.Table != nil {
			ev.train = allRows(pr.Data.Table.N)
		}
		return ev, e.add(ev, it, "population", -1, populationMoment(pr))
	}
	table := pr.Data.Table
	rng := seed.Stream(e.seed, pr.Data.Hash, pr.Split, it.Repeat, seed.RoleSplit)
	train, validation, test, err := datasets.Split(table.N, datasets.Fractions(*pr.Entry.Split), rng)
	if err != nil {
		return nil, err
	}
	ev.train = train
	for _, s := range []struct {
		name string
		rows []int
	}{{"validation", validation}, {"test", test}} {
		if len(s.rows) == 0 {
			continue
		}
		if err := e.add(ev, it, s.name, it.Repeat, momentOf(table, s.rows)); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// populationMoment returns E[x x^T] of a distribution, or of a table without a
// split, which is its own population.
func populationMoment(pr *plan.Problem) objective.SecondMoment {
	if pr.Data.Dist == nil {
		return momentOf(pr.Data.Table, nil)
	}
	var sym mat.SymDense
	pr.Data.Dist.SecondMomentTo(&sym)
	return objective.NewMoment(&sym)
}

// momentOf returns the second moment of rows of a table, nil meaning all: as a matrix,
// or of wide data by the rows.
func momentOf(table *datasets.Table, rows []int) objective.SecondMoment {
	if rows == nil {
		rows = allRows(table.N)
	}
	if table.D > objective.WideDim {
		return objective.NewRowMoment(splitRows{table, rows})
	}
	var sym mat.SymDense
	datasets.SecondMoment(&sym, table, rows)
	return objective.NewMoment(&sym)
}

// splitRows are some rows of a table.
type splitRows struct {
	table *datasets.Table
	rows  []int
}

// Dims implements objective.Samples.
func (s splitRows) Dims() (n, d int) { return len(s.rows), s.table.D }

// Entries implements objective.Samples.
func (s splitRows) Entries(i int, buf []float64) ([]int32, []float64) {
	return s.table.Entries(s.rows[i], buf)
}

// add solves the split's reference, or finds it among the stored ones. A
// repeat of -1 stands for all repeats.
func (e *evaluations) add(ev *evaluation, it *plan.Item, split string, repeat int, moment objective.SecondMoment) error {
	pr := it.Problem
	problem := objective.Solved{
		Dataset: pr.Data.Name, DatasetHash: pr.Data.Hash, Split: split, Repeat: repeat, Protocol: seed.Protocol,
	}
	if repeat >= 0 {
		problem.Split += " of " + pr.Split
		problem.Seed = e.seed
	}
	ref, err := e.refs.Get(problem, e.maxK[pr], moment)
	if err != nil {
		return fmt.Errorf("the optimum on the %s split: %w", split, err)
	}
	ev.on = append(ev.on, measured{split: split, moment: moment, reference: ref})
	return nil
}

func allRows(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
