package selection

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/whole"
)

// Tradeoff is the trade-off of a series between support size and test error, from stored
// predictions: "For each support size, we chose the best eta based on a validation set (half
// of the original test set) reporting errors on an independent test set (the
// other half). This was then averaged over 100 random test/validation splits"
// (Cotter 2013, chapter 3, experiments).
//
// Curves are averaged over repeats. At size s, each run has one option. Of its classifiers with support up to s, it is
// the latest of those with the largest support. With OverAny, all its classifiers with support up to s are options.
//
// Each halving chooses among the options of all runs of a repeat. It chooses the one with the least error on the
// validation half, and reports its error on the other half. Ties go to the smaller support, then to the smaller
// parameters, then to the later classifier of a run.
//
// Runs out of time contribute the classifiers that they recorded. Failed, diverged and skipped runs do not count.
// Slices over sizes are empty if no run has a classifier.
type Tradeoff struct {
	// TestRows is the number of test rows of the runs.
	TestRows int64
	// Repeats lists the repeats in the mean.
	Repeats []int
	// Least is the least support size for which all repeats have a classifier, Most the largest of any
	// repeat.
	Least, Most int
	// Sizes holds the support sizes, increasing from Least to Most: 20 per decade and those of the rule.
	Sizes []int
	// Error holds, for each size, the mean over halvings and repeats of the error on the reporting half or, with
	// ByValidation, on the whole test split. SD holds its standard deviations over halvings, as root mean squares over
	// repeats. Validation holds the mean errors on the validation half or split.
	Error, SD, Validation []float64
	// ByRepeat holds the means over halvings of the errors, by repeat and size.
	ByRepeat [][]float64
	// ByHalving holds the errors by size and halving, only for a series with one repeat. All series with
	// the same data share their halvings.
	ByHalving [][]float64
	// ValidationByRepeat and ValidationByHalving hold the corresponding errors on the validation halves or split. With
	// halvings, a control variate is subtracted from them. It is the error on the validation half minus that on the other
	// half, of the classifier with the least error on the whole test split. Its mean over all halvings is 0, so that
	// the remaining difference from the reported errors is due to the choice.
	ValidationByRepeat, ValidationByHalving [][]float64
	// Votes holds, for each size, the number of choices of each setting of the parameters, the most frequent first.
	Votes [][]Votes

	rule Rule
	// classifiers holds the classifiers of each repeat ordered by support, then by candidate, then the
	// latest of a run first.
	classifiers [][]Classifier
}

// Votes is the number of times that tuned parameters were chosen.
type Votes struct {
	Params record.Params
	Count  int
}

// Classifier is a recorded classifier with support vectors.
type Classifier struct {
	// Run is the run of the classifier, Point the index of its recorded point, Support its number of
	// support vectors.
	Run            *record.Run
	Point, Support int
	// Score is the error on the validation split with ByValidation, else on all test rows.
	Score float64

	candidate int   // index in Series.Candidates
	wrong     int32 // number of misclassified test rows
	// mistakes holds the misclassified test rows, validating their number on each validation half. Both are large and
	// released after the choices.
	mistakes   record.IndexSet
	validating []int32
}

// At returns the index in Sizes of the choice for a number of support vectors. Above Most, this is the
// choice for Most. ok is false below Least and for sizes in between that are not in Sizes.
func (c *Tradeoff) At(size int) (i int, ok bool) {
	if i, ok = slices.BinarySearch(c.Sizes, size); ok {
		return i, true
	}
	return len(c.Sizes) - 1, len(c.Sizes) > 0 && size > c.Most
}

// Reported returns the number of test rows from which a reported error is computed.
func (c *Tradeoff) Reported() int64 {
	if c.rule.By == ByValidation {
		return c.TestRows
	}
	return c.TestRows - c.TestRows/2
}

// ComparisonError returns the error at the i-th size for comparisons of series: with ByValidation the error on
// the validation split, else Error.
func (c *Tradeoff) ComparisonError(i int) float64 {
	if c.rule.By == ByValidation {
		return c.Validation[i]
	}
	return c.Error[i]
}

// Share returns the share of the most frequent choice at the i-th size.
func (c *Tradeoff) Share(i int) float64 {
	all := 0
	for _, v := range c.Votes[i] {
		all += v.Count
	}
	return float64(c.Votes[i][0].Count) / float64(all)
}

// ErrorsAt returns the errors of the repeats at the i-th size.
func (c *Tradeoff) ErrorsAt(i int) []float64 {
	errors := make([]float64, len(c.ByRepeat))
	for j, bySize := range c.ByRepeat {
		errors[j] = bySize[i]
	}
	return errors
}

// Pick returns the option at a size with the least score over all repeats, or nil without options. Ties go to the
// smaller support, then to the smaller parameters, the earlier repeat, and the later classifier of a run. Unless the
// choice is made by validation, the score is biased, because the same test rows made the choice.
func (c *Tradeoff) Pick(size int) *Classifier {
	var least []*Classifier
	for _, own := range c.classifiers {
		if options := c.upTo(own, size); len(options) > 0 {
			least = append(least, leastScore(options))
		}
	}
	if len(least) == 0 {
		return nil
	}
	return slices.MinFunc(least, func(a, b *Classifier) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), a.Support-b.Support, a.candidate-b.candidate)
	})
}

// leastScore returns the first option with the least score.
func leastScore(options []*Classifier) *Classifier {
	return slices.MinFunc(options, func(a, b *Classifier) int { return cmp.Compare(a.Score, b.Score) })
}

// upTo returns the options at a size among the classifiers of a repeat.
func (c *Tradeoff) upTo(own []Classifier, size int) (options []*Classifier) {
	end, _ := slices.BinarySearchFunc(own, size+1, func(o Classifier, size int) int { return o.Support - size })
	last := make(map[*record.Run]int)
	for i := range own[:end] {
		last[own[i].Run] = i
	}
	for i := range own[:end] {
		if c.rule.Over == OverAny || last[own[i].Run] == i {
			options = append(options, &own[i])
		}
	}
	return options
}

// chooseAtSizes sets the trade-off of a series.
func (s *Choice) chooseAtSizes(c *Series) error {
	c.OK, c.rule = true, s.Rule
	if err := s.collect(c); err != nil {
		return err
	}
	c.Sizes = sizesBetween(c.Least, c.Most, s.Sizes)
	if len(c.Sizes) > 0 {
		c.chooseClassifiers(s.halvingsOf(c))
	}
	for _, own := range c.classifiers {
		for i := range own {
			own[i].mistakes, own[i].validating = nil, nil
		}
	}
	s.warnOfSizes(c)
	return nil
}

// collect sets the classifiers of a series and the fields that follow from them.
func (s *Choice) collect(c *Series) error {
	var runs []*record.Run
	var candidates []int
	for k, cand := range c.Candidates {
		for _, r := range cand.Records {
			if r.HasClassifiers() {
				runs, candidates = append(runs, r), append(candidates, k)
			}
		}
	}
	read, errs := make([][]Classifier, len(runs)), make([]error, len(runs))
	record.ReadCurves(runs, func(i int, curve record.Curve) {
		read[i], errs[i] = s.classifiersOf(runs[i], curve, candidates[i])
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	found := make(map[int][]Classifier)
	for i, own := range read {
		if len(own) == 0 {
			continue
		}
		r := runs[i]
		if rows := r.Rows[record.SplitTest]; c.TestRows == 0 {
			c.TestRows = rows
		} else if rows != c.TestRows {
			return fmt.Errorf("results: %s has %d test rows, but others of its series have %d on the same data",
				r.Name(), rows, c.TestRows)
		}
		found[r.Repeat] = append(found[r.Repeat], own...)
	}
	for _, repeat := range slices.Sorted(maps.Keys(found)) {
		own := found[repeat]
		slices.SortStableFunc(own, func(a, b Classifier) int { return a.Support - b.Support })
		c.Least, c.Most = max(c.Least, own[0].Support), max(c.Most, own[len(own)-1].Support)
		c.Repeats, c.classifiers = append(c.Repeats, repeat), append(c.classifiers, own)
	}
	return nil
}

// classifiersOf returns the classifiers of a run that have support vectors, the latest first. Unless all can be options
// (OverAny), it keeps only the latest of each support size, ordered by size.
func (s *Choice) classifiersOf(r *record.Run, curve record.Curve, candidate int) (own []Classifier, err error) {
	support := curve.Metrics[record.SplitState][record.MetricSupport]
	if n := r.Points(); len(curve.Mistakes) != n || len(support) != n {
		return nil, fmt.Errorf("results: %s has %d points, %d records of mistakes and %d of support: "+
			"selection by size needs both at each point", r.Name(), n, len(curve.Mistakes), len(support))
	}
	scores := curve.Metrics[record.SplitValidation][record.MetricError]
	for point, size := range slices.Backward(support) {
		if !(size >= 1) {
			continue
		}
		o := Classifier{
			Run: r, candidate: candidate, Point: point, Support: whole.Within(size, 0, whole.Most),
			wrong: int32(len(curve.Mistakes[point])), mistakes: curve.Mistakes[point],
		}
		switch {
		case s.By != ByValidation:
			o.Score = shareOf(int64(o.wrong), r.Rows[record.SplitTest])
		case point < len(scores):
			o.Score = scores[point]
		default:
			return nil, fmt.Errorf("results: %s has no errors on validation rows to choose by: give the dataset "+
				"a validation part (split: {train: 0.6, validation: 0.2, test: 0.2})", r.Name())
		}
		own = append(own, o)
	}
	if s.Over != OverAny {
		slices.SortStableFunc(own, func(a, b Classifier) int { return a.Support - b.Support })
		own = slices.CompactFunc(own, func(a, b Classifier) bool { return a.Support == b.Support })
	}
	return own, nil
}

// sizesBetween returns the sizes from least to most: 20 per decade, both ends, and those in more. It returns none if
// most is less than least, or 0 because there are no classifiers.
func sizesBetween(least, most int, more []int) []int {
	const perDecade = 20
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

// chooseByValidation chooses the first option with the least error on the validation split, and adds it to the votes.
func (c *Tradeoff) chooseByValidation(options []*Classifier, votes []int) outcome {
	best := leastScore(options)
	votes[best.candidate]++
	return outcome{
		error: shareOf(int64(best.wrong), c.TestRows), validation: best.Score, controlled: []float64{best.Score},
	}
}

// chooseClassifiers chooses a classifier for each repeat and size: in each halving or, if h is nil, on the validation
// split. It sets the fields of the trade-off by size.
func (c *Series) chooseClassifiers(h *halvings) {
	choose := c.chooseByValidation
	if h != nil {
		choose = h.choose
	}
	n, repeats := len(c.Sizes), float64(len(c.classifiers))
	c.Error, c.SD, c.Validation = make([]float64, n), make([]float64, n), make([]float64, n)
	votes := make([][]int, n)
	for i := range votes {
		votes[i] = make([]int, len(c.Candidates))
	}
	for _, own := range c.classifiers {
		errors, validation := make([]float64, n), make([]float64, n)
		for i, size := range c.Sizes {
			o := choose(c.upTo(own, size), votes[i])
			errors[i], validation[i] = o.error, stats.Mean(o.controlled)
			c.Error[i] += o.error / repeats
			c.Validation[i] += o.validation / repeats
			c.SD[i] += o.variance / repeats
			if h != nil && len(c.classifiers) == 1 {
				c.ByHalving = append(c.ByHalving, o.errors)
				c.ValidationByHalving = append(c.ValidationByHalving, o.controlled)
			}
		}
		c.ByRepeat = append(c.ByRepeat, errors)
		c.ValidationByRepeat = append(c.ValidationByRepeat, validation)
	}
	c.Votes = make([][]Votes, n)
	for i := range c.Sizes {
		c.SD[i] = math.Sqrt(c.SD[i])
		for k, count := range votes[i] {
			if count > 0 {
				c.Votes[i] = append(c.Votes[i], Votes{c.Candidates[k].Params, count})
			}
		}
		slices.SortStableFunc(c.Votes[i], func(a, b Votes) int { return cmp.Compare(b.Count, a.Count) })
	}
}
