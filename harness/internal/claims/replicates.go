package claims

import (
	"errors"
	"maps"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/stat"
)

// replicated holds something of each replicate: of each repeat, or each halving.
type replicated[T any] map[int]T

// everyone stands for all replicates, where they have one value.
const everyone = -1

// ids returns the replicates, in order; of what is the same for all there are none.
func (of replicated[T]) ids() []int {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(id int) bool { return id == everyone })
}

// get returns the value of a replicate; if there is only one value, it holds for all.
func (of replicated[T]) get(id int) T {
	v, ok := of[id]
	if !ok && len(of) == 1 {
		for _, v = range of {
			return v
		}
	}
	return v
}

// errOneInCommon: of several repeats one is left. It must not be mistaken for the single
// run of a method without randomness.
var errOneInCommon = errors.New("the series have only one repeat in common, too few to decide")

var errNoneInCommon = errors.New("the series have no repeat in common")

// pair returns the replicates that all have. What has only one, such as the run of a
// method without randomness, is paired with each of the others'.
func (p *part) pair(all ...interface{ ids() []int }) ([]int, error) {
	var ids []int
	known := false
	most := 0
	for _, r := range all {
		most = max(most, len(r.ids()))
	}
	for _, r := range all {
		of := r.ids()
		if len(of) == 0 || len(of) == 1 && most > 1 {
			continue
		}
		if !known || most == 1 {
			ids, known = of, true
			continue
		}
		both := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(of, id) })
		if len(both) < max(len(ids), len(of)) {
			p.remark(unpaired)
		}
		ids = both
	}
	switch {
	case !known:
		return nil, errors.New("there are no runs to judge")
	case len(ids) == 0:
		return nil, errNoneInCommon
	case len(ids) == 1 && most > 1:
		return nil, errOneInCommon
	}
	return ids, nil
}

// values are numbers by replicate.
type values = replicated[observe.Value]

func constant(v float64) values { return values{everyone: {Number: v}} }

// positive reports whether all numbers are.
func positive(of []observe.Value) bool {
	return !slices.ContainsFunc(of, func(v observe.Value) bool { return !(v.Number > 0) || math.IsInf(v.Number, 0) })
}

// compared sets numbers against others, a replicate at a time: by their ratios where all are
// positive, else by their differences. Where all others are the same number, that is the end of the
// range of the numbers themselves.
func compared(key, name string, ids []int, of, to []observe.Value, above bool) observe.Quantity {
	q := observe.Quantity{Key: key, Name: name, Statistic: observe.Mean, Values: of}
	level, sign := 0.0, " - "
	if positive(of) && positive(to) {
		q.Statistic, level, sign = observe.GeometricMean, 1, " / "
	}
	other := func(v observe.Value) bool { return v.Number != to[0].Number || v.AtLeast || v.AtMost }
	if !slices.ContainsFunc(to, other) {
		level = to[0].Number
	} else {
		q.Values = make([]observe.Value, len(of))
		for i := range of {
			if q.Values[i] = of[i].Minus(to[i]); q.Statistic == observe.GeometricMean {
				q.Values[i] = of[i].Over(to[i])
			}
		}
		q.Name += sign + words.Rounded(mean(to))
	}
	if q.Between = observe.AtMost(level); above {
		q.Between = observe.AtLeast(level)
	}
	q.SetRows(ids)
	return q
}

// mean returns the mean of numbers, without rounding where they are all the same.
func mean(of []observe.Value) float64 {
	v := make([]float64, len(of))
	for i, n := range of {
		v[i] = n.Number
	}
	if slices.Min(v) == slices.Max(v) {
		return v[0]
	}
	return stat.Mean(v, nil)
}
