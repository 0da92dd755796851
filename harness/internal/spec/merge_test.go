package spec

import (
	"reflect"
	"strings"
	"testing"
)

// rich is a specification for profiles and options.
const rich = `version: 1
name: rich
task: pca
repeats: 5
budget: {passes: 2}
record: {points: 50, spacing: linear}
defaults: {step: {c: {pow2: [-2, 2]}}}
datasets:
  - {id: gaussian, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 4}}
  - {id: mnist, source: mnist, prepare: [center, unit-expected-norm], problem: {k: [1, 4]}}
algorithms:
  - {id: msg, step: {schedule: inverse, c: {pow2: [-2, 2]}}}
  - {id: msg, as: msg-list, step: {c: [1, 2]}}
figures:
  - {id: fig, y: rank, panels: [{x: iterations}, {x: sum_kt2}]}
`

func TestProfileMerge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, profile string
		get           func(*Spec) any
		want          any
	}{
		{"scalar", "{repeats: 1}", func(s *Spec) any { return s.Repeats }, 1},
		{"nothing", "", func(s *Spec) any { return s.Repeats }, 5},
		{"mappings merge", "{record: {points: 9}}", func(s *Spec) any { return s.Record }, Record{Points: 9, Spacing: "linear"}},
		{"budget is replaced", "{budget: {iterations: 7}}", func(s *Spec) any { return s.Budget }, Budget{Iterations: 7}},
		{"grid by grid", "{defaults: {step: {c: {pow10: [0, 1]}}}}", func(s *Spec) any { return s.Defaults.Step.C }, Grid{int64(1), int64(10)}},
		{"grid by list", "{algorithms: [{id: msg, step: {c: [3, 5]}}]}", func(s *Spec) any { return s.Algorithms[0].Step }, Step{Grid{"inverse"}, Grid{int64(3), int64(5)}}},
		{"list by grid", "{algorithms: [{id: msg, as: msg-list, step: {c: {pow2: [0, 1]}}}]}", func(s *Spec) any { return s.Algorithms[1].Step.C }, Grid{int64(1), int64(2)}},
		{"items merge deep", "{datasets: [{id: gaussian, with: {gap: 3}}]}", func(s *Spec) any { return s.Datasets[0].With }, map[string]any{"dim": int64(8), "gap": 3.0}},
		{"items by id", "{datasets: [{id: mnist, problem: {k: 2}}]}", func(s *Spec) any { return []Grid{s.Datasets[0].Problem["k"], s.Datasets[1].Problem["k"]} }, []Grid{{int64(4)}, {int64(2)}}},
		{"new item comes last", "{algorithms: [{id: power}]}", func(s *Spec) any { return s.seriesNames() }, []string{"msg", "msg-list", "power"}},
		{"plain list is replaced", "{datasets: [{id: mnist, prepare: [center]}]}", func(s *Spec) any { return s.Datasets[1].Prepare }, []string{"center"}},
		{"list without ids is replaced", "{figures: [{id: fig, panels: [{y: objective}]}]}", func(s *Spec) any { return len(s.Figures[0].Panels) }, 1},
		{"list by empty list", "{figures: []}", func(s *Spec) any { return len(s.Figures) }, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := rich + "profiles:\n  p: " + test.profile + "\n  other: {repeats: 77}\n"
			s := mustParse(t, text, "p")
			if got := test.get(s); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
			// A profile has no effect unless it is selected.
			plain := mustParse(t, text, "")
			if !reflect.DeepEqual(withoutPositions(plain), withoutPositions(mustParse(t, rich, ""))) {
				t.Error("a profile that was not selected changed the specification")
			}
		})
	}
}

func TestProfileErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"unknown", rich + "profiles: {smoke: {}, paper: {}}\n", `s.yaml:16:11: there is no profile "smok" (did you mean "smoke"?)`},
		{"none", rich, `s.yaml:1:1: there is no profile "smok": this specification has no profiles`},
		{"positions survive", rich + "profiles:\n  smok:\n    algorithms:\n      - {id: msg, step: {c: [a]}}\n", `s.yaml:19:29: algorithms.msg.step.c: want a number, got the text "a"`},
		{"twice in a profile", rich + "profiles:\n  smok:\n    algorithms:\n      - {id: power}\n      - {id: power}\n", `s.yaml:20:9: algorithms.power: series "power" is used twice (first at s.yaml:19:9): give one entry another name with "as"`},
		{"not a mapping", rich + "profiles: [smok]\n", "s.yaml:16:11: profiles: want a mapping of names to partial specifications, got a list"},
		{"nested", rich + "profiles: {smok: {profiles: {}}}\n", `s.yaml:16:19: profiles.smok.profiles: a profile cannot change profiles`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseText(test.text, "smok")
			checkMessage(t, err, test.want)
		})
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sets []string
		get  func(*Spec) any
		want any
	}{
		{[]string{"repeats=3", "repeats=4"}, func(s *Spec) any { return s.Repeats }, 4},
		{[]string{"title=a=b"}, func(s *Spec) any { return s.Title }, "a=b"},
		{[]string{"record.points=9"}, func(s *Spec) any { return s.Record }, Record{Points: 9, Spacing: "linear"}},
		{[]string{"record={points: 9}"}, func(s *Spec) any { return s.Record }, Record{Points: 9, Spacing: "log"}},
		{[]string{"budget={iterations: 9}"}, func(s *Spec) any { return s.Budget }, Budget{Iterations: 9}},
		{[]string{"select.by=oracle"}, func(s *Spec) any { return s.Select.Tune }, []string{"step.c"}},
		{[]string{"algorithms.msg.step.c=[1,2]"}, func(s *Spec) any { return s.Algorithms[0].Step.C }, Grid{int64(1), int64(2)}},
		{[]string{"algorithms.msg.step.c.pow2=[0, 1]"}, func(s *Spec) any { return s.Algorithms[0].Step.C }, Grid{int64(1), int64(2)}},
		{[]string{"algorithms.msg.with.start=uniform"}, func(s *Spec) any { return s.Algorithms[0].With }, map[string]Grid{"start": {"uniform"}}},
		{[]string{"figures.fig.panels.1.y=objective"}, func(s *Spec) any { return s.Figures[0].Panels[1].Y }, "objective"},
		{[]string{"algorithms.msg-list={id: power, as: p}"}, func(s *Spec) any { return s.seriesNames() }, []string{"msg", "p"}},
	} {
		s := mustParse(t, rich+"profiles: {p: {repeats: 99}}\n", "p", test.sets...)
		if got := test.get(s); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v: got %#v, want %#v", test.sets, got, test.want)
		}
	}
}

func TestSetErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ set, want string }{
		{"repeats=ten", `--set repeats=ten: repeats: want an integer, got the text "ten"`},
		{"repeats", "--set repeats: want dotted.path=value, such as repeats=3"},
		{"repeats=", "--set repeats=: there is no value after ="},
		{"repeats=#", "--set repeats=#: the document is empty"},
		{"a..b=1", "--set a..b=1: the path has an empty component"},
		{"profiles.x=1", "--set profiles.x=1: profiles cannot be set: set the keys that the profile sets"},
		{"repeat=1", `--set repeat=1: repeat: unknown key (did you mean "repeats"?)`},
		{"algorithm.msg.step.c=1", `--set algorithm.msg.step.c=1: algorithm: unknown key (did you mean "algorithms"?)`},
		{"algorithms.mgs.step.c=1", `--set algorithms.mgs.step.c=1: there is no "mgs" in algorithms (did you mean "msg"?)`},
		{"algorithms.msg.step.d=1", `--set algorithms.msg.step.d=1: algorithms.msg.step.d: unknown key (known: schedule, c)`},
		{"repeats.x=1", "--set repeats.x=1: repeats has no parts: it is the number 5"},
		{"figures.fig.panels.7.y=rank", `--set figures.fig.panels.7.y=rank: there is no "7" in figures.fig.panels`},
	} {
		_, err := parseText(rich, "", test.set)
		checkMessage(t, err, test.want)
	}
	// Mistakes of the file come first, then those of the options in order.
	_, err := parseText(strings.Replace(rich, "name: rich", "name: Rich", 1), "", "repeats=x", "seed=y")
	checkMessage(t, err, `s.yaml:2:7: name: "Rich" does not match ^[a-z0-9][a-z0-9-]*$`+"\n"+
		`--set repeats=x: repeats: want an integer, got the text "x"`+"\n"+
		`--set seed=y: seed: want an integer, got the text "y"`)
}
