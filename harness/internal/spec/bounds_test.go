package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Every integer of a specification says what it may be, so that a new key cannot forget
// to: whether it counts repeats or rows, it is turned into memory or time.
func TestEveryIntegerIsBounded(t *testing.T) {
	t.Parallel()
	seen, checked := make(map[reflect.Type]bool), 0
	var walk func(at string, t reflect.Type)
	walk = func(at string, of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(at, of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] {
			return
		}
		seen[of] = true
		for _, f := range fieldRules(of) {
			field := of.FieldByIndex(f.index).Type
			walk(at+"."+f.name, field)
			for field.Kind() == reflect.Slice || field.Kind() == reflect.Pointer {
				field = field.Elem()
			}
			// Every version but one, and no seed, is refused; a size is bounded by itself.
			if kinds[field.Kind()] != "int" || field == reflect.TypeFor[Size]() || at+"."+f.name == ".version" || at+"."+f.name == ".seed" {
				continue
			}
			checked++
			if f.bound("minimum") == nil || f.bound("maximum") == nil {
				t.Errorf("%s has no minimum or no maximum", strings.TrimPrefix(at+"."+f.name, "."))
			}
		}
	}
	walk("", reflect.TypeFor[Spec]())
	if checked < 10 {
		t.Errorf("only %d integers were looked at", checked)
	}
}

// Numbers of extreme size are refused where they are written, in grids and wherever any
// value may stand.
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

// A specification that is long, deep or full of aliases or mistakes is refused.
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
		"nodes":   {lines(30, "k%d: ["+strings.Repeat("1, ", 9_000)+"]\n"), "the document has more than 200000 nodes: does an alias stand inside what it refers to?"},
		"aliases": {bomb, "the document has more than 200000 nodes: does an alias stand inside what it refers to?"},
		"keys":    {lines(20_000, "k%d: 1\n"), "s.yaml:1:1: holds more than 10000 items"},
		"twice":   {lines(5_000, "k%d: 1\n") + lines(5_000, "k%d: 1\n"), "s.yaml:5001:1: key \"k0\" is given twice (first at s.yaml:1:1)"},
		"merged":  {"a: &a {" + lines(30_000, "k%d: 1, ") + "}\n<<: *a\n", "s.yaml:1:4: holds more than 10000 items"},
		"items":   {base + "claims:\n" + lines(20_001, "- {id: c%d}\n"), "s.yaml:22:1: holds more than 10000 items"},
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

func TestFilesThatAreTooLong(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "long.yaml")
	if err := os.WriteFile(file, make([]byte, maxBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(file, LoadOptions{Catalog: &fakeCatalog})
	if want := file + ":1:1: is longer than 1 MiB, the limit for a specification"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
