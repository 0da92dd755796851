package words

import (
	"fmt"
	"math"
	"strconv"
)

// Numbers of magnitude in [plainLeast, plainMost) are written without an exponent.
const (
	plainLeast = 1e-3
	plainMost  = 1e6
)

// Exact returns the shortest text that parses as v, for files that programs read.
func Exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Digits formats v with the given number of significant digits, with or without an exponent.
func Digits(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) }

// Round rounds v to the given number of significant digits. If rounding up would overflow, it returns v.
func Round(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(Digits(v, digits), 64)
	if err != nil {
		return v
	}
	return rounded
}

// Percent formats a fraction with two decimals: "1.25 %".
func Percent(share float64) string { return decimals(100*share, 2) + " %" }

// Significant formats v for a table with the given number of significant digits. It keeps all digits
// before the decimal point and does not round whole numbers.
func Significant(v float64, digits int) string {
	a := math.Abs(v)
	if v != 0 && (a < plainLeast || a >= plainMost) {
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	}
	if v == math.Trunc(v) {
		return decimals(v, 0)
	}
	return decimals(v, digits-1-order(v))
}

// PlusMinus formats a mean with its standard error or deviation, both rounded to two significant digits
// of the latter.
func PlusMinus(m, se float64) string {
	if se == 0 {
		return Significant(m, 3) + " ± 0"
	}
	largest := max(math.Abs(m), se)
	if largest >= plainLeast && largest < plainMost {
		n := 1 - order(se)
		return decimals(m, n) + " ± " + decimals(se, n)
	}
	e := order(largest)
	n := 1 - order(se) + e
	return fmt.Sprintf("(%s ± %s)e%+03d", decimals(m/math.Pow10(e), n), decimals(se/math.Pow10(e), n), e)
}

// PercentPlusMinus formats a fraction with its standard error or deviation: "1.25 ± 0.03 %".
func PercentPlusMinus(m, sd float64) string {
	return decimals(100*m, 2) + " ± " + decimals(100*sd, 2) + " %"
}

// Rounded formats an estimate with three significant digits, also before the decimal point: 28412 becomes
// "28400".
func Rounded(v float64) string { return RoundedTo(v, 3) }

// RoundedTo formats an estimate as Rounded does, with the given number of significant digits.
func RoundedTo(v float64, digits int) string {
	rounded := Round(v, digits)
	switch a := math.Abs(rounded); {
	case v == 0:
		return "0"
	case a >= 1e5 || a < plainLeast:
		return strconv.FormatFloat(v, 'e', digits-1, 64)
	default:
		return decimals(rounded, digits-1-order(a))
	}
}

// Cost formats a cost: as a whole number from 10 to a million, else as Rounded does.
func Cost(v float64) string {
	if a := math.Abs(v); a < plainMost && (a >= 10 || math.Abs(v-math.Round(v)) <= 1e-9*a) {
		return decimals(v, 0)
	}
	return Rounded(v)
}

// Whole formats a number given by a user: without a decimal point if it is whole and below most, else
// with four significant digits.
func Whole(v, most float64) string {
	if v == math.Trunc(v) && math.Abs(v) < most {
		return decimals(v, 0)
	}
	return Digits(v, 4)
}

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', max(n, 0), 64) }

// order returns the decimal exponent of v, which must not be zero.
func order(v float64) int { return int(math.Floor(math.Log10(math.Abs(v)))) }
