package page

import (
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// number writes v with four significant digits, powers of ten raised: "0.155",
// "28,000", "7.4·10⁵". The script's format does the same.
func number(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case math.IsNaN(v):
		return "undefined"
	case math.IsInf(v, 0):
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "Inf", "∞", 1)
	case a >= 1e-3 && a < 1e6:
		return minus(humanize.Commaf(significant(v)))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(significant(v), 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return minus(mantissa) + "·10" + raised(n)
}

// significant rounds to four significant digits; a whole number below a million
// stays what it is.
func significant(v float64) float64 {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return v
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return r
}

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

var superscripts = strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
	"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

func raised(n int) string { return superscripts.Replace(strconv.Itoa(n)) }

var (
	power  = regexp.MustCompile(`\^([-−]?\d+)`)
	index  = regexp.MustCompile(`(['′])_([a-z])\b`)
	script = regexp.MustCompile(`[\^_]\{[^}]*\}`)
)

// rich turns superscripts, "^{...}" and "^2", and subscripts, "_{...}" and "k'_t",
// into elements; all else is text.
func rich(s string) template.HTML {
	s = index.ReplaceAllString(power.ReplaceAllString(s, "^{$1}"), "${1}_{$2}")
	return template.HTML(script.ReplaceAllStringFunc(template.HTMLEscapeString(s), func(m string) string {
		tag := "sub"
		if m[0] == '^' {
			tag = "sup"
		}
		return "<" + tag + ">" + m[2:len(m)-1] + "</" + tag + ">"
	}))
}
