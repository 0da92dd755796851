package claims

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ShapeError is what is wrong with a claim by itself.
type ShapeError struct {
	// Path leads to it from the claim, as in Mention.
	Path []string
	Text string
}

func (e *ShapeError) Error() string {
	if len(e.Path) == 0 {
		return e.Text
	}
	return strings.Join(e.Path, ".") + ": " + e.Text
}

var validID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// Validate reports what is wrong with the claim whatever the specification and
// the records hold: its shape, its numbers, and names of bounds. The error is a
// *ShapeError.
func (c Claim) Validate() error {
	v := &shape{}
	switch {
	case !validID.MatchString(c.ID):
		v.fail("id %q: give the claim one of lower case letters, digits and '-'", "id", c.ID)
	case strings.TrimSpace(c.Says) == "":
		v.fail("say what the claim is, in a sentence", "says")
	}
	v.oneOf(c.From, "from", profiles...)
	v.oneOf(c.Data, "data", "any", dataReal)
	v.oneOf(c.Holds, "holds", "all", holdsMost, holdsAny)
	v.names(c.Datasets, "datasets")
	if c.Datasets != nil && len(c.Datasets) == 0 {
		v.fail("it is empty: list data sets, or leave it out for all", "datasets")
	}
	v.check(&c.Check)
	if v.err == nil {
		return nil
	}
	return v.err
}

// shape keeps the first error.
type shape struct{ err *ShapeError }

func (v *shape) fail(format string, at string, args ...any) {
	if v.err == nil {
		var path []string
		if at != "" {
			path = strings.Split(at, ".")
		}
		v.err = &ShapeError{path, fmt.Sprintf(format, args...)}
	}
}

func (v *shape) oneOf(have, at string, known ...string) {
	if have != "" && !slices.Contains(known, have) {
		v.fail("%q is none of %s", at, have, strings.Join(known, ", "))
	}
}

func (v *shape) names(names []string, at string) {
	for i, n := range names {
		switch at := at + "." + strconv.Itoa(i); {
		case n == "":
			v.fail("the name is empty", at)
		case slices.Contains(names[:i], n):
			v.fail("%q is listed twice", at, n)
		}
	}
}

func (v *shape) check(c *Check) {
	var set []string
	for _, p := range []struct {
		name string
		set  bool
	}{
		{"order", c.Order != nil}, {"reaches", c.Reaches != nil}, {"stays", c.Stays != nil}, {"ratio", c.Ratio != nil},
		{"level", c.Level != nil}, {"plateau", c.Plateau != nil}, {"bound", c.Bound != nil}, {"exponent", c.Exponent != nil},
	} {
		if p.set {
			set = append(set, p.name)
		}
	}
	const all = "order, reaches, stays, ratio, level, plateau, bound, exponent"
	switch len(set) {
	case 0:
		v.fail("it is empty: give one of %s", "check", all)
		return
	case 1:
	default:
		v.fail("it has %s: a claim has one; make one of each", "check", strings.Join(set, " and "))
		return
	}
	at := "check." + set[0]
	switch {
	case c.Order != nil:
		v.order(c.Order, at)
	case c.Reaches != nil:
		v.series(c.Reaches.Series, at)
		v.value(&c.Reaches.Value, at+".value")
		v.level(&c.Reaches.Value, c.Reaches.Metric, at+".value")
		v.value(c.Reaches.Within, at+".within")
		if x, ok := c.Reaches.Within.constant(); ok && !(x > 0) {
			v.fail("%v is no cost: give one that is positive", at+".within", x)
		}
		v.curve(c.Reaches.Curve, at)
	case c.Stays != nil:
		s := c.Stays
		v.series(s.Series, at)
		v.curve(s.Curve, at)
		v.span(s.Range, at)
		if s.Above == nil && s.Below == nil {
			v.fail("say what it stays above or below", at)
		}
		v.value(s.Above, at+".above")
		v.value(s.Below, at+".below")
		v.level(s.Above, s.Metric, at+".above")
		v.level(s.Below, s.Metric, at+".below")
		if lo, ok := s.Above.constant(); ok {
			if hi, ok := s.Below.constant(); ok && lo >= hi {
				v.fail("nothing is above %v and below %v: give a value that is less than that of below", at+".above", lo, hi)
			}
		}
	case c.Ratio != nil:
		v.reading(&c.Ratio.Of, at+".of")
		v.reading(&c.Ratio.To, at+".to")
		v.between(c.Ratio.Between, at)
		for _, b := range c.Ratio.Between {
			if b != nil && !(*b > 0) {
				v.fail("a ratio is positive: %v is no bound on it; null stands for none", at+".between", *b)
			}
		}
	case c.Level != nil:
		v.reading(&c.Level.Reading, at)
		v.between(c.Level.Between, at)
		v.costs(&c.Level.Reading, c.Level.Between, at+".between")
	case c.Plateau != nil:
		p := c.Plateau
		v.series(p.Series, at)
		v.curve(p.Curve, at)
		v.span(p.Range, at)
		if !(p.Falls > 0 && p.Falls <= 1) {
			v.fail("%v is not within (0, 1]: it is the least ratio of the end to the beginning that counts as a plateau", at+".falls", p.Falls)
		}
		v.value(p.Above, at+".above")
		v.level(p.Above, p.Metric, at+".above")
	case c.Bound != nil:
		v.series(c.Bound.Series, at)
		v.span(c.Bound.Range, at)
		if _, ok := boundOf(c.Bound.Name); !ok {
			v.fail("no bound is called %q; there are %s", at+".name", c.Bound.Name, strings.Join(Bounds(), ", "))
		}
	case c.Exponent != nil:
		x := c.Exponent
		v.series(x.Series, at)
		if x.Table == "" || x.Column == "" {
			v.fail("name the table and the column of the exponent", at)
		}
		v.between(x.Between, at)
	}
}

func (v *shape) series(name, at string) {
	if name == "" {
		v.fail("name a series", at+".series")
	}
}

func (v *shape) order(o *Order, at string) {
	v.series(o.Series, at)
	if len(o.Below) == 0 {
		v.fail("list the series that %s is below", at+".below", o.Series)
	}
	v.names(o.Below, at+".below")
	if i := slices.Index(o.Below, o.Series); i >= 0 {
		v.fail("%s cannot be below itself", at+".below."+strconv.Itoa(i), o.Series)
	}
	v.curve(o.Curve, at)
	v.span(o.Range, at)
	v.oneOf(o.Over, at+".over", overMean, overEnd, overEvery)
	if o.Ratio < 0 || math.IsNaN(o.Ratio) || math.IsInf(o.Ratio, 0) {
		v.fail("%v is not positive", at+".ratio", o.Ratio)
	}
	switch {
	case o.Least < 0 || math.IsNaN(o.Least) || math.IsInf(o.Least, 0):
		v.fail("%v is no ratio", at+".least", o.Least)
	case o.Ratio > 0 && o.Least >= o.Ratio:
		v.fail("no ratio is at least %v and below %v: give a ratio that is more, or none for no upper end", at+".least", o.Least, o.Ratio)
	}
}

func (v *shape) curve(c Curve, at string) {
	if c.Cost == costSupport && !isHalf(c.Split) {
		v.fail("a trade-off is one of errors on halves of the test split, \"test\" and \"validation\", not on %q", at+".split", c.Split)
	}
	if c.Cost == costSupport && c.Metric != "" && c.Metric != metricError {
		v.fail("a trade-off is one of error, not of %q", at+".metric", c.Metric)
	}
}

func (v *shape) span(r Range, at string) {
	finite := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }
	switch {
	case !(r.From >= 0 && r.From <= 1):
		v.fail("%v is no fraction from 0 to 1", at+".from", r.From)
	case !(r.To >= 0 && r.To <= 1):
		v.fail("%v is no fraction from 0 to 1", at+".to", r.To)
	case r.To > 0 && r.To <= r.From:
		v.fail("the range is empty: it goes from %v to %v", at+".to", r.From, r.To)
	case !finite(r.After):
		v.fail("%v is no cost", at+".after", r.After)
	case !finite(r.Until):
		v.fail("%v is no cost", at+".until", r.Until)
	case r.Until > 0 && r.Until <= r.After:
		v.fail("the range is empty: it goes from %v to %v", at+".until", r.After, r.Until)
	case r.From > 0 && r.After > 0:
		v.fail("the range begins at a fraction, from, and at a cost, after: give one of them", at+".after")
	case r.To > 0 && r.Until > 0:
		v.fail("the range ends at a fraction, to, and at a cost, until: give one of them", at+".until")
	case r.Passes == nil:
	case len(r.Passes) != 2 || !finite(r.Passes[0]) || !finite(r.Passes[1]) || r.Passes[0] >= r.Passes[1]:
		v.fail("give the range as [from, to], such as [0, 1] for the first pass", at+".passes")
	case r.From > 0 || r.To > 0 || r.After > 0 || r.Until > 0:
		v.fail("a range in passes has no other ends", at+".passes")
	}
}

func (v *shape) reading(r *Reading, at string) {
	v.series(r.Series, at)
	v.curve(r.Curve, at)
	v.span(r.Range, at)
	v.oneOf(r.Read, at+".read", readFinal, readBest, readMean, readLeast, readMost, readCost, readCostTo)
	switch {
	case r.Read == readCostTo && r.Target == nil:
		v.fail("%q needs a target", at+".read", readCostTo)
	case r.Read != readCostTo && r.Target != nil:
		v.fail("a target is for read: %s", at+".target", readCostTo)
	case r.Read == readCost && r.ranged():
		v.fail("the cost is that at the end of the run, whatever the range: leave the range out", at+".read")
	}
	v.value(r.Target, at+".target")
	v.level(r.Target, r.Metric, at+".target")
}

// constant returns the number that a value is, whatever the records hold.
func (v *Value) constant() (float64, bool) {
	if v == nil || v.Is == nil {
		return 0, false
	}
	return *v.Is*cmp.Or(v.Times, 1) + v.Plus, true
}

// level reports what a metric that is never negative is compared with.
func (v *shape) level(val *Value, metric, at string) {
	x, ok := val.constant()
	if ok && x < 0 && (metric == "" || metric == metricError || metric == metricSuboptimality) {
		v.fail("%v is negative, which the metric never is", at, x)
	}
}

// costs reports bounds on a cost that no cost is within.
func (v *shape) costs(r *Reading, b []*float64, at string) {
	if r.Read != readCost && r.Read != readCostTo {
		return
	}
	if len(b) == 2 && b[1] != nil && !(*b[1] > 0) {
		v.fail("%v is no bound on a cost, which is positive", at, *b[1])
	}
}

func (v *shape) value(val *Value, at string) {
	if val == nil {
		return
	}
	n := 0
	for _, set := range []bool{val.Is != nil, val.Of != nil, val.Fact != ""} {
		if set {
			n++
		}
	}
	switch {
	case n == 0:
		v.fail("give the value with is, of or fact", at)
	case n > 1:
		v.fail("give the value with one of is, of and fact", at)
	case val.Is != nil && (math.IsNaN(*val.Is) || math.IsInf(*val.Is, 0)):
		v.fail("%v is not finite", at+".is", *val.Is)
	case math.IsNaN(val.Times) || math.IsInf(val.Times, 0):
		v.fail("%v is not finite", at+".times", val.Times)
	case math.IsNaN(val.Plus) || math.IsInf(val.Plus, 0):
		v.fail("%v is not finite", at+".plus", val.Plus)
	}
	if val.Of != nil {
		v.reading(val.Of, at+".of")
	}
}

func (v *shape) between(b []*float64, at string) {
	at += ".between"
	switch {
	case len(b) != 2:
		v.fail("give it as [least, most], with null for no bound", at)
		return
	case b[0] == nil && b[1] == nil:
		v.fail("without any bound there is nothing to check", at)
	case b[0] != nil && b[1] != nil && *b[0] > *b[1]:
		v.fail("%v is more than %v", at, *b[0], *b[1])
	}
	for _, x := range b {
		if x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)) {
			v.fail("%v is not finite; null stands for no bound", at, *x)
		}
	}
}
