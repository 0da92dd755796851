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
	order := func(series string, below ...string) Check {
		return Check{Order: &Order{Series: series, Below: below}}
	}
	ranged := func(r Range) Check { return orderOf(Order{Range: r}) }
	read := func(r Reading) Check {
		r.Series = "a"
		return levelOf(r, nil, ptr(1))
	}
	value := func(v Value) Check { return Check{Reaches: &Reaches{Series: "a", Value: v}} }
	a := Reading{Series: "a"}
	exponent := func(than, column string) Check {
		between := []*float64{nil, ptr(0)}
		return Check{Exponent: &Exponent{Series: "a", Than: than, Table: "t", Column: column, Between: between}}
	}
	half := Curve{Cost: "support", Split: "train"}
	for _, tt := range []struct {
		name  string
		check Check
		path  string
	}{
		{"no check", Check{}, "check"},
		{"two checks", Check{Order: aBelowB.Order, Bound: &Bound{}}, "check"},
		{"no series", order("", "b"), "check.order.series"},
		{"an empty name", order("a", "b", ""), "check.order.below.1"},
		{"below itself", order("a", "b", "a"), "check.order.below.1"},
		{"least above", orderOf(Order{Ratio: 1, Least: 1.5}), "check.order.least"},
		{"empty range", ranged(Range{From: 0.5, To: 0.5}), "check.order.to"},
		{"empty costs", ranged(Range{After: 5, Until: 5}), "check.order.until"},
		{"two beginnings", ranged(Range{From: 0.5, After: 4}), "check.order"},
		{"two ends", ranged(Range{To: 0.5, Until: 4}), "check.order"},
		{"passes", ranged(Range{Passes: []float64{1, 1}}), "check.order.passes"},
		{"passes and more", ranged(Range{Passes: []float64{0, 1}, To: 0.5}), "check.order.passes"},
		{"trade-off of a loss", orderOver(Curve{Cost: "support", Metric: "hinge"}), "check.order.cost"},
		{"trade-off on training data", read(Reading{Curve: half}), "check.level.cost"},
		{"a ratio below 0", ratioOf(a, a, ptr(-1), nil), "check.ratio.between"},
		{"stays nowhere", Check{Stays: &Stays{Series: "a"}}, "check.stays.above"},
		{"no target", read(Reading{Read: readCostTo}), "check.level.read"},
		{"a target", read(Reading{Target: isp(1)}), "check.level.target"},
		{"cost of a range", read(Reading{Read: readCost, Range: Range{To: 0.5}}), "check.level.read"},
		{"no value", value(Value{Times: 2}), "check.reaches.value"},
		{"two values", value(Value{Is: ptr(1), Fact: "R"}), "check.reaches.value"},
		{"value of", value(Value{Of: &Reading{}}), "check.reaches.value.of.series"},
		{"one end", levelOf(a, ptr(1)), "check.level.between"},
		{"no end", levelOf(a, nil, nil), "check.level.between"},
		{"ends", levelOf(a, ptr(2), ptr(1)), "check.level.between"},
		{"no column", exponent("", ""), "check.exponent.column"},
		{"than itself", exponent("a", "c"), "check.exponent.than"},
	} {
		shape := claimOf(tt.check).Validate()
		if shape == nil || strings.Join(shape.Path, ".") != tt.path {
			t.Errorf("%s: %v; want a mistake at %s", tt.name, shape, tt.path)
		}
	}
	for _, tt := range []struct{ of, reading, says, path string }{
		{"", "", " ", "says"},
		{"b", " ", "It is so.", "reading"},
		{"", "the last iterate", "It is so.", "reading"},
		{"a", "the last iterate", "It is so.", "of"},
		{"b", "the last iterate", "It is so.", ""},
	} {
		path := ""
		if err := (Claim{ID: "a", Of: tt.of, Reading: tt.reading, Says: tt.says, Check: aBelowB}).Validate(); err != nil {
			path = strings.Join(err.Path, ".")
		}
		if path != tt.path {
			t.Errorf("%+v: a mistake at %q", tt, path)
		}
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	shown := Curve{Metric: "error", Split: "test", Cost: "seconds"}
	order := Check{Order: &Order{Series: "a", Below: []string{"b", "c"}, Curve: shown}}
	within := &Value{Of: &Reading{Series: "b", Target: &Value{Fact: "C"}}}
	for _, tt := range []struct {
		c    Claim
		want []string
	}{
		{Claim{Shown: "fig", Datasets: []string{"d", "e"}, Where: map[string]any{"k": 4, "cap": 5}, Check: order}, []string{
			"shown fig", "datasets d", "datasets e", "series a", "below b", "below c", "metric error", "split test", "cost seconds",
		}},
		{Claim{Check: Check{Reaches: &Reaches{Series: "a", Value: Value{Fact: "R"}, Within: within}}}, []string{
			"series a", "fact R", "series b", "fact C",
		}},
		{Claim{Check: Check{Exponent: &Exponent{Series: "a", Table: "t", Column: "c"}}}, []string{
			"series a", "table t", "column c",
		}},
	} {
		var got []string
		for _, m := range tt.c.findings().mentions {
			got = append(got, m.key+" "+m.name)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q\nwant %q", got, tt.want)
		}
	}
}
