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
	// Split is the canonical text of the split fractions and of the subset,
	// "" without either.
	Split string
	// TrainRows is the number of training rows, 0 for a distribution.
	TrainRows int

	task *spec.Task
	// endless: the data are a distribution.
	endless bool
	// rows and dim are the dimensions of the data, points the number of rows in all splits
	// of an SVM problem, measuredRows that of the largest split that the task pca measures
	// on. They are 0 where they are not known yet.
	rows, dim, points, measuredRows int
	// bytes is the size of the data, pointBytes that of a point laid out for kernel rows.
	// They are 0 where they are not known yet.
	bytes      int64
	pointBytes float64
	// whole is the number of rows of each split before a subset is taken.
	whole map[string]int64
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

// newProblem opens the data of an entry and checks them. What is known of data that stay
// closed is their shape.
func newProblem(ctx context.Context, s *spec.Spec, e *spec.DatasetEntry, open Opener) (*Problem, error) {
	pr := &Problem{Spec: s, Entry: e, Split: splitText(e), task: registry.Catalog().Task(s.Task)}
	data, err := open(ctx, e)
	if err != nil {
		return nil, pr.errorf("%w", err)
	}
	if data != nil {
		pr.Data, pr.dim, pr.endless = data, data.Dim(), data.Dist != nil
		if data.Table != nil {
			pr.rows, pr.bytes = data.Table.N, registry.Counted(float64(data.Table.Bytes()))
			if pr.task.Supervised {
				pr.pointBytes = registry.PointBytes(data.Table, pr.task.Sparse)
			}
		}
	} else {
		pr.Data = &datasets.Data{Name: e.ID, Title: e.ID, Hash: "closed:" + e.ID}
		ref := registry.Ref(e)
		if pr.rows, pr.dim, err = ref.Shape(); err != nil {
			return nil, pr.errorf("%w", err)
		}
		pr.endless = ref.Source != "" && pr.rows == 0
	}
	if pr.task.Supervised {
		return pr, pr.checkSVM()
	}
	return pr, pr.checkPCA()
}

// checkPCA reports a split that the rows do not allow, and wide data with more rows than
// their optimum can be certified for.
func (pr *Problem) checkPCA() error {
	pr.TrainRows, pr.measuredRows = pr.rows, pr.rows
	switch {
	case pr.Split != "" && pr.endless:
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
	cure := "use fewer rows, or a split whose validation and test rows are at most that many each"
	if pr.Split != "" {
		cure = "use fewer rows, or a smaller validation and test split"
	}
	return pr.errorf("the optimum of %d rows of %d features cannot be certified: data of more than %d features "+
		"are measured on at most %d rows; %s, or use data of fewer features",
		pr.measuredRows, pr.dim, objective.WideDim, objective.WideRows, cure)
}

// wide reports whether iterates are measured on the rows and not on a d x d matrix.
func (pr *Problem) wide() bool { return pr.dim > objective.WideDim && !pr.endless }

// fit returns the budget of a cell in iterations. It reports parameters that the shape of
// the data does not allow.
func (pr *Problem) fit(a *registry.Algorithm, params registry.Params, c spec.Cell) (int64, error) {
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
	case pr.endless:
		return 0, pr.errorf("a simulated distribution has no passes; give budget: {iterations: …}")
	}
	// 1.1 passes over 28,000 rows are 30,800 iterations, whatever the rounding.
	n := budget.Passes * float64(pr.TrainRows) / float64(needs.WorkingSet)
	iterations, ok := whole.Of(math.Ceil(n * (1 - 1e-12)))
	if !ok || iterations > spec.MostIterations {
		return 0, pr.errorf("budget: %v passes over %d rows are %.3g iterations, more than %d; give fewer",
			budget.Passes, pr.TrainRows, n, int64(spec.MostIterations))
	}
	return iterations, nil
}
