package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Every integer has a minimum and a maximum, because it determines memory or time. Exceptions are the seed and integers
// that the validator or the decoder bounds.
func TestIntegersAreBounded(t *testing.T) {
	t.Parallel()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var unbounded []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["type"] == "integer" && (v["minimum"] == nil || v["maximum"] == nil) {
				unbounded = append(unbounded, path)
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(path+"/"+key, v[key])
			}
		case []any:
			for _, item := range v {
				walk(path, item)
			}
		}
	}
	walk("", schema)
	want := "[/$defs/Label/anyOf /$defs/Profile/properties/seed /$defs/Size/anyOf /properties/seed /properties/version]"
	if got := fmt.Sprint(unbounded); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Numbers out of range are rejected everywhere.
func TestNumbersAreInRange(t *testing.T) {
	t.Parallel()
	const tail = " is out of range: a number must be 0, or between 1e-100 and 1e+100 in absolute value"
	for _, test := range []struct{ option, want string }{
		{"algorithms.msg.step.c=1e300", "1e300" + tail},
		{"algorithms.msg.step.c=[1, 5e-324]", "5e-324" + tail},
		{"algorithms.msg.step.c={linspace: [-1e308, 1e308, 9]}", "-1e308" + tail},
		{"algorithms.msg.step.c=1e9999", `algorithms.msg.step.c: want a number, got the text "1e9999"`},
		{"algorithms.msg.step.c=.nan", ".nan is not a finite number"},
		{"figures.fig.where={k: 1e300}", "1e300" + tail},
		{"datasets.gaussian.problem.k=2147483648", "datasets.gaussian.problem.k: must be at most 2147483647, got 2147483648"},
		{"datasets.gaussian.problem.k=1e18", "datasets.gaussian.problem.k: want an integer, got the number 1e+18"},
		{"repeats=1000001", "repeats: must be at most 1000000, got 1000001"},
		{"budget={passes: 1e10}", "budget.passes: must be at most 1000000000, got 10000000000"},
		{"name=" + strings.Repeat("n", 300), "name: has more than 100 characters"},
	} {
		_, err := parseText(base, "", test.option)
		want := "--set " + test.option + ": " + test.want
		if err == nil || !strings.Contains(err.Error()+"\n", want+"\n") {
			t.Errorf("%.80s: got\n%.300v\nwant\n%.300s", test.option, err, want)
		}
	}
}

// Specifications with too many bytes, nodes, items or mistakes are rejected.
func TestLargeSpecifications(t *testing.T) {
	t.Parallel()
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	for name, test := range map[string]struct{ text, want string }{
		"bytes":   {strings.Repeat("- 1\n", maxBytes/4+1), "s.yaml:1:1: is longer than 1 MiB, the limit for a specification"},
		"nodes":   {lines(30, "k%d: ["+strings.Repeat("1, ", 9_000)+"]\n"), "the document has more than 200000 nodes: does an alias refer to a value that contains it?"},
		"aliases": {bomb, "the document has more than 200000 nodes: does an alias refer to a value that contains it?"},
		"keys":    {lines(20_000, "k%d: 1\n"), "s.yaml:1:1: has more than 10000 items"},
		"twice":   {lines(5_000, "k%d: 1\n") + lines(5_000, "k%d: 1\n"), "s.yaml:5001:1: key \"k0\" is given twice (first at s.yaml:1:1)"},
		"merged":  {"a: &a {" + lines(30_000, "k%d: 1, ") + "}\n<<: *a\n", "s.yaml:1:4: has more than 10000 items"},
		"items":   {base + "claims:\n" + lines(20_001, "- {id: c%d}\n"), "s.yaml:22:1: has more than 10000 items"},
		"errors":  {base + "claims:\n" + lines(900, "- {id: c%d, nonsense: 1}\n"), "more mistakes"},
	} {
		_, err := parseText(test.text, "")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got\n%.300v\nwant\n%s", name, err, test.want)
		}
		if err != nil && strings.Count(err.Error(), "\n") > maxMistakes {
			t.Errorf("%s: %d lines", name, strings.Count(err.Error(), "\n"))
		}
	}
}
