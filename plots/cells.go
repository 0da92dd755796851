package plots

import (
	"math"
	"slices"

	"stochopt/results/words"
)

func meanCell(values []float64, digits int) Cell {
	if len(values) == 0 {
		return missing
	}
	return numberCell(mean(values), digits)
}

func medianCell(values []float64, digits int) Cell {
	if len(values) == 0 {
		return missing
	}
	s := slices.Sorted(slices.Values(values))
	return numberCell((s[(len(s)-1)/2]+s[len(s)/2])/2, digits)
}

// Values of Column.Spread.
const (
	spreadError     = "se"
	spreadDeviation = "sd"
	spreadInterval  = "half_width"
)

// spreadCell shows the mean and its standard error.
func spreadCell(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	m := mean(values)
	if len(values) == 1 {
		return numberCell(m, 3)
	}
	se := math.Sqrt(variance(values, m) / float64(len(values)))
	return Cell{Text: words.PlusMinus(m, se), Value: words.Exact(m), Spread: words.Exact(se)}
}

// deviationCell shows the mean and the standard deviation.
func deviationCell(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	m := mean(values)
	if len(values) == 1 {
		return numberCell(m, 3)
	}
	sd := math.Sqrt(variance(values, m))
	return Cell{Text: words.PlusMinus(m, sd), Value: words.Exact(m), Spread: words.Exact(sd)}
}

// percentCell is deviationCell of fractions, shown in percent.
func percentCell(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	m := mean(values)
	if len(values) == 1 {
		return Cell{Text: words.Percent(m), Value: words.Exact(m)}
	}
	sd := math.Sqrt(variance(values, m))
	return Cell{
		Text:  words.PercentPlusMinus(m, sd),
		Value: words.Exact(m), Spread: words.Exact(sd),
	}
}

// variance is the unbiased one of values with mean m.
func variance(values []float64, m float64) float64 {
	var ss float64
	for _, v := range values {
		ss += (v - m) * (v - m)
	}
	return ss / float64(len(values)-1)
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func numberCell(v float64, digits int) Cell {
	return Cell{Text: words.Significant(v, digits), Value: words.Exact(v)}
}
