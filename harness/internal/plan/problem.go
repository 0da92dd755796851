package plan

import (
	"context"
	"fmt"
	"math"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/whole"
)

// Problem is a dataset entry of a spec with its data.
type Problem struct {
	Spec  *spec.Spec
	Entry *spec.DatasetEntry
	// Data has neither a table nor a distribution if the data are not open.
	Data *datasets.Data
	// Split is the canonical text of the split fractions and the subset, "" if there is neither.
	Split string
	// TrainRows is the number of training rows, 0 for a distribution.
	TrainRows int
	// SplitSizes has the number of rows of each split, by name, before a subset is drawn. It is nil if the task is
	// not supervised or the data are not open.
	SplitSizes map[string]int64

	task *spec.Task
	// distribution is true if the data are a distribution.
	distribution bool
	// rows and dim are the dimensions of the data. points is the number of rows in all splits of an SVM
	// problem. measuredRows is the number of rows of the largest split on which task pca measures.
	// Unknown numbers are 0.
	rows, dim, points, measuredRows int
	// pointBytes is the size of a point in the layout for kernel rows, 0 if unknown.
	pointBytes float64
}

// Error is a mistake in an entry of a spec or in its data.
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

// newProblem opens and checks the data of an entry. If open returns no data, only their shape is known.
func newProblem(ctx context.Context, s *spec.Spec, e *spec.DatasetEntry, open Opener) (*Problem, error) {
	pr := &Problem{Spec: s, Entry: e, Split: splitText(e), task: registry.Catalog().Task(s.Task)}
	data, err := open(ctx, e)
	if err != nil {
		return nil, pr.errorf("%w", err)
	}
	if data != nil {
		pr.Data, pr.dim, pr.distribution = data, data.Dim(), data.Dist != nil
		if data.Table != nil {
			pr.rows = data.Table.N
		}
		if data.Table != nil && pr.task.Supervised {
			pr.pointBytes = registry.PointBytes(data.Table, pr.task.Sparse)
		}
	} else {
		pr.Data = &datasets.Data{Name: e.ID, Title: e.ID, Hash: "closed:" + e.ID}
		ref := registry.Ref(e)
		if pr.rows, pr.dim, err = ref.Shape(); err != nil {
			return nil, pr.errorf("%w", err)
		}
		pr.distribution = ref.Source != "" && pr.rows == 0
	}
	if pr.task.Supervised {
		return pr, pr.checkSVM()
	}
	return pr, pr.checkPCA()
}

// checkPCA returns an error if the rows do not allow the split, or if wide data have too many rows for
// a certified optimum.
func (pr *Problem) checkPCA() error {
	pr.TrainRows, pr.measuredRows = pr.rows, pr.rows
	switch {
	case pr.Split != "" && pr.distribution:
		return pr.errorf("a simulated distribution has no rows to split; remove split")
	case pr.Split != "" && pr.rows > 0:
		train, validation, test, err := datasets.Fractions(*pr.Entry.Split).Sizes(pr.rows)
		if err != nil {
			return pr.errorf("%w; use more rows or other fractions", err)
		}
		pr.TrainRows, pr.measuredRows = train, max(validation, test)
	}
	if !pr.wide() || pr.measuredRows <= objective.WideRows {
		return nil
	}
	advice := "use fewer rows, or a split with at most that many validation rows and test rows"
	if pr.Split != "" {
		advice = "use fewer rows, or smaller validation and test splits"
	}
	return pr.errorf("the optimum of %d rows of %d features cannot be certified: data of more than %d features "+
		"are measured on at most %d rows; %s, or use data with fewer features",
		pr.measuredRows, pr.dim, objective.WideDim, objective.WideRows, advice)
}

// wide reports whether iterates are measured on the rows rather than on a d x d matrix.
func (pr *Problem) wide() bool { return pr.dim > objective.WideDim && !pr.distribution }

// budget returns the budget of a cell in iterations. It returns an error if the shape of the data does not
// allow the parameters.
func (pr *Problem) budget(a *registry.Algorithm, params registry.Params, c spec.Cell) (int64, error) {
	if k := params.Int("k"); pr.dim > 0 && k >= pr.dim {
		return 0, pr.errorf("k = %d must be less than the dimension d = %d of the data", k, pr.dim)
	}
	if limit := params.Int("cap"); pr.dim > 0 && limit > pr.dim {
		return 0, &Error{c.Algorithm.Pos, fmt.Errorf("algorithm %q: cap = %d is more than the dimension d = %d of dataset %q; lower it",
			c.Series, limit, pr.dim, pr.Entry.ID)}
	}
	if pr.TrainRows > 0 {
		if err := a.CheckTrainRows(params, pr.TrainRows); err != nil {
			return 0, &Error{c.Algorithm.Pos, fmt.Errorf("algorithm %q on dataset %q (%s): %w", c.Series, pr.Entry.ID, pr.Entry.Pos, err)}
		}
	}
	needs, budget := a.Needs(params), pr.Spec.BudgetOf(c.Algorithm)
	switch {
	case needs.Steps > 0:
		return needs.Steps, nil
	case budget.Iterations > 0:
		return budget.Iterations, nil
	case pr.distribution:
		return 0, pr.errorf("a simulated distribution has no passes; give budget: {iterations: …}")
	}
	// The factor removes the rounding error: 1.1 passes over 28,000 rows are exactly 30,800 iterations.
	n := budget.Passes * float64(pr.TrainRows) / float64(needs.WorkingSet)
	iterations, ok := whole.Of(math.Ceil(n * (1 - 1e-12)))
	if !ok || iterations > spec.MostIterations {
		return 0, pr.errorf("budget: %v passes over %d rows are %.3g iterations, more than %d; give fewer",
			budget.Passes, pr.TrainRows, n, int64(spec.MostIterations))
	}
	return iterations, nil
}
