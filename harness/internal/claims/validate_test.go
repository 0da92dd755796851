package claims

import (
	"reflect"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range everyCheck() {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	order := func(change func(o *Order)) Claim {
		o := &Order{Series: "a", Below: []string{"b"}}
		change(o)
		return claimOf(Check{Order: o})
	}
	reading := func(r Reading) Claim {
		r.Series = "a"
		return claimOf(Check{Level: &Level{Reading: r, Between: []*float64{nil, ptr(1)}}})
	}
	value := func(v Value) Claim { return claimOf(Check{Reaches: &Reaches{Series: "a", Value: v}}) }
	general := func(change func(c *Claim)) Claim {
		c := claimOf(aBelowB)
		change(&c)
		return c
	}
	between := func(b ...*float64) Claim {
		return claimOf(Check{Level: &Level{Reading: Reading{Series: "a"}, Between: b}})
	}
	for _, tt := range []struct {
		name string
		c    Claim
		path string
		text string
	}{
		{"an empty name", order(func(o *Order) { o.Below = []string{"b", ""} }), "check.order.below.1", "the name is empty"},
		{"blank", general(func(c *Claim) { c.Says = " " }), "says", "says is missing"},
		{"a ratio below 0", claimOf(Check{Ratio: &Ratio{Of: Reading{Series: "a"}, To: Reading{Series: "b"}, Between: []*float64{ptr(-1), nil}}}), "check.ratio.between", "-1 cannot bound a ratio"},
		{"no sentence", general(func(c *Claim) { c.Says = "" }), "says", "says is missing"},
		{"no check", general(func(c *Claim) { c.Check = Check{} }), "check", "order, reaches, stays, ratio, level, plateau, bound, exponent"},
		{"two checks", general(func(c *Claim) { c.Check.Bound = &Bound{} }), "check", "order and bound"},
		{"no series", order(func(o *Order) { o.Series = "" }), "check.order.series", "series is missing"},
		{"below itself", order(func(o *Order) { o.Below = []string{"b", "a"} }), "check.order.below.1", "below itself"},
		{"least above", order(func(o *Order) { o.Ratio, o.Least = 1, 1.5 }), "check.order.least", "no ratio is at least 1.5 and below 1"},
		{"empty range", order(func(o *Order) { o.From, o.To = 0.5, 0.5 }), "check.order.to", "the range is empty"},
		{"empty costs", order(func(o *Order) { o.After, o.Until = 5, 4 }), "check.order.until", "the range is empty"},
		{"both", order(func(o *Order) { o.From, o.After = 0.5, 4 }), "check.order", "each end of the range once"},
		{"both ends", order(func(o *Order) { o.To, o.Until = 0.5, 4 }), "check.order", "each end of the range once"},
		{"passes", order(func(o *Order) { o.Passes = []float64{1, 1} }), "check.order.passes", "[0, 1] for the first pass"},
		{"passes and more", order(func(o *Order) { o.Passes, o.To = []float64{0, 1}, 0.5 }), "check.order.passes", "passes already sets the range"},
		{"trade-off of", order(func(o *Order) { o.Cost, o.Metric = "support", "hinge" }), "check.order.cost", "a trade-off is of the error"},
		{"stays nowhere", claimOf(Check{Stays: &Stays{Series: "a"}}), "check.stays.above", "one of is, of and fact"},
		{"no target", reading(Reading{Read: readCostTo}), "check.level.read", "needs a target"},
		{"a target", reading(Reading{Target: isp(1)}), "check.level.target", "target needs read: cost-to"},
		{"cost of a range", reading(Reading{Read: readCost, Range: Range{To: 0.5}}), "check.level.read", "a range has no effect"},
		{"target", reading(Reading{Read: readCostTo, Target: &Value{}}), "check.level.target", "is, of and fact, not 0"},
		{"no value", value(Value{Times: 2}), "check.reaches.value", "is, of and fact, not 0"},
		{"two values", value(Value{Is: ptr(1), Fact: "R"}), "check.reaches.value", "is, of and fact, not 2"},
		{"value of", value(Value{Of: &Reading{}}), "check.reaches.value.of.series", "series is missing"},
		{"between", between(ptr(1)), "check.level.between", "[least, most]"},
		{"between nothing", between(nil, nil), "check.level.between", "nothing to check"},
		{"between ends", between(ptr(2), ptr(1)), "check.level.between", "lower bound 2 is above the upper bound 1"},
		{"column", claimOf(Check{Exponent: &Exponent{Series: "a", Table: "t", Between: []*float64{nil, ptr(1)}}}), "check.exponent.column", "column is missing"},
	} {
		shape := tt.c.Validate()
		if shape == nil || strings.Join(shape.Path, ".") != tt.path || !strings.Contains(shape.Text, tt.text) {
			t.Fatalf("%s: %v; want %q at %s", tt.name, shape, tt.text, tt.path)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c    Claim
		want []string
	}{
		{Claim{Shown: "fig", Datasets: []string{"d", "e"}, Where: map[string]any{"k": 4, "cap": 5}, Check: Check{Order: &Order{
			Series: "a", Below: []string{"b", "c"}, Curve: Curve{Metric: "error", Split: "test", Cost: "seconds"},
		}}}, []string{
			"shown fig: shown", "datasets d: datasets.0", "datasets e: datasets.1", "where cap: where.cap", "where k: where.k",
			"series a: check.order.series", "below b: check.order.below.0", "below c: check.order.below.1",
			"metric error: check.order.metric", "split test: check.order.split", "cost seconds: check.order.cost",
		}},
		{Claim{Check: Check{Reaches: &Reaches{Series: "a", Value: Value{Fact: "R"}, Within: &Value{Of: &Reading{Series: "b", Target: &Value{Fact: "C"}}}}}}, []string{
			"series a: check.reaches.series", "fact R: check.reaches.value.fact", "series b: check.reaches.within.of.series", "fact C: check.reaches.within.of.target.fact",
		}},
		{Claim{Check: Check{Stays: &Stays{Series: "a", Above: Value{Fact: "R"}}}}, []string{
			"series a: check.stays.series", "fact R: check.stays.above.fact",
		}},
		{Claim{Check: Check{Ratio: &Ratio{Of: Reading{Series: "a", Curve: Curve{Cost: "support"}}, To: Reading{Series: "b"}}}}, []string{
			"series a: check.ratio.of.series", "cost support: check.ratio.of.cost", "series b: check.ratio.to.series",
		}},
		{Claim{Check: Check{Level: &Level{Reading: Reading{Series: "a"}, Per: "k"}}}, []string{"series a: check.level.series", "per k: check.level.per"}},
		{Claim{Check: Check{Plateau: &Plateau{Series: "a", Above: &Value{Of: &Reading{Series: "b"}}}}}, []string{"series a: check.plateau.series", "series b: check.plateau.above.of.series"}},
		{Claim{Check: Check{Bound: &Bound{Name: "x", Series: "a"}}}, []string{"name x: check.bound.name", "series a: check.bound.series"}},
		{Claim{Check: Check{Exponent: &Exponent{Series: "a", Table: "t", Column: "c"}}}, []string{"series a: check.exponent.series", "table t: check.exponent.table", "column c: check.exponent.column"}},
	} {
		var got []string
		for _, m := range tt.c.Mentions() {
			got = append(got, m.Key+" "+m.Name+": "+strings.Join(m.Path, "."))
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q\nwant %q", got, tt.want)
		}
	}
}
