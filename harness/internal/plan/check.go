package plan

import (
	"errors"
	"fmt"
	"math"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/whole"
)

// Error is something that is wrong with an entry of a spec, or with its data.
type Error struct {
	Pos spec.Position
	Err error
}

// Error returns "file:line:col: message".
func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Pos, e.Err) }

// Unwrap returns the error without its position.
func (e *Error) Unwrap() error { return e.Err }

func (pr *Problem) errorf(format string, args ...any) error {
	args = append([]any{pr.Entry.ID}, args...)
	return &Error{pr.Entry.Pos, fmt.Errorf("dataset %q: "+format, args...)}
}

// Check reports, all at once, what is known to be wrong with a spec before any
// data are opened. Build finds the rest.
func Check(s *spec.Spec) error {
	_, err := outline(s)
	return err
}

// Outline returns the runs of a spec that Check has passed, a repeat of each, with
// what is known of their data before these are opened.
func Outline(s *spec.Spec) *Plan {
	p, _ := outline(s)
	return p
}

func outline(s *spec.Spec) (*Plan, error) {
	p := &Plan{Spec: s}
	var errs []error
	problems := make(map[*spec.DatasetEntry]*Problem)
	rows := newRows(s)
	for i := range s.Datasets {
		e := &s.Datasets[i]
		pr := newProblem(s, e)
		ref := registry.Ref(e)
		var err error
		if pr.rows, pr.dim, err = ref.Shape(); err != nil {
			errs = append(errs, pr.errorf("%w", err))
			continue
		}
		pr.endless = ref.Source != "" && pr.rows == 0
		if err := pr.check(); err != nil {
			errs = append(errs, err)
			continue
		}
		if pr.supervised && e.Subset == nil {
			pr.points = pr.rows
		}
		problems[e] = pr
		p.Problems = append(p.Problems, pr)
	}
	seen := make(map[string]bool)
	for c := range s.Expand() {
		pr := problems[c.Dataset]
		if pr == nil {
			continue
		}
		it := &Item{Problem: pr, Series: c.Series, pos: c.Algorithm.Pos}
		var err error
		if it.Algorithm, err = rows.of(c.Algorithm); err == nil {
			it.Params = it.Algorithm.Resolve(c.Params)
			it.Budget, err = pr.fit(it.Algorithm, c, s.BudgetOf(c.Algorithm))
		}
		if err == nil {
			it.limit(c)
			p.Items = append(p.Items, it)
		}
		if err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			errs = append(errs, err)
		}
	}
	return p, errors.Join(errs...)
}

// check reports a split that the rows do not allow.
func (pr *Problem) check() error {
	if pr.supervised {
		return pr.checkSVM()
	}
	pr.TrainRows, pr.measuredRows = pr.rows, pr.rows
	switch {
	case pr.Split == "":
		return pr.checkWide()
	case pr.endless:
		return pr.errorf("a simulated distribution has no rows to split; remove split")
	case pr.rows == 0:
		return nil // not known yet
	}
	train, validation, test, err := datasets.Fractions(*pr.Entry.Split).Sizes(pr.rows)
	if err != nil {
		return pr.errorf("%w; use more rows or other fractions", err)
	}
	pr.TrainRows, pr.measuredRows = train, max(validation, test)
	return pr.checkWide()
}

// wide reports whether iterates are measured on the rows and not on a d x d matrix.
func (pr *Problem) wide() bool { return pr.dim > objective.WideDim && !pr.endless }

// checkWide reports wide data with more rows than their optimum can be certified for.
func (pr *Problem) checkWide() error {
	if !pr.wide() || pr.measuredRows <= objective.WideRows {
		return nil
	}
	cure := "use fewer rows, or a split whose validation and test rows are at most that many each"
	if pr.Split != "" {
		cure = "use fewer rows, or a smaller validation and test split"
	}
	return pr.errorf("the optimum of %d rows of %d features cannot be certified: data of more than %d features "+
		"are measured on at most %d rows; %s, or use data of fewer features",
		pr.measuredRows, pr.dim, objective.WideDim, objective.WideRows, cure)
}

// fit returns the budget of a combination in iterations. It reports parameters
// that the dimension of the data does not allow.
func (pr *Problem) fit(a *registry.Algorithm, c spec.Cell, b spec.Budget) (int64, error) {
	params := registry.Params(c.Params)
	if k := params.Int("k"); pr.dim > 0 && k >= pr.dim {
		return 0, pr.errorf("k = %d must be less than the dimension d = %d of the data", k, pr.dim)
	}
	if limit := params.Int("cap"); pr.dim > 0 && limit > pr.dim {
		return 0, &Error{c.Algorithm.Pos, fmt.Errorf("algorithm %q: cap = %d is more than the dimension d = %d of dataset %q; lower it", c.Series, limit, pr.dim, pr.Entry.ID)}
	}
	if pr.TrainRows > 0 {
		if err := a.CheckTrainRows(params, pr.TrainRows); err != nil {
			return 0, &Error{c.Algorithm.Pos, fmt.Errorf("algorithm %q on dataset %q (%s): %w", c.Series, pr.Entry.ID, pr.Entry.Pos, err)}
		}
	}
	demands := a.Demands(params)
	if demands.Steps > 0 {
		return demands.Steps, nil
	}
	if b.Iterations > 0 {
		return b.Iterations, nil
	}
	if pr.endless {
		return 0, pr.errorf("a simulated distribution has no passes; give budget: {iterations: …}")
	}
	// 1.1 passes over 28,000 rows are 30,800 iterations, whatever the rounding.
	n := b.Passes * float64(pr.TrainRows) / float64(demands.WorkingSet)
	iterations, ok := whole.Of(math.Ceil(n * (1 - 1e-12)))
	if !ok || iterations > spec.MostIterations {
		return 0, pr.errorf("budget: %v passes over %d rows are %.3g iterations, more than %d; give fewer", b.Passes, pr.TrainRows, n, int64(spec.MostIterations))
	}
	return iterations, nil
}
