package selection

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/whole"
)

// DefaultHalvings is the number of halvings of the thesis.
const DefaultHalvings = 100

// maxHalvings bounds the number of halvings: each takes a bit for each test row.
const maxHalvings = 10000

// Values of Rule.Over.
const (
	// OverLargest takes of each run the classifier with the largest support that is
	// at most the size: the rule of the thesis. More vectors may then mean a larger
	// error.
	OverLargest = "largest"
	// OverAny takes of each run all classifiers of at most so many support vectors.
	// The error on the validating halves then never rises with the size.
	OverAny = "any"
)

// Tradeoff is the trade-off of a series between support size and test error. Its
// slices over sizes have equal length, 0 if no run has a classifier to show.
type Tradeoff struct {
	// TestRows is the number of test rows of the runs.
	TestRows int64
	// Repeats lists the repeats that the curve is the mean of.
	Repeats []int
	// Least is the least support size that all repeats have a classifier of, Most
	// the largest that any has.
	Least, Most int
	// Sizes are the support sizes, increasing from Least to Most.
	Sizes []int
	// Error is the mean over halvings, and then over repeats, of the error on the
	// half of the test set that did not validate, or on all of it with
	// ByValidation; SD is its standard deviation
	// over halvings, the root mean square of that of the repeats, 0 for a single
	// halving. Validation is the mean error on the half that did validate.
	Error, SD, Validation []float64
	// ByRepeat holds the means over halvings of the errors, by repeat and size.
	ByRepeat [][]float64
	// ByHalving holds the errors by size and halving, of a cell with one repeat; it is
	// nil for others. All cells of the same data see the same halvings.
	ByHalving [][]float64
	// ValidationByRepeat and ValidationByHalving hold in the same way the errors on the
	// halves that did validate, for comparison with those: each with what the
	// classifier of the least error on the whole test set, which no halving chose, errs
	// more on the other half than on this one. That is chance, and none on average over
	// all halvings; without it what remains of the difference is due to the choice.
	ValidationByRepeat, ValidationByHalving [][]float64
	// Votes says, by size, which tuned parameters were chosen how often over all
	// halvings and repeats, the most frequent first.
	Votes [][]Votes
	// Edges are the tuned parameters whose grid may be too narrow.
	Edges []Edge

	tune   []string
	any    bool         // OverAny
	split  bool         // ByValidation
	runs   []record.Run // all those given
	points []repeatPoints
}

// Votes counts how often tuned parameters were chosen.
type Votes struct {
	Params record.Params
	Count  int
}

// Edge is a tuned parameter whose most frequent choice is the value at an end of
// its grid for most support sizes.
type Edge struct {
	Param string
	Value any
}

// String says it in short.
func (e Edge) String() string {
	return fmt.Sprintf("%s = %s is at an end of its grid", e.Param, record.FormatParam(e.Value))
}

// At returns the index in Sizes of what is chosen for so many support vectors. For
// a size above Most that is what is chosen for Most. ok is false for a size below Least, or one within the range
// that was not asked for.
func (c *Series) At(size int) (i int, ok bool) {
	if i, ok = slices.BinarySearch(c.Sizes, size); ok {
		return i, true
	}
	return len(c.Sizes) - 1, len(c.Sizes) > 0 && size > c.Most
}

// ByValidation reports whether the choices were made by the validation split.
func (c *Series) ByValidation() bool { return c.split }

// Reported is the number of rows that an error is measured on.
func (c *Series) Reported() int64 {
	if c.split {
		return c.TestRows
	}
	return c.TestRows - c.TestRows/2
}

// oneClass warns of datasets with test rows of one class.
func (h *Choice) oneClass() []string {
	var out []string
	for i := range h.Series {
		c := &h.Series[i]
		one := func(r record.Run) bool {
			v, ok := r.Facts[record.FactConstantError]
			return ok && v == 0 && h.Of(&r) == c
		}
		if slices.ContainsFunc(c.runs, one) {
			out = append(out, c.Dataset+": all test rows are of one class: the errors, and the choices made by them, say nothing about the other class")
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// chooseBySize chooses the tuned parameters per support size from stored predictions:
// "For each support size, we chose the best eta based on a validation set (half
// of the original test set) reporting errors on an independent test set (the
// other half). This was then averaged over 100 random test/validation splits"
// (Cotter 2013, chapter 3, experiments).
//
// In a cell, each repeat has a curve of its own, which the others are averaged
// with. For a support size s the candidate of a run is the classifier it recorded
// with the largest support that is at most s, the latest of several, and not the
// best of at most s; with OverAny all that it recorded with at most s are
// candidates. One without a support vector is none. In each halving the candidate
// with the least error on the validating half is chosen, ties going to the smaller
// support, then to the smaller parameters, then to the later classifier of a run,
// and its error on the other half is what counts. Runs that are out of time count
// as far as they got; failed, diverged and skipped ones do not.
//
// The halvings depend on the seed, the dataset's hash and the number of its test
// rows alone: all series see the same, so that comparisons are paired, and the
// first halvings of a larger Count are those of a smaller one. The sizes are 20 a
// decade, the ends of each cell, and what the options add.
//
// It takes O(candidates * halvings * test rows / 64). It is an error if a run that counts
// has no record of its mistakes and of its support.
func chooseBySize(runs []record.Run, o Rule) (*Choice, error) {
	switch {
	case o.By == ByValidation:
		o.Halvings = 1
	case o.Halvings == 0:
		o.Halvings = DefaultHalvings
	}
	if o.Over == "" {
		o.Over = OverLargest
	}
	draws := make(halvingsByData)
	all, parting := grids(runs, o.Tune)
	h := &Choice{Rule: o, all: runs, runs: runs, parting: parting}
	for _, g := range all {
		curve := Series{Setting: g.Setting, Candidates: g.candidates, OK: true}
		curve.Tradeoff = Tradeoff{tune: o.Tune, any: o.Over == OverAny, split: o.By == ByValidation, runs: runs}
		if err := curve.collect(runs, g.candidates); err != nil {
			return nil, err
		}
		curve.fill(runs, g.candidates, o, draws)
		curve.warnOfSizes(runs, g.candidates)
		curve.Warnings = append(curve.Warnings, g.twins...)
		h.Series = append(h.Series, curve)
	}
	return h, nil
}

// validateSizes reports what is wrong with a rule that chooses at each support size.
func (o Rule) validateSizes() error {
	switch {
	case o.By == ByHalvings && (o.Halvings < 0 || o.Halvings > maxHalvings):
		return fmt.Errorf("results: the number of halvings is %d; it must be between 1 and %d", o.Halvings, maxHalvings)
	case o.Over != "" && o.Over != OverLargest && o.Over != OverAny:
		return fmt.Errorf("results: cannot select by halvings over %q; it must be %q or %q", o.Over, OverLargest, OverAny)
	case slices.ContainsFunc(o.Sizes, func(s int) bool { return s < 1 }):
		return fmt.Errorf("results: the support sizes to report are %v; each must be at least 1", o.Sizes)
	}
	return nil
}

// repeatPoints are the classifiers of one repeat of a cell.
type repeatPoints struct {
	repeat int
	// candidates holds the runs that count, by index in the cell's candidates.
	candidates []candidatePoints
}

// candidatePoints are the classifiers of one run, by increasing support, of one
// support the latest first.
type candidatePoints struct {
	candidate, run  int
	support, points []int
}

// upTo returns the positions, from start to before end, of the classifiers that
// are candidates at a size: the latest with the largest support that is at most
// size, or any of at most that. There may be none.
func (p *candidatePoints) upTo(size int, any bool) (start, end int) {
	end, _ = slices.BinarySearch(p.support, size+1)
	if any || end == 0 {
		return 0, end
	}
	start, _ = slices.BinarySearch(p.support, p.support[end-1])
	return start, start + 1
}

var errNoMistakes = errors.New("selection by halvings needs records of each classifier's mistakes on test rows, and of its support")

// pointsOf collects the classifiers of a run.
func pointsOf(r *record.Run) (support, points []int, err error) {
	column := r.Measured().Metrics[record.SplitState][record.MetricSupport]
	if n := r.Points(); len(r.Measured().Mistakes) != n || len(column) != n {
		return nil, nil, fmt.Errorf("results: %s has %d points, %d records of mistakes and %d of support: %w", r.Name(), n, len(r.Measured().Mistakes), len(column), errNoMistakes)
	}
	order := make([]int, 0, len(column))
	for i, s := range column {
		if s >= 1 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(column[a], column[b]), b-a) })
	for _, i := range order {
		support, points = append(support, whole.Within(column[i], 0, whole.Most)), append(points, i)
	}
	return support, points, nil
}

// mistakesAt returns the mistakes of a classifier of a run, none if the curve cannot be read.
func mistakesAt(r *record.Run, point int) record.IndexSet {
	if all := r.Measured().Mistakes; point < len(all) {
		return all[point]
	}
	return nil
}

// collect fills in the classifiers, the repeats and the range of the sizes.
func (c *Series) collect(runs []record.Run, cands []Candidate) error {
	for k, cand := range cands {
		for _, i := range cand.runs {
			r := &runs[i]
			if !r.ClassifiersCount() {
				continue
			}
			support, points, err := pointsOf(r)
			if err != nil {
				return err
			}
			if len(points) == 0 {
				continue
			}
			if c.split && len(r.Measured().Metrics[record.SplitValidation][record.MetricError]) == 0 {
				return fmt.Errorf("results: %s has no errors on validation rows to choose by: give the dataset a validation part (split: {train: 0.6, validation: 0.2, test: 0.2})", r.Name())
			}
			if rows := r.Rows[record.SplitTest]; c.TestRows == 0 {
				c.TestRows = rows
			} else if rows != c.TestRows {
				return fmt.Errorf("results: %s has %d test rows, but others of its series have %d on the same data", r.Name(), rows, c.TestRows)
			}
			j := slices.IndexFunc(c.points, func(p repeatPoints) bool { return p.repeat == r.Repeat })
			if j < 0 {
				j = len(c.points)
				c.points = append(c.points, repeatPoints{repeat: r.Repeat})
			}
			c.points[j].candidates = append(c.points[j].candidates, candidatePoints{k, i, support, points})
		}
	}
	slices.SortFunc(c.points, func(a, b repeatPoints) int { return a.repeat - b.repeat })
	for _, p := range c.points {
		least := math.MaxInt
		for _, cand := range p.candidates {
			least = min(least, cand.support[0])
			c.Most = max(c.Most, cand.support[len(cand.support)-1])
		}
		c.Least = max(c.Least, least)
		c.Repeats = append(c.Repeats, p.repeat)
	}
	return nil
}

// perDecade is the number of support sizes of the grid in a decade.
const perDecade = 20

// sizesBetween returns the sizes of the grid, and more, within the ends.
func sizesBetween(least, most int, more []int) []int {
	if most < least || most == 0 {
		return nil
	}
	sizes := append([]int{least, most}, more...)
	for k := 0; ; k++ {
		s := int(math.Round(math.Pow(10, float64(k)/perDecade)))
		if s > most {
			break
		}
		sizes = append(sizes, s)
	}
	sizes = slices.DeleteFunc(sizes, func(s int) bool { return s < least || s > most })
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// errorsAt returns the errors of the repeats at the i-th size.
func (c *Series) errorsAt(i int) []float64 {
	errors := make([]float64, len(c.ByRepeat))
	for j, of := range c.ByRepeat {
		errors[j] = of[i]
	}
	return errors
}

// Quantiles returns two quantiles over repeats of the error at the i-th size.
func (c *Series) Quantiles(i int, lo, hi float64) (l, h float64) {
	errors := slices.Sorted(slices.Values(c.errorsAt(i)))
	return stats.Quantile(errors, lo), stats.Quantile(errors, hi)
}

// SDOverRepeats returns the standard deviation over repeats of the error at the
// i-th size, 0 for a single repeat.
func (c *Series) SDOverRepeats(i int) float64 {
	return math.Sqrt(stats.Variance(c.errorsAt(i), c.Error[i]))
}
