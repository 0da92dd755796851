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
	moment    *objective.Moment
	reference *objective.Reference
}

type evaluationKey struct {
	problem *plan.Problem
	repeat  int
}

// evaluations hands out evaluations and counts their users, so that at most
// those of the repeats in flight are in memory.
type evaluations struct {
	shares[evaluationKey, *evaluation]
	seed uint64
	maxK map[*plan.Problem]int
	refs *objective.References
	// population is shared by all repeats of a problem whose distribution
	// does not depend on the repeat.
	population memo[*plan.Problem, *objective.Moment]
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
		e.expect(evaluationKey{it.Problem, it.Repeat})
	}
	return e
}

// release gives up the item's claim on its evaluation.
func (e *evaluations) release(it *plan.Item) { e.unshare(evaluationKey{it.Problem, it.Repeat}) }

func (e *evaluations) build(it *plan.Item) (*evaluation, error) {
	ev := new(evaluation)
	pr := it.Problem
	if pr.Split == "" {
		if pr.Data.Table != nil {
			ev.train = allRows(pr.Data.Table.N)
		}
		moment, err := e.populationMoment(pr)
		if err != nil {
			return nil, err
		}
		return ev, e.add(ev, it, "population", -1, moment)
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
		var moment mat.SymDense
		datasets.SecondMoment(&moment, table, s.rows)
		if err := e.add(ev, it, s.name, it.Repeat, objective.NewMoment(&moment)); err != nil {
			return nil, err
		}
	}
	return ev, nil
}

// populationMoment returns E[x x^T] of a distribution, or of a table without a
// split, which is its own population.
func (e *evaluations) populationMoment(pr *plan.Problem) (*objective.Moment, error) {
	moment, _, err := e.population.get(pr, func() (*objective.Moment, error) {
		var sym mat.SymDense
		if pr.Data.Dist != nil {
			pr.Data.Dist.SecondMomentTo(&sym)
		} else {
			datasets.SecondMoment(&sym, pr.Data.Table, nil)
		}
		return objective.NewMoment(&sym), nil
	})
	return moment, err
}

// add solves the split's reference, or finds it among the stored ones. A
// repeat of -1 stands for all repeats.
func (e *evaluations) add(ev *evaluation, it *plan.Item, split string, repeat int, moment *objective.Moment) error {
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
