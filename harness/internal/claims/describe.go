package claims

import (
	"cmp"
	"fmt"
)

// describe names what is read, without its series.
func (p *part) describe(r Reading) string {
	metric, cost := p.metric(r.Curve), cmp.Or(r.Cost, costIterations)
	if r.Split != "" && r.Split != splitTest {
		metric = r.Split + " " + metric
	}
	text := cmp.Or(r.Read, readFinal) + " " + metric
	switch r.Read {
	case readCost:
		text = cost
	case readCostTo:
		text = fmt.Sprintf("%s to %s %s", cost, metric, p.describeValue(r.Target))
	}
	if of := r.Range.String(); of != "" {
		text += " (" + of + ")"
	}
	return text
}

// describeValue names a number of the specification.
func (p *part) describeValue(v *Value) string {
	text := v.Fact
	switch {
	case v.Is != nil:
		return plain(*v.Is*cmp.Or(v.Times, 1) + v.Plus)
	case v.Of != nil:
		text = p.describe(*v.Of) + " of " + v.Of.Series
	}
	if v.Times != 0 && v.Times != 1 {
		text = plain(v.Times) + " × " + text
	}
	if v.Plus != 0 {
		text += " + " + plain(v.Plus)
	}
	return text
}

// String says what range it is, "" for all.
func (r Range) String() string {
	switch {
	case r.Passes != nil:
		return fmt.Sprintf("passes %s to %s", plain(r.Passes[0]), plain(r.Passes[1]))
	case !r.ranged():
		return ""
	}
	from, to := "the beginning", "the end"
	if r.From > 0 {
		from = plain(100*r.From) + " %"
	} else if r.After > 0 {
		from = plain(r.After)
	}
	if r.To > 0 {
		to = plain(100*r.To) + " %"
	} else if r.Until > 0 {
		to = plain(r.Until)
	}
	return from + " to " + to
}
