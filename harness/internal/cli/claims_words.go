package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// wording tells of claims of a specification.
type wording struct {
	// metric is what curves show that do not say.
	metric string
}

// newWording returns that of a specification.
func newWording(s *spec.Spec) wording {
	metric := s.Select.Metric
	if known := registry.Catalog().Task(s.Task).Metrics; metric == "" && len(known) > 0 {
		metric = known[0]
	}
	return wording{metric}
}

// claim says what is checked of a claim, and where.
func (w wording) claim(c claims.Claim) string {
	text := w.checkInWords(c.Check)
	for _, name := range slices.Sorted(maps.Keys(c.Where)) {
		text += fmt.Sprintf("; %s = %s", name, choiceInWords(c.Where[name]))
	}
	if len(c.Datasets) > 0 {
		text += "; on " + strings.Join(c.Datasets, ", ")
	}
	if c.Data == "real" {
		text += "; on real data only"
	}
	switch c.Holds {
	case "most":
		text += "; for most data sets and settings"
	case "any":
		text += "; for at least one data set and setting"
	}
	return text
}

func (w wording) checkInWords(c claims.Check) string {
	switch {
	case c.Order != nil:
		o := c.Order
		over := map[string]string{"end": " at the end", "every": " at every cost"}[o.Over]
		if over == "" {
			over = " on geometric average"
		}
		ends := fmt.Sprintf("below %v", cmp.Or(o.Ratio, 1))
		switch {
		case o.Least > 0 && o.Ratio > 0:
			ends += fmt.Sprintf(" and at least %v", o.Least)
		case o.Least > 0:
			ends = fmt.Sprintf("at least %v", o.Least)
		}
		return fmt.Sprintf("%s of %s over that of %s at equal %s: %s%s%s",
			w.curveInWords(o.Curve), o.Series, others(o), costInWords(o.Curve), ends, over, rangeInWords(o.Range))
	case c.Reaches != nil:
		r := c.Reaches
		within := "by the end"
		if r.Within != nil {
			within = "within " + w.valueInWords(r.Within)
			if r.Within.Of == nil {
				within += " " + costInWords(r.Curve)
			}
		}
		return fmt.Sprintf("%s of %s reaches %s %s", w.curveInWords(r.Curve), r.Series, w.valueInWords(&r.Value), within)
	case c.Stays != nil:
		s := c.Stays
		var sides []string
		if s.Above != nil {
			sides = append(sides, "above "+w.valueInWords(s.Above))
		}
		if s.Below != nil {
			sides = append(sides, "below "+w.valueInWords(s.Below))
		}
		return fmt.Sprintf("%s of %s along %s stays %s%s", w.curveInWords(s.Curve), s.Series, costInWords(s.Curve), strings.Join(sides, " and "), rangeInWords(s.Range))
	case c.Ratio != nil:
		return fmt.Sprintf("%s, over %s: %s", w.readingInWords(c.Ratio.Of), w.readingInWords(c.Ratio.To), betweenInWords(c.Ratio.Between))
	case c.Level != nil:
		l := c.Level
		per := ""
		if l.Per != "" {
			per = ", over " + l.Per
		}
		return fmt.Sprintf("%s%s: %s", w.readingInWords(l.Reading), per, betweenInWords(l.Between))
	case c.Plateau != nil:
		p := c.Plateau
		text := fmt.Sprintf("%s of %s along %s ends at no less than %v of where it begins%s", w.curveInWords(p.Curve), p.Series, costInWords(p.Curve), p.Falls, rangeInWords(p.Range))
		if p.Above != nil {
			text += ", and above " + w.valueInWords(p.Above)
		}
		return text
	case c.Bound != nil:
		return fmt.Sprintf("the bound %s holds for %s%s: %s", c.Bound.Name, c.Bound.Series, rangeInWords(c.Bound.Range), claims.BoundDoc(c.Bound.Name))
	case c.Exponent != nil:
		e := c.Exponent
		return fmt.Sprintf("%s of %s in the table %s: %s", e.Column, e.Series, e.Table, betweenInWords(e.Between))
	}
	return ""
}

func choiceInWords(v any) string {
	values, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	var parts []string
	for _, v := range values {
		parts = append(parts, fmt.Sprint(v))
	}
	return strings.Join(parts, ", ")
}

// others are the series that one is below.
func others(o *claims.Order) string {
	switch {
	case len(o.Below) == 1:
		return o.Below[0]
	case o.Best:
		return "the best of " + strings.Join(o.Below, ", ")
	}
	return "each of " + strings.Join(o.Below, ", ")
}

func (w wording) curveInWords(c claims.Curve) string {
	return strings.TrimSpace(c.Split + " " + cmp.Or(c.Metric, w.metric))
}

func costInWords(c claims.Curve) string { return cmp.Or(c.Cost, "iterations") }

func rangeInWords(r claims.Range) string {
	if text := r.String(); text != "" {
		return ", " + text
	}
	return ""
}

func (w wording) valueInWords(v *claims.Value) string {
	text := ""
	switch {
	case v.Is != nil:
		text = fmt.Sprint(*v.Is)
	case v.Of != nil:
		text = w.readingInWords(*v.Of)
	case v.Fact != "":
		text = v.Fact
	}
	if v.Times != 0 {
		text = fmt.Sprintf("%v × %s", v.Times, text)
	}
	if v.Plus != 0 {
		text = fmt.Sprintf("%s + %v", text, v.Plus)
	}
	return text
}

func (w wording) readingInWords(r claims.Reading) string {
	metric, along := w.curveInWords(r.Curve), rangeInWords(r.Range)
	switch r.Read {
	case "cost":
		return fmt.Sprintf("%s that %s takes%s", costInWords(r.Curve), r.Series, along)
	case "cost-to":
		target := ""
		if r.Target != nil {
			target = w.valueInWords(r.Target)
		}
		return fmt.Sprintf("%s that %s takes to %s %s%s", costInWords(r.Curve), r.Series, metric, target, along)
	}
	return fmt.Sprintf("%s %s of %s%s", cmp.Or(r.Read, "final"), metric, r.Series, along)
}

func betweenInWords(b []*float64) string {
	switch {
	case len(b) != 2:
		return ""
	case b[0] == nil && b[1] == nil:
		return "anything"
	case b[0] == nil:
		return fmt.Sprintf("at most %v", *b[1])
	case b[1] == nil:
		return fmt.Sprintf("at least %v", *b[0])
	}
	return fmt.Sprintf("between %v and %v", *b[0], *b[1])
}
