package run

import (
	"errors"
	"fmt"
	"sync"

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
	once  sync.Once
	err   error
	train []int
	on    []measured
}

// measured is a split to measure on.
type measured struct {
	split     string
	moment    *objective.Moment
	reference *objective.Reference
}

var errUnprepared = errors.New("the data could not be prepared; the first run on them says why")

type evaluationKey struct {
	problem *plan.Problem
	repeat  int
}

// evaluations hands out evaluations and counts their users, so that at most
// those of the repeats in flight are in memory.
type evaluations struct {
	seed uint64
	maxK map[*plan.Problem]int
	refs *objective.References

	mu   sync.Mutex
	left map[evaluationKey]int
	live map[evaluationKey]*evaluation
	// population is shared by all repeats of a problem whose distribution
	// does not depend on the repeat.
	population map[*plan.Problem]*population
}

type population struct {
	once   sync.Once
	err    error
	moment *objective.Moment
}

// newEvaluations prepares to evaluate the pending ones of all runs of a plan.
func newEvaluations(s uint64, refs *objective.References, all, pending []*plan.Item) *evaluations {
	e := &evaluations{
		seed: s, refs: refs,
		maxK:       make(map[*plan.Problem]int),
		left:       make(map[evaluationKey]int),
		live:       make(map[evaluationKey]*evaluation),
		population: make(map[*plan.Problem]*population),
	}
	for _, it := range all {
		// Of all runs, so that what is stored does not depend on what is
		// pending.
		e.maxK[it.Problem] = max(e.maxK[it.Problem], it.Params.Int("k"))
	}
	for _, it := range pending {
		e.left[evaluationKey{it.Problem, it.Repeat}]++
		if e.population[it.Problem] == nil {
			e.population[it.Problem] = &population{}
		}
	}
	return e
}

// acquire returns the evaluation of the item's problem and repeat.
func (e *evaluations) acquire(it *plan.Item) (*evaluation, error) {
	key := evaluationKey{it.Problem, it.Repeat}
	e.mu.Lock()
	ev := e.live[key]
	if ev == nil {
		ev = &evaluation{}
		e.live[key] = ev
	}
	e.mu.Unlock()
	ev.once.Do(func() {
		// In force if build panics: the other runs must not use what it left.
		ev.err = errUnprepared
		ev.err = e.build(ev, it)
	})
	return ev, ev.err
}

// release gives up the item's claim on its evaluation.
func (e *evaluations) release(it *plan.Item) {
	key := evaluationKey{it.Problem, it.Repeat}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left[key]--; e.left[key] == 0 {
		delete(e.live, key)
	}
}

func (e *evaluations) build(ev *evaluation, it *plan.Item) error {
	pr := it.Problem
	if pr.Split == "" {
		if pr.Data.Table != nil {
			ev.train = allRows(pr.Data.Table.N)
		}
		moment, err := e.populationMoment(pr)
		if err != nil {
			return err
		}
		return e.add(ev, it, "population", -1, moment)
	}
	table := pr.Data.Table
	rng := seed.Stream(e.seed, pr.Data.Hash, pr.Split, it.Repeat, seed.RoleSplit)
	train, validation, test, err := datasets.Split(table.N, plan.Fractions(pr.Entry.Split), rng)
	if err != nil {
		return err
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
			return err
		}
	}
	return nil
}

// populationMoment returns E[x x^T] of a distribution, or of a table without a
// split, which is its own population.
func (e *evaluations) populationMoment(pr *plan.Problem) (*objective.Moment, error) {
	e.mu.Lock()
	p := e.population[pr]
	e.mu.Unlock()
	p.once.Do(func() {
		p.err = errUnprepared
		var sym mat.SymDense
		if pr.Data.Dist != nil {
			pr.Data.Dist.SecondMomentTo(&sym)
		} else {
			datasets.SecondMoment(&sym, pr.Data.Table, nil)
		}
		p.moment, p.err = objective.NewMoment(&sym), nil
	})
	return p.moment, p.err
}

// add solves the split's reference, or finds it among the stored ones. A
// repeat of -1 stands for all repeats.
func (e *evaluations) add(ev *evaluation, it *plan.Item, split string, repeat int, moment *objective.Moment) error {
	pr := it.Problem
	want := objective.Reference{Dataset: pr.Data.Name, DatasetHash: pr.Data.Hash, Split: split, Repeat: repeat, Protocol: seed.Protocol}
	if repeat >= 0 {
		want.Split += " of " + pr.Split
		want.Seed = e.seed
	}
	ref, err := e.refs.Get(want, e.maxK[pr], moment)
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
