package spec

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// parseGrid decodes a grid by itself.
func parseGrid(t *testing.T, text string) (Grid, error) {
	t.Helper()
	rep := &reporter{}
	n := parse([]byte(text), Position{File: "g"}, rep)
	var g Grid
	if n != nil {
		rep.root = n
		d := &decoder{reporter: rep, seed: 1}
		d.decode(n, reflect.ValueOf(&g).Elem(), &rules{}, at())
	}
	return g, rep.err()
}

func TestGridForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want Grid
	}{
		{"4", Grid{int64(4)}},
		{"4.0", Grid{int64(4)}},
		{"-0.0", Grid{int64(0)}},
		{"0.5", Grid{0.5}},
		{"true", Grid{true}},
		{"uniform", Grid{"uniform"}},
		{"'4'", Grid{"4"}},
		{"[1, 2.0, 3]", Grid{int64(1), int64(2), int64(3)}},
		{"[1, 2.5]", Grid{1.0, 2.5}},
		{"[2.5, 1, a, true]", Grid{2.5, 1.0, "a", true}},
		{"[3, 1, 2]", Grid{int64(3), int64(1), int64(2)}},
		{"9007199254740993", Grid{int64(9007199254740993)}},
		{"1e100", Grid{1e100}},
		{"18446744073709551615", Grid{float64(1 << 64)}},
		{"{pow2: [0, 5]}", Grid{int64(1), int64(2), int64(4), int64(8), int64(16), int64(32)}},
		{"{pow2: [-1, 1]}", Grid{0.5, 1.0, 2.0}},
		{"{pow2: [-12, 5, 4]}", Grid{math.Ldexp(1, -12), math.Ldexp(1, -8), math.Ldexp(1, -4), 1.0, 16.0}},
		{"{pow2: [3, 3]}", Grid{int64(8)}},
		{"{pow4: [-1, 1]}", Grid{0.25, 1.0, 4.0}},
		{"{pow10: [-2, 1]}", Grid{0.01, 0.1, 1.0, 10.0}},
		{"{linspace: [0, 1, 5]}", Grid{0.0, 0.25, 0.5, 0.75, 1.0}},
		{"{linspace: [10, 2, 5]}", Grid{int64(10), int64(8), int64(6), int64(4), int64(2)}},
	} {
		got, err := parseGrid(t, test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %#v, %v, want %#v", test.text, got, err, test.want)
			continue
		}
		// The written form has the same values.
		text, err := yaml.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), "\n") != 1 {
			t.Errorf("%s: written as %q", test.text, text)
		}
		if again, err := parseGrid(t, string(text)); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: written as %q, read back as %#v, %v", test.text, text, again, err)
		}
	}
}

// Powers of ten are correctly rounded.
func TestPowersOfTen(t *testing.T) {
	t.Parallel()
	g, err := parseGrid(t, "{pow10: [-100, 100]}")
	if err != nil || len(g) != 201 {
		t.Fatalf("%d values, %v", len(g), err)
	}
	for i, want := range map[int]float64{0: 1e-100, 77: 1e-23, 95: 1e-5, 123: 1e23, 200: 1e100} {
		if g[i] != want {
			t.Errorf("10^%d is %v", i-100, g[i])
		}
	}
}

func TestGridErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "the document is empty"},
		{"~", "is empty: give it a value or remove the key"},
		{"[]", "empty grid: give it at least one value"},
		{"{}", "must be one grid, such as {pow2: [-4, 4]} or {loguniform: [0.01, 10], count: 8}"},
		{"[1, 1]", "value 1 occurs twice"},
		{"[[1], 2]", "a grid lists single values, got a list"},
		{"{pow2: 3}", "pow2 wants a list of numbers, got the number 3"},
		{"{pow2: [1]}", "pow2 needs [lo, hi] or [lo, hi, stride], got 1 numbers"},
		{"{pow2: [1, a]}", `pow2 wants numbers, got the text "a"`},
		{"{pow2: [1, 2.5]}", "pow2 wants integer exponents and a stride of at least 1, got [1 2.5]"},
		{"{pow2: [1, 4, 0]}", "pow2 wants integer exponents and a stride of at least 1, got [1 4 0]"},
		{"{pow2: [5, 4]}", "empty grid: pow2 from 5 to 4"},
		{"{pow2: [1, 1024]}", "pow2 from 1 to 1024 exceeds 1e+100 or its inverse"},
		{"{pow10: [1, 309]}", "pow10 from 1 to 309 exceeds 1e+100 or its inverse"},
		{"{pow10: [1, 2], pow2: [1, 2]}", "must be one grid, such as {pow2: [-4, 4]} or {loguniform: [0.01, 10], count: 8}"},
		{"{logspace: [1, 2]}", `logspace: unknown grid (did you mean "linspace"?)`},
		{"{linspace: [1, 2]}", "linspace needs [from, to, count], got 2 numbers"},
		{"{linspace: [1, 2, 0]}", "linspace wants a count from 2 to 10000, got 0"},
		{"{linspace: [1, 2, 1]}", "linspace wants a count from 2 to 10000, got 1"},
		{"{linspace: [1, 1, 2]}", "value 1 occurs twice"},
	} {
		_, err := parseGrid(t, test.text)
		list, _ := err.(Errors)
		if len(list) != 1 || list[0].Msg != test.want {
			t.Errorf("%s: got %v, want %q", test.text, err, test.want)
		}
	}
}

func TestCoerce(t *testing.T) {
	t.Parallel()
	lo, hi := 1.0, 5.0
	for _, test := range []struct {
		p    Param
		in   any
		want any
		msg  string
	}{
		{Param{Kind: "int"}, 3, int64(3), ""},
		{Param{Kind: "int"}, 3.0, int64(3), ""},
		{Param{Kind: "int"}, 3.5, nil, "want an integer, got the number 3.5"},
		{Param{Kind: "int", Min: &lo}, int64(0), nil, "must be at least 1, got 0"},
		{Param{Kind: "float"}, int64(3), 3.0, ""},
		{Param{Kind: "float", Max: &hi}, 5.5, nil, "must be at most 5, got 5.5"},
		{Param{Kind: "bool"}, true, true, ""},
		{Param{Kind: "bool"}, "true", nil, `want true or false, got the text "true"`},
		{Param{Kind: "string"}, "x", "x", ""},
		{Param{Kind: "string", Choices: []string{"uniform"}}, "unifrom", nil, `unknown value "unifrom" (did you mean "uniform"?)`},
	} {
		got, err := test.p.Coerce(test.in)
		switch {
		case test.msg == "" && (err != nil || got != test.want):
			t.Errorf("%+v, %v: got %v, %v", test.p, test.in, got, err)
		case test.msg != "" && (err == nil || err.Error() != test.msg):
			t.Errorf("%+v, %v: got error %v, want %s", test.p, test.in, err, test.msg)
		}
	}
}

// A random grid depends only on the seed and on the name of the parameter.
func TestRandomGrids(t *testing.T) {
	t.Parallel()
	load := func(sets ...string) *Spec {
		t.Helper()
		return mustParse(t, base, "", append([]string{"algorithms.msg.step.c={loguniform: [0.01, 10], count: 8}"}, sets...)...)
	}
	of := func(s *Spec) Grid { return s.Algorithms[1].Step.C }
	first := of(load())
	if len(first) != 8 || !slices.IsSortedFunc(first, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) }) {
		t.Fatalf("got %v", first)
	}
	low := 0
	for _, v := range first {
		if x := v.(float64); x < 0.01 || x > 10 {
			t.Errorf("%v is out of range", x)
		} else if x < 0.3162 {
			low++
		}
	}
	if low < 2 || low > 6 { // half of them are expected below the middle of the logarithms
		t.Errorf("%d of %v are low", low, first)
	}
	if again := of(load("repeats=1", "algorithms.msg.as=other")); !slices.Equal(first, again) {
		t.Errorf("%v, then %v", first, again)
	}
	if other := of(load("seed=7")); slices.Equal(first, other) {
		t.Errorf("seed 7 draws the same: %v", other)
	}
	if s := load("defaults.step.c={loguniform: [0.01, 10], count: 8}"); !slices.Equal(s.Defaults.Step.C, first) {
		t.Errorf("the defaults draw %v, the algorithm %v", s.Defaults.Step.C, first)
	}
	if want := (Grid{0.0184887}); !reflect.DeepEqual(first[:1], want) {
		t.Errorf("the first value is %v, want %v", first[:1], want)
	}
	for _, bad := range []string{
		"{loguniform: [0.01, 10]}", "{loguniform: [0, 10], count: 8}", "{loguniform: [10, 1], count: 8}",
		"{loguniform: [0.01, 10], count: 2.5}", "{loguniform: [0.01, 10], count: 0}", "{pow2: [1, 2], count: 3}", "{count: 3}",
	} {
		if g, err := parseGrid(t, bad); err == nil {
			t.Errorf("%s: got %v", bad, g)
		}
	}
}
