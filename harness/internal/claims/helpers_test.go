package claims

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// made describes runs of a series whose metric is a function of the iterations and the repeat.
type made struct {
	dataset, series string
	params          record.Params
	repeats         int
	metric, split   string
	// points are the recorded iterations. There are 10 kernel evaluations per iteration.
	points []int64
	of     func(x float64, repeat int) float64
	facts  map[string]float64
	reason string
}

func (m made) runs() []record.Run {
	if m.dataset == "" {
		m.dataset = "d"
	}
	if m.metric == "" {
		m.metric, m.split = "error", "test"
	}
	if m.points == nil {
		m.points = []int64{1, 2, 4, 8, 16, 32, 64, 100}
	}
	if m.repeats == 0 {
		m.repeats = 4
	}
	var out []record.Run
	for repeat := range m.repeats {
		r := record.Run{
			Schema: record.Schema, Dataset: m.dataset, Series: m.series, Algorithm: m.series, Params: m.params, Repeat: repeat,
			Key: fmt.Sprint(m.dataset, m.series, m.params, repeat), Rows: map[string]int64{"train": 50, "test": 1000},
			Facts: m.facts, Status: record.StatusFinished, Reason: m.reason,
			Curve: record.Curve{Cost: map[string][]int64{"iterations": m.points}, Metrics: map[string]map[string][]float64{}},
		}
		var y []float64
		for _, x := range m.points {
			y = append(y, m.of(float64(x), repeat))
			r.Curve.Cost["kernel_evals"] = append(r.Curve.Cost["kernel_evals"], 10*x)
		}
		r.Curve.Metrics[m.split] = map[string][]float64{m.metric: y}
		out = append(out, r)
	}
	return out
}

// noisy multiplies a curve by a random factor per repeat, with spread as its relative size.
func noisy(spread float64, f func(x float64) float64) func(float64, int) float64 {
	return func(x float64, repeat int) float64 {
		return f(x) * math.Exp(spread*[]float64{0.5, -1, 1, -0.4, 0.2, -0.3}[repeat%6])
	}
}

func falling(scale float64) func(float64) float64 {
	return func(x float64) float64 { return scale / math.Sqrt(x) }
}

func flat(v float64) func(float64) float64 { return func(float64) float64 { return v } }

func claimOf(check Check) Claim {
	return Claim{ID: "a-claim", Source: "section 1", Says: "It holds.", Check: check}
}

var aBelowB = orderOf(Order{})

// orderOf returns the check that series a is below series b.
func orderOf(o Order) Check {
	o.Series, o.Below = "a", []string{"b"}
	return Check{Order: &o}
}

func orderOver(c Curve) Check { return orderOf(Order{Curve: c}) }

func ratioOf(of, to Reading, between ...*float64) Check {
	return Check{Ratio: &Ratio{Of: of, To: to, Between: between}}
}

func levelOf(of Reading, between ...*float64) Check {
	return Check{Level: &Level{Reading: of, Between: between}}
}

var join = slices.Concat[[]record.Run]

func ptr(v float64) *float64 { return &v }

func is(v float64) Value { return Value{Is: ptr(v)} }

func isp(v float64) *Value { return &Value{Is: ptr(v)} }

// Judge judges claims by records.
func Judge(list []Claim, in Input) []Verdict {
	return Decide(list, in.Origin, Observe(list, in))
}

// judgeOne judges a valid claim by records. It checks that tables and the verdict are unchanged after
// writing and reading them, and that intervals contain their value.
func judgeOne(t *testing.T, c Claim, in Input) Verdict {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatalf("the claim is invalid: %v", err)
	}
	if in.Profile == "" {
		in.Profile = "quick"
	}
	list := []Claim{c}
	v := Judge(list, in)
	var text bytes.Buffer
	if err := (&observe.Tables{List: Observe(list, in)}).Write(&text); err != nil {
		t.Fatal(err)
	}
	tables, err := observe.ReadTables(&text)
	if err != nil {
		t.Fatal(err)
	}
	if again := Decide(list, in.Origin, tables.List); !reflect.DeepEqual(again, v) {
		t.Errorf("the tables, written and read, give\n%+v\nnot\n%+v", again, v)
	}
	var back Verdict
	written, err := json.Marshal(v[0])
	if err == nil {
		err = json.Unmarshal(written, &back)
	}
	if again, _ := json.Marshal(back); err != nil || !bytes.Equal(again, written) {
		t.Errorf("reads back as\n%s\nwant\n%s, %v", again, written, err)
	}
	for _, p := range v[0].Parts {
		for _, e := range p.Estimates {
			if !(e.Lo <= e.Value && e.Value <= e.Hi) {
				t.Errorf("%v is not within [%v, %v]", e.Value, e.Lo, e.Hi)
			}
		}
	}
	return v[0]
}

func wantOutcome(t *testing.T, name string, v Verdict, outcome string, texts ...string) {
	t.Helper()
	if v.Outcome != outcome {
		t.Errorf("%s: %s (%s; %q), want %s", name, v.Outcome, v.Reason, v.Caveats, outcome)
	}
	for _, text := range texts {
		if all := v.Reason + "\n" + strings.Join(Texts(v.Caveats), "\n"); !strings.Contains(all, text) {
			t.Errorf("%s: %q does not contain %q", name, all, text)
		}
	}
}
