package spec

import (
	"slices"
	"strings"
	"testing"

	"stochopt/results/record"
)

// What is printed is a --set that gives the values of the grid and more beyond the ends.
func TestWidenedGrids(t *testing.T) {
	t.Parallel()
	const own, defaults = "algorithms.msg.step.c", "defaults.step.c"
	for _, test := range []struct {
		grid      string
		low, high bool
		want      string
	}{
		{"{pow2: [-12, 5]}", true, false, "{pow2: [-15, 5]}"},
		{"{pow2: [-12, 5]}", false, true, "{pow2: [-12, 8]}"},
		{"{pow2: [-12, 6, 2]}", true, true, "{pow4: [-9, 6]}"}, // the same values
		{"{pow2: [-12, 6, 3]}", true, false, "{pow2: [-21, 6, 3]}"},
		{"{pow4: [-2, 2]}", true, true, "{pow4: [-5, 5]}"},
		{"{pow10: [-3, 1]}", true, false, "{pow10: [-6, 1]}"},
		{"{linspace: [0.5, 3, 6]}", false, true, "{linspace: [0.5, 4.5, 9]}"},
		{"{linspace: [0.5, 3, 6]}", true, true, "{linspace: [0, 4.5, 10]}"},                            // not below 0
		{"{linspace: [0.1, 0.7, 7]}", false, true, "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]"}, // other bits
		{"{linspace: [0, 3, 4]}", true, false, ""},
		{"[1, 2]", false, true, "{pow2: [0, 4]}"},
		{"[0.1, 0.3, 1, 3]", true, true, "[0.0037, 0.0111, 0.0333, 0.1, 0.3, 1, 3, 9, 27, 81]"},
		{"[3, 0.1]", true, false, "[3.7e-06, 0.000111, 0.00333, 0.1, 3]"},
	} {
		for path, text := range map[string]string{
			own:      with(t, "c: [1, 2]", "c: "+test.grid),
			defaults: with(t, ", c: [1, 2]}", "}") + "defaults: {step: {c: " + test.grid + "}}\n",
		} {
			s := mustParse(t, text, "")
			_, narrow := s.gridOf(&s.Algorithms[1], "step.c")
			xs := numbersOf(narrow)
			var ends []End
			if test.low {
				ends = append(ends, End{"gaussian", "msg", "step.c", xs[0]})
			}
			if test.high {
				ends = append(ends, End{"gaussian", "msg", "step.c", xs[len(xs)-1]})
			}
			var want []string
			if test.want != "" {
				want = []string{"--set '" + path + "=" + test.want + "'"}
			}
			got := s.Widened(ends)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", test.grid, got, want)
				continue
			}
			if len(got) == 0 {
				continue
			}
			set := strings.TrimSuffix(strings.TrimPrefix(got[0], "--set '"), "'")
			wide := mustParse(t, text, "", set)
			_, g := wide.gridOf(&wide.Algorithms[1], "step.c")
			have := numbersOf(g)
			for _, x := range xs {
				if !slices.Contains(have, x) {
					t.Errorf("%s lacks %s of %s", set, record.FormatParam(x), test.grid)
				}
			}
			if test.low && have[0] >= xs[0] || test.high && have[len(have)-1] <= xs[len(xs)-1] {
				t.Errorf("%s is not beyond %s", set, test.grid)
			}
		}
	}
}

// An entry that shares its name with one on other data is set by its number, and what is
// not at an end of the specification's grid is left alone.
func TestWhichGridIsWidened(t *testing.T) {
	t.Parallel()
	text := strings.Replace(base, "    datasets: [gaussian]\n", "    datasets: [gaussian]\n  - {id: msg, with: {k: 2}, step: {c: [1, 2, 4]}, datasets: [mnist]}\n", 1)
	s := mustParse(t, text, "")
	got := s.Widened([]End{
		{"mnist", "msg", "step.c", 4.0}, {"gaussian", "msg", "step.c", int64(1)}, {"mnist", "msg", "step.c", int64(4)},
	})
	want := []string{"--set 'algorithms.2.step.c={pow2: [0, 5]}'", "--set 'algorithms.msg.step.c={pow2: [-3, 1]}'"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	wide := mustParse(t, text, "", "algorithms.2.step.c={pow2: [0, 5]}")
	if n := len(wide.Algorithms[2].Step.C); n != 6 {
		t.Errorf("the grid has %d values, want 6", n)
	}
	for _, e := range []End{
		{"mnist", "msg", "step.c", 2.0}, {"mnist", "msg", "iterate", "last"}, {"mnist", "power", "step.c", 4.0},
		{"gaussian", "incremental", "step.c", 4.0},
	} {
		if got := s.Widened([]End{e}); got != nil {
			t.Errorf("%+v: %q", e, got)
		}
	}
}
