package spec

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// errorsFile holds the message for each mistake.
const errorsFile = "testdata/errors.golden"

// TestBadInput checks the position of each mistake and compares its message with errorsFile.
func TestBadInput(t *testing.T) {
	tests := []struct{ name, old, new, at string }{
		// Keys and types.
		{"unknown key", "repeats: 2", "repeat: 2", "4:1"},
		{"wrong type", "repeats: 2", "repeats: ten", "4:10"},
		{"fraction for integer", "repeats: 2", "repeats: 1.5", "4:10"},
		{"leading zero, octal", "iterations: 100", "iterations: 010", "5:22"},
		{"leading zeros in a grid", "{dim: 8}", "{dim: -0_0010}", "7:60"},
		{"leading zero in a key", "repeats: 2", "02: repeats", "4:1"},
		{"not finite", "repeats: 2", "repeats: .nan", "4:10"},
		{"number for text", "name: base", "name: 12", "2:7"},
		{"text for bool", "repeats: 2", "record: {spectrum: yes}", "4:20"},
		{"scalar for list", "[center]", "center", "10:14"},
		{"list for mapping", "{iterations: 100}", "[100]", "5:9"},
		{"nothing", "repeats: 2", "repeats:", "4:9"},
		{"duplicate key", "repeats: 2", "repeats: 2\nname: again", "5:1"},
		{"key is a number", "repeats: 2", "2: repeats", "4:1"},
		{"tag", "repeats: 2", "repeats: !!binary aa==", "4:10"},
		{"missing key", "name: base\n", "", "1:1"},
		{"missing id", "- {id: incremental, ", "- {", "13:5"},
		{"version", "version: 1", "version: 2", "1:10"},
		{"reserved name", "name: base", "name: gallery", "2:7"},
		{"syntax", "repeats: 2", "repeats: [2", "4:1"},
		{"second document", "profiles:\n  smoke: {repeats: 1}\n", "---\nname: b\n", "19:1"},
		{"alias cycle", "repeats: 2", "title: &a [*a]", "4:8"},
		{"merge key", "repeats: 2", "<<: 2", "4:5"},
		{"two at once", "repeats: 2\nbudget: {iterations: 100}", "repeats: x\nbudget: {iteration: 100}", "4:10 5:10"},

		// Numbers.
		{"negative repeats", "repeats: 2", "repeats: -3", "4:10"},
		{"no iterations", "iterations: 100", "iterations: 0", "5:22"},
		{"two budgets", "iterations: 100", "iterations: 100, passes: 1", "5:9"},
		{"empty budget", "{iterations: 100}", "{}", "5:9"},
		{"spacing", "repeats: 2", "record: {spacing: linaer}", "4:19"},
		{"mirrors", "repeats: 2", "mirrors: [a, b, a]", "4:17"},

		// Datasets.
		{"no datasets", "datasets:\n  - {id: gaussian, source: simulated-gaussian, with: {dim: 8}, problem: {k: 4}}\n", "datasets: []\nalgorithms: []\nzz:\n", "6:11 7:13 8:1 13:1"},
		{"unknown dataset", "source: mnist", "source: mnits", "9:13"},
		{"unknown source parameter", "{dim: 8}", "{dims: 8}", "7:55"},
		{"source parameter type", "{dim: 8}", "{dim: 8.5}", "7:60"},
		{"source parameter range", "{dim: 8}", "{dim: 800}", "7:60"},
		{"source parameter grid", "{dim: 8}", "{dim: [8, 9]}", "7:60"},
		{"source parameter missing", "source: mnist", "source: rotated", "8:5"},
		{"neither source nor path", "    source: mnist\n", "", "8:5"},
		{"source and path", "source: mnist", "source: mnist\n    path: x.csv", "10:11"},
		{"path without format", "source: mnist", "path: x.csv", "9:11"},
		{"format of a source", "source: mnist", "source: mnist\n    format: idx", "10:5"},
		{"parameter of a format", "source: mnist", "path: x.csv\n    format: csv\n    with: {heder: no}", "11:12"},
		{"key too shallow", "repeats: 2", "points: 2", "4:1"},
		{"key too shallow in two places", "[center]", "[center]\n    train: 0.5", "11:5"},
		{"key too deep", "{iterations: 100}", "{iterations: 100, repeats: 2}", "5:27"},
		{"key too deep, in a profile", "smoke: {repeats: 1}", "smoke: {budget: {repeats: 1}}", "20:20"},
		{"parameter of an algorithm in its entry", "id: msg", "id: msg\n    start: uniform", "15:5"},
		{"step parameter in the entry", "id: msg", "id: capped-msg\n    c: 1", "15:5"},
		{"stand-in for a file", "source: mnist", "path: x.csv\n    format: csv\n    stand_in: allow", "11:15"},
		{"label", "source: mnist", "path: x.csv\n    format: csv\n    label: 1.5", "11:12"},
		{"unknown preparation", "[center]", "[centre]", "10:15"},
		{"split sum", "test: 0.4", "test: 0.5", "11:12"},
		{"split without train", "{train: 0.4, validation: 0.2, test: 0.4}", "{validation: 0.6, test: 0.4}", "11:12"},
		{"dataset twice", "id: mnist", "id: gaussian\n    problem: {k: 2}", "8:9"},
		{"problem unknown", "problem: {k: 4}", "problem: {k: 4, kk: 2}", "7:80"},
		{"problem of one algorithm", "problem: {k: 4}", "problem: {k: 4, start: uniform}", "7:80"},

		// Algorithms.
		{"unknown algorithm, no guess", "id: msg", "id: stochastic", "14:9"},
		{"series twice", "{id: incremental,", "{id: msg,", "14:5"},
		{"unknown parameter", "id: msg", "id: msg\n    with: {strat: uniform}", "15:12"},
		{"parameter choice", "id: msg", "id: msg\n    with: {start: uniforn}", "15:19"},
		{"step parameter in with", "id: msg", "id: msg\n    with: {c: 3}", "15:12"},
		{"flat step parameter in with", "id: msg", "id: msg\n    with: {step.c: 3}", "15:12"},
		{"step of a stepless algorithm", "{id: incremental,", "{id: incremental, step: {c: 1},", "13:30"},
		{"step range", "c: [1, 2]", "c: [1, -2]", "15:34"},
		{"dataset filter", "c: [1, 2]}\n    datasets: [gaussian]", "c: [1, 2]}\n    datasets: [gausian]", "16:16"},
		{"both problem and own", "id: msg", "id: msg\n    with: {k: 3}", "15:12"},
		{"k given nowhere", "c: [1, 2]}\n    datasets: [gaussian]", "c: [1, 2]}", "14:5"},
		{"cap < k", "id: msg\n    step: {schedule: inverse, c: [1, 2]}", "id: capped-msg\n    with: {cap: [3, 5]}\n    step: {c: [1, 2]}", "14:5"},
		{"unknown default", "repeats: 2", "defaults: {with: {iterat: last}}", "4:19"},

		// Grids.
		{"unknown grid", "c: [1, 2]", "c: {pow3: [3, 1]}", "15:35"},

		// Selection.
		{"no validation split", "repeats: 2", "select: {by: validation}", "4:14"},
		{"selection metric", "repeats: 2", "select: {by: oracle, metric: subopt}", "4:30"},
		{"tune without by", "repeats: 2", "select: {tune: [step.c]}", "4:16"},
		{"tune unknown", "repeats: 2", "select: {by: oracle, tune: [step.d]}", "4:29"},
		{"tune a fixed parameter", "repeats: 2", "select: {by: oracle, tune: [start]}", "4:29"},

		// Figures and tables.
		{"unknown y", "y: rank", "y: rnak", "18:33"},
		{"spectrum not recorded", "y: rank", "panels: [{y: rank}, {y: spectrum}]", "18:50"},
		{"unknown axis", "y: rank", "y: rank, log: [z]", "18:45"},
		{"unknown series", "y: rank", "y: rank, series: [mgs]", "18:48"},
		{"unknown facet", "y: rank", "y: rank, facet: {rows: datasets}", "18:53"},
		{"unknown short facet", "y: rank", "y: rank, facet: serie", "18:46"},
		{"same facet", "y: rank", "y: rank, facet: {rows: k, cols: k}", "18:62"},
		{"unknown where", "y: rank", "y: rank, where: {kk: 1}", "18:47"},
		{"where dataset", "y: rank", "y: rank, where: {dataset: [gaussian, mnit]}", "18:56"},
		{"where group", "y: rank", "y: rank, where: {group: mnits}", "18:54"},
		{"where algorithm", "y: rank", "y: rank, where: {algorithm: power}", "18:58"},
		{"where value", "y: rank", "y: rank, where: {k: four}", "18:50"},
		{"figure twice", "y: rank}", "y: rank}\n  - {id: fig, y: rank}", "19:10"},
		{"unknown column", "figures:", "tables:\n  - {id: tab, columns: [mean_rang]}\nfigures:", "18:25"},
		{"theory series", "figures:", "tables:\n  - {id: tab, columns: [runs], theory: {mgs: {a: b}}}\nfigures:", "18:41"},

		// Profiles that are not selected.
		{"profile key", "smoke: {repeats: 1}", "smoke: {repeat: 1}", "20:11"},
		{"profile value", "smoke: {repeats: 1}", "smoke: {repeats: -1}", "20:20"},
		{"profile version", "smoke: {repeats: 1}", "smoke: {version: 1}", "20:11"},
		{"profile type", "smoke: {repeats: 1}", "smoke: 3", "20:10"},
	}
	var messages strings.Builder
	for _, test := range tests {
		_, err := parseText(with(t, test.old, test.new), "")
		var list Errors
		var at []string
		if errors.As(err, &list) {
			for _, e := range list {
				at = append(at, strings.TrimPrefix(e.Pos.String(), "s.yaml:"))
			}
		}
		if got := strings.Join(at, " "); got != test.at {
			t.Errorf("%s: mistakes at %s, want %s:\n%v", test.name, got, test.at, err)
		}
		fmt.Fprintf(&messages, "%s\n%v\n\n", test.name, err)
	}
	if *update {
		if err := os.WriteFile(errorsFile, []byte(messages.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(errorsFile)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(string(want), "\n\n")
	for i, section := range strings.Split(messages.String(), "\n\n") {
		if i >= len(before) || section != before[i] {
			t.Fatalf("%s lacks\n%s\nif this is intended, run go test -update", errorsFile, section)
		}
	}
	if len(want) != messages.Len() {
		t.Errorf("%s has too many sections", errorsFile)
	}
}

func TestBadDocuments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "s.yaml:1:1: the document is empty"},
		{"- a", "s.yaml:1:1: want a mapping of keys to values, got a list"},
		{base + "---\n{", `s.yaml:22:1: not valid YAML: look for a missing quote, bracket or colon, wrong indentation, or an alias without its anchor`},
	} {
		_, err := parseText(test.text, "")
		checkMessage(t, err, test.want)
	}
}

func TestTooManyRuns(t *testing.T) {
	t.Parallel()
	const combinations = `s.yaml:14:5: algorithms.msg: the grids have more than 200000 combinations on dataset "gaussian": use fewer values`
	const runs = `s.yaml:14:5: algorithms.msg: the spec has more than 1000000 runs: use fewer repeats or smaller grids`
	for _, test := range []struct{ problem, step, repeats, want string }{
		{"problem={k: {linspace: [1, 447, 447]}}", "c={linspace: [0, 1, 447]}", "repeats=2", combinations},
		{"problem={k: 4}", "c=[1, 2]", "repeats=500000", runs},
		{"problem={k: 4}", "c={linspace: [0, 1, 1001]}", "repeats=1000", runs},
	} {
		_, err := parseText(base, "", "datasets.gaussian."+test.problem, "algorithms.msg.step."+test.step, test.repeats)
		checkMessage(t, err, test.want)
	}
}

// Problem parameters of a dataset without algorithms make no combinations.
func TestGridsOfNoAlgorithm(t *testing.T) {
	t.Parallel()
	const grid = "{linspace: [1, 9999, 9999]}"
	s := mustParse(t, base, "", "datasets.gaussian.problem={k: "+grid+", step.c: "+grid+"}",
		"algorithms.incremental.datasets=[mnist]", "algorithms.incremental.with={k: 1}",
		"algorithms.msg.datasets=[mnist]", "algorithms.msg.with={k: 1}", "algorithms.msg.step={c: [1, 2]}")
	n := 0
	for range s.Expand() {
		n++
	}
	if n != 3 {
		t.Errorf("%d combinations, want 3", n)
	}
}

// A mistake causes no other messages.
func TestOneMessagePerMistake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, want string }{
		{"algorithms:", "algorithm:", "s.yaml:12:1"},
		{"id: msg", "id: mgs\n    with: {iterate: last}", "s.yaml:14:9"},
		{"problem: {k: 4}", "problem: {kk: 4}", "s.yaml:7:74"},
		{"budget: {iterations: 100}", "budget: {iterations: .nan}", "s.yaml:5:22"},
		{"task: pca", "task: pac", "s.yaml:3:7"},
		{"smoke: {repeats: 1}", "smoke: !!binary YWJj", "s.yaml:20:10"},
	} {
		text := strings.Replace(with(t, test.old, test.new), "y: rank}", "y: rank, series: [msg], facet: {cols: iterate}}", 1)
		_, err := parseText(text, "")
		var list Errors
		if !errors.As(err, &list) || len(list) != 1 || list[0].Pos.String() != test.want {
			t.Errorf("%s: got\n%v\nwant one mistake at %s", test.new, err, test.want)
		}
	}
}
