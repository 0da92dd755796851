package plots

import (
	"fmt"
	"math"
	"strconv"

	"stochopt/results/analysis"
)

func meanCell(values []float64, digits int) Cell {
	if len(values) == 0 {
		return missing
	}
	return numberCell(analysis.Mean(values), digits)
}

func medianCell(values []float64, digits int) Cell {
	if len(values) == 0 {
		return missing
	}
	return numberCell(analysis.Median(values), digits)
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
	m, se := analysis.StandardError(values)
	if len(values) == 1 {
		return numberCell(m, 3)
	}
	return Cell{Text: plusMinus(m, se), Value: exact(m), Spread: exact(se)}
}

// deviationCell shows the mean and the standard deviation.
func deviationCell(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	m, sd := analysis.Deviation(values)
	if len(values) == 1 {
		return numberCell(m, 3)
	}
	return Cell{Text: plusMinus(m, sd), Value: exact(m), Spread: exact(sd)}
}

// percentCell is deviationCell of fractions, shown in percent.
func percentCell(values []float64) Cell {
	if len(values) == 0 {
		return missing
	}
	m, sd := analysis.Deviation(values)
	if len(values) == 1 {
		return Cell{Text: percent(m), Value: exact(m)}
	}
	return Cell{
		Text:  strconv.FormatFloat(100*m, 'f', 2, 64) + " ± " + strconv.FormatFloat(100*sd, 'f', 2, 64) + " %",
		Value: exact(m), Spread: exact(sd),
	}
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + " %" }

func numberCell(v float64, digits int) Cell {
	return Cell{Text: significant(v, digits), Value: exact(v)}
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Numbers within these bounds are written without an exponent.
const (
	plainLeast = 1e-3
	plainMost  = 1e6
)

// significant rounds v to a number of significant digits; digits before the
// decimal point are all kept.
func significant(v float64, digits int) string {
	a := math.Abs(v)
	if v != 0 && (a < plainLeast || a >= plainMost) {
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', max(digits-1-order(v), 0), 64)
}

// plusMinus writes a mean with its standard error, to two digits of the error.
func plusMinus(m, se float64) string {
	if se == 0 {
		return significant(m, 3) + " ± 0"
	}
	if a := max(math.Abs(m), se); a >= plainLeast && a < plainMost {
		decimals := max(1-order(se), 0)
		return strconv.FormatFloat(m, 'f', decimals, 64) + " ± " + strconv.FormatFloat(se, 'f', decimals, 64)
	}
	e := order(max(math.Abs(m), se))
	decimals := max(1-order(se)+e, 0)
	scaled := func(v float64) string { return strconv.FormatFloat(v/math.Pow10(e), 'f', decimals, 64) }
	return fmt.Sprintf("(%s ± %s)e%+03d", scaled(m), scaled(se), e)
}

// order returns the decimal exponent of v, not zero.
func order(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)))) }
