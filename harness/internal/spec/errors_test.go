package spec

import (
	"errors"
	"strings"
	"testing"
)

// TestBadInput demands the exact message for each mistake.
func TestBadInput(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, want string }{
		// Keys and types.
		{"unknown key", "repeats: 2", "repeat: 2", `s.yaml:4:1: repeat: unknown key (did you mean "repeats"?)`},
		{"unknown key, no guess", "repeats: 2", "record: {zzzzzz: 2}", `s.yaml:4:10: record.zzzzzz: unknown key (known: points, spacing, spectrum, reference, vectors, alone)`},
		{"unknown key in a list", "prepare:", "prepares:", `s.yaml:10:5: datasets.mnist.prepares: unknown key (did you mean "prepare"?)`},
		{"wrong type", "repeats: 2", "repeats: ten", `s.yaml:4:10: repeats: want an integer, got the text "ten"`},
		{"fraction for integer", "repeats: 2", "repeats: 1.5", `s.yaml:4:10: repeats: want an integer, got the number 1.5`},
		{"huge", "repeats: 2", "repeats: 1e300", `s.yaml:4:10: 1e300 is out of range: a number must be 0, or between 1e-100 and 1e+100 in absolute value`},
		{"leading zero, octal", "iterations: 100", "iterations: 010", `s.yaml:5:22: 010 has a leading zero: write 10, or quote it if it is meant as text`},
		{"leading zero, not octal", "repeats: 2", "repeats: 09", `s.yaml:4:10: 09 has a leading zero: write 9, or quote it if it is meant as text`},
		{"leading zeros in a grid", "{dim: 8}", "{dim: -0_0010}", `s.yaml:7:60: -0_0010 has a leading zero: write -10, or quote it if it is meant as text`},
		{"leading zero in a name", "name: base", "name: 00", `s.yaml:2:7: 00 has a leading zero: write 0, or quote it if it is meant as text`},
		{"leading zero in a profile", "profiles:\n  smoke: {repeats: 1}", "profiles:\n  smoke: {repeats: 01}", `s.yaml:20:20: 01 has a leading zero: write 1, or quote it if it is meant as text`},
		{"leading zero in a key", "repeats: 2", "02: repeats", `s.yaml:4:1: 02 has a leading zero: write 2, or quote it if it is meant as text`},
		{"not finite", "repeats: 2", "repeats: .nan", `s.yaml:4:10: .nan is not a finite number`},
		{"number for text", "name: base", "name: 12", `s.yaml:2:7: name: want text, got the number 12 (quote it if it is meant as text)`},
		{"text for bool", "repeats: 2", "record: {spectrum: yes}", `s.yaml:4:20: record.spectrum: want true or false, got the text "yes"`},
		{"scalar for list", "[center]", "center", `s.yaml:10:14: datasets.mnist.prepare: want a list, got the text "center"`},
		{"list for mapping", "{iterations: 100}", "[100]", `s.yaml:5:9: budget: want a mapping, got a list`},
		{"nothing", "repeats: 2", "repeats:", `s.yaml:4:9: repeats: is empty: give it a value or remove the key`},
		{"duplicate key", "repeats: 2", "repeats: 2\nname: again", `s.yaml:5:1: key "name" is given twice (first at s.yaml:2:1)`},
		{"key is a number", "repeats: 2", "2: repeats", `s.yaml:4:1: a key must be text, got the number 2`},
		{"tag", "repeats: 2", "repeats: !!binary aa==", `s.yaml:4:10: the tag !!binary is not supported: remove it`},
		{"missing key", "name: base\n", "", `s.yaml:1:1: missing key "name"`},
		{"missing task", "task: pca\n", "", `s.yaml:1:1: missing key "task"`},
		{"missing id", "- {id: incremental, ", "- {", `s.yaml:13:5: algorithms[0]: missing key "id"`},
		{"version", "version: 1", "version: 2", `s.yaml:1:10: version: version 2 is not supported: this program reads version 1`},
		{"name of a kept folder", "name: base", "name: gallery", `s.yaml:2:7: name: the project already has a folder results/gallery; choose another name`},
		{"name", "name: base", "name: Base Case", `s.yaml:2:7: name: "Base Case" does not match ^[a-z0-9][a-z0-9-]*$`},
		{"syntax", "repeats: 2", "repeats: [2", `s.yaml:4:1: not valid YAML: look for a missing quote, bracket or colon, wrong indentation, or an alias without its anchor`},
		{"second document", "profiles:\n  smoke: {repeats: 1}\n", "---\nname: b\n", `s.yaml:19:1: a second YAML document: there must be exactly one`},
		{"alias cycle", "repeats: 2", "title: &a [*a]", `s.yaml:4:8: the document has more than 200000 nodes: does an alias stand inside what it refers to?`},
		{"merge key", "repeats: 2", "<<: 2", `s.yaml:4:5: << needs a mapping or a list of mappings, got the number 2`},
		{"two at once", "repeats: 2\nbudget: {iterations: 100}", "repeats: x\nbudget: {iteration: 100}",
			"s.yaml:4:10: repeats: want an integer, got the text \"x\"\n" +
				`s.yaml:5:10: budget.iteration: unknown key (did you mean "iterations"?)`},

		// Numbers.
		{"negative repeats", "repeats: 2", "repeats: -3", `s.yaml:4:10: repeats: must be at least 1, got -3`},
		{"negative seed", "repeats: 2", "seed: -3", `s.yaml:4:7: seed: must be at least 0, got -3`},
		{"no iterations", "iterations: 100", "iterations: 0", `s.yaml:5:22: budget.iterations: must be at least 1, got 0`},
		{"no passes", "iterations: 100", "passes: 0", `s.yaml:5:18: budget.passes: must be more than 0, got 0`},
		{"two budgets", "iterations: 100", "iterations: 100, passes: 1", `s.yaml:5:9: budget: give one of iterations and passes`},
		{"empty budget", "{iterations: 100}", "{}", `s.yaml:5:9: budget: give one of iterations and passes`},
		{"spacing", "repeats: 2", "record: {spacing: linaer}", `s.yaml:4:19: record.spacing: unknown value "linaer" (did you mean "linear"?)`},
		{"mirrors", "repeats: 2", "mirrors: [a, b, a]", `s.yaml:4:17: mirrors[2]: "a" occurs twice`},

		// Datasets.
		{"no datasets", "datasets:\n  - {id: gaussian, source: simulated-gaussian, with: {dim: 8}, problem: {k: 4}}\n", "datasets: []\nalgorithms: []\nzz:\n",
			"s.yaml:6:11: datasets: is empty: give it at least 1 item\n" +
				"s.yaml:7:13: algorithms: is empty: give it at least 1 item\n" +
				`s.yaml:8:1: zz: unknown key (known: version, name, title, mirrors, task, seed, repeats, budget, record, defaults, datasets, algorithms, select, figures, tables, claims, profiles)` + "\n" +
				`s.yaml:13:1: key "algorithms" is given twice (first at s.yaml:7:1)`},
		{"unknown dataset", "source: mnist", "source: mnits", `s.yaml:9:13: datasets.mnist.source: unknown source "mnits" (did you mean "mnist"?)`},
		{"unknown source parameter", "{dim: 8}", "{dims: 8}", `s.yaml:7:55: datasets.gaussian.with.dims: source "simulated-gaussian" has no parameter "dims" (did you mean "dim"?)`},
		{"source parameter type", "{dim: 8}", "{dim: 8.5}", `s.yaml:7:60: datasets.gaussian.with.dim: want an integer, got the number 8.5`},
		{"source parameter range", "{dim: 8}", "{dim: 800}", `s.yaml:7:60: datasets.gaussian.with.dim: must be at most 100, got 800`},
		{"source parameter grid", "{dim: 8}", "{dim: [8, 9]}", `s.yaml:7:60: datasets.gaussian.with.dim: must be one value: write a dataset entry for each value`},
		{"source parameter missing", "source: mnist", "source: rotated", `s.yaml:8:5: datasets.mnist: source "rotated" needs the parameter "angle" in with`},
		{"neither source nor path", "    source: mnist\n", "", `s.yaml:8:5: datasets.mnist: has neither source nor path: give one of them`},
		{"source and path", "source: mnist", "source: mnist\n    path: x.csv", `s.yaml:10:11: datasets.mnist.path: has both source and path: remove one of them`},
		{"path without format", "source: mnist", "path: x.csv", `s.yaml:9:11: datasets.mnist.path: the format of the file is missing: add format: libsvm, csv, idx or npy`},
		{"unknown format", "source: mnist", "path: x.csv\n    format: xls", `s.yaml:10:13: datasets.mnist.format: unknown value "xls" (known: libsvm, csv, idx, npy)`},
		{"format of a source", "source: mnist", "source: mnist\n    format: idx", `s.yaml:10:5: datasets.mnist.format: needs a dataset with path, not source`},
		{"parameter of a format", "source: mnist", "path: x.csv\n    format: csv\n    with: {heder: no}", `s.yaml:11:12: datasets.mnist.with.heder: format "csv" has no parameter "heder" (did you mean "header"?)`},
		{"key of a dataset in with", "source: mnist", "path: x.csv\n    format: csv\n    with: {label: class}",
			`s.yaml:11:12: datasets.mnist.with.label: format "csv" has no parameter "label" (did you mean datasets.label?)`},
		{"key of a dataset in with, misspelt", "source: mnist", "path: x.csv\n    format: csv\n    with: {lable: class}",
			`s.yaml:11:12: datasets.mnist.with.lable: format "csv" has no parameter "lable" (did you mean datasets.label?)`},
		{"key of a dataset in the with of a source", "{dim: 8}", "{dim: 8, prepare: center}",
			`s.yaml:7:63: datasets.gaussian.with.prepare: source "simulated-gaussian" has no parameter "prepare" (did you mean datasets.prepare?)`},
		{"key of a dataset in problem", "problem: {k: 4}", "problem: {k: 4, split: 1}",
			`s.yaml:7:80: datasets.gaussian.problem.split: no algorithm here has a parameter "split" (did you mean datasets.split?)`},
		{"parameter of a problem in with", "with: {dim: 8}, problem: {k: 4}", "with: {dim: 8, k: 4}",
			`s.yaml:7:63: datasets.gaussian.with.k: source "simulated-gaussian" has no parameter "k" (did you mean datasets.problem.k?)`},
		{"parameter of a source in problem", "problem: {k: 4}", "problem: {k: 4, dim: 8}",
			`s.yaml:7:80: datasets.gaussian.problem.dim: no algorithm here has a parameter "dim" (did you mean datasets.with.dim?)`},
		{"parameter of a format in the entry", "source: mnist", "path: x.csv\n    format: csv\n    header: no",
			`s.yaml:11:5: datasets.mnist.header: unknown key (did you mean datasets.with.header?)`},
		{"parameter of a problem in the entry", "problem: {k: 4}", "k: 4",
			`s.yaml:7:64: datasets.gaussian.k: unknown key (did you mean datasets.problem.k?)`},
		{"key too shallow", "repeats: 2", "points: 2", `s.yaml:4:1: points: unknown key (did you mean record.points?)`},
		{"key too shallow in two places", "[center]", "[center]\n    train: 0.5", `s.yaml:11:5: datasets.mnist.train: unknown key (did you mean datasets.split.train or datasets.subset.train?)`},
		{"key of a list too shallow", "repeats: 2", "prepare: [center]", `s.yaml:4:1: prepare: unknown key (did you mean datasets.prepare?)`},
		{"key too deep", "{iterations: 100}", "{iterations: 100, repeats: 2}", `s.yaml:5:27: budget.repeats: unknown key (did you mean repeats?)`},
		{"key of a list too deep", "id: msg", "id: msg\n    select: {by: oracle}", `s.yaml:15:5: algorithms.msg.select: unknown key (did you mean select?)`},
		{"key too deep, in a profile", "smoke: {repeats: 1}", "smoke: {budget: {repeats: 1}}", `s.yaml:20:20: budget.repeats: unknown key (did you mean repeats?)`},
		{"parameter of an algorithm in its entry", "id: msg", "id: msg\n    start: uniform", `s.yaml:15:5: algorithms.msg.start: unknown key (did you mean algorithms.with.start?)`},
		{"step parameter in the entry", "id: msg", "id: capped-msg\n    c: 1", `s.yaml:15:5: algorithms.capped-msg.c: unknown key (did you mean algorithms.step.c?)`},
		{"key of an algorithm in with", "id: msg", "id: msg\n    with: {limit: 1}", `s.yaml:15:12: algorithms.msg.with.limit: algorithm "msg" has no parameter "limit" (did you mean algorithms.limit?)`},
		{"stand-in for a file", "source: mnist", "path: x.csv\n    format: csv\n    stand_in: allow", `s.yaml:11:15: datasets.mnist.stand_in: a file of your own has no stand-in; remove stand_in`},
		{"label", "source: mnist", "path: x.csv\n    format: csv\n    label: 1.5", `s.yaml:11:12: datasets.mnist.label: must be the name or the number of a column, got the number 1.5`},
		{"unknown preparation", "[center]", "[centre]", `s.yaml:10:15: datasets.mnist.prepare[0]: unknown preparation "centre" (did you mean "center"?)`},
		{"split sum", "test: 0.4", "test: 0.5", `s.yaml:11:12: datasets.mnist.split: train + validation + test must sum to 1, got 1.1`},
		{"split range", "test: 0.4", "test: -0.4", `s.yaml:11:48: datasets.mnist.split.test: must be at least 0, got -0.4`},
		{"split without train", "{train: 0.4, validation: 0.2, test: 0.4}", "{validation: 0.6, test: 0.4}", `s.yaml:11:12: datasets.mnist.split: train must be more than 0`},
		{"dataset twice", "id: mnist", "id: gaussian\n    problem: {k: 2}", `s.yaml:8:9: datasets.gaussian.id: dataset id "gaussian" is used twice (first at s.yaml:7:5)`},
		{"problem unknown", "problem: {k: 4}", "problem: {k: 4, kk: 2}", `s.yaml:7:80: datasets.gaussian.problem.kk: no algorithm here has a parameter "kk" (did you mean "k"?)`},
		{"problem of one algorithm", "problem: {k: 4}", "problem: {k: 4, start: uniform}", `s.yaml:7:80: datasets.gaussian.problem.start: algorithm "incremental", which runs here, has no parameter "start"`},
		{"problem range", "problem: {k: 4}", "problem: {k: 0}", `s.yaml:7:77: datasets.gaussian.problem.k: must be at least 1, got 0`},

		// Algorithms.
		{"unknown algorithm", "id: msg", "id: mgs", `s.yaml:14:9: algorithms.mgs.id: unknown algorithm "mgs" (did you mean "msg"?)`},
		{"unknown algorithm, no guess", "id: msg", "id: stochastic", `s.yaml:14:9: algorithms.stochastic.id: unknown algorithm "stochastic" (known: incremental, power, msg, capped-msg)`},
		{"series twice", "{id: incremental,", "{id: msg,", `s.yaml:14:5: algorithms.msg: series "msg" is used twice (first at s.yaml:13:5): give one entry another name with "as"`},
		{"unknown parameter", "id: msg", "id: msg\n    with: {strat: uniform}", `s.yaml:15:12: algorithms.msg.with.strat: algorithm "msg" has no parameter "strat" (did you mean "start"?)`},
		{"parameter choice", "id: msg", "id: msg\n    with: {start: uniforn}", `s.yaml:15:19: algorithms.msg.with.start: unknown value "uniforn" (did you mean "uniform"?)`},
		{"parameter type", "id: msg", "id: msg\n    with: {start: 3}", `s.yaml:15:19: algorithms.msg.with.start: want text, got the number 3`},
		{"step parameter in with", "id: msg", "id: msg\n    with: {c: 3}", `s.yaml:15:12: algorithms.msg.with.c: "c" belongs in step: write step: {c: …}`},
		{"flat step parameter in with", "id: msg", "id: msg\n    with: {step.c: 3}", `s.yaml:15:12: algorithms.msg.with.step.c: "step.c" belongs in step: write step: {c: …}`},
		{"step of a stepless algorithm", "{id: incremental,", "{id: incremental, step: {c: 1},", `s.yaml:13:30: algorithms.incremental.step.c: algorithm "incremental" has no step size parameter "c"`},
		{"step range", "c: [1, 2]", "c: [1, -2]", `s.yaml:15:34: algorithms.msg.step.c: must be at least 0, got -2`},
		{"step type", "c: [1, 2]", "c: [1, two]", `s.yaml:15:34: algorithms.msg.step.c: want a number, got the text "two"`},
		{"unknown schedule", "schedule: inverse", "schedule: inverze", `s.yaml:15:22: algorithms.msg.step.schedule: unknown value "inverze" (did you mean "inverse"?)`},
		{"dataset filter", "c: [1, 2]}\n    datasets: [gaussian]", "c: [1, 2]}\n    datasets: [gausian]", `s.yaml:16:16: algorithms.msg.datasets[0]: unknown dataset "gausian" (did you mean "gaussian"?)`},
		{"both problem and own", "id: msg", "id: msg\n    with: {k: 3}", `s.yaml:15:12: algorithms.msg.with.k: "k" is also set by the problem of dataset "gaussian": remove one of them`},
		{"k given nowhere", "c: [1, 2]}\n    datasets: [gaussian]", "c: [1, 2]}", `s.yaml:14:5: algorithms.msg: parameter "k" is missing: give it here in with, in the problem of dataset "mnist", or in defaults.with`},
		{"cap < k", "id: msg\n    step: {schedule: inverse, c: [1, 2]}", "id: capped-msg\n    with: {cap: [3, 5]}\n    step: {c: [1, 2]}", `s.yaml:14:5: algorithms.capped-msg: cap = 3 must be at least k = 4 (dataset "gaussian")`},
		{"unknown default", "repeats: 2", "defaults: {with: {iterat: last}}", `s.yaml:4:19: defaults.with.iterat: no algorithm here has a parameter "iterat" (did you mean "iterate"?)`},
		{"default type", "repeats: 2", "defaults: {with: {iterate: 3}}", `s.yaml:4:28: defaults.with.iterate: want text, got the number 3`},

		// Grids.
		{"empty grid", "c: [1, 2]", "c: []", `s.yaml:15:34: algorithms.msg.step.c: empty grid: give it at least one value`},
		{"empty power grid", "c: [1, 2]", "c: {pow2: [3, 1]}", `s.yaml:15:34: algorithms.msg.step.c: empty grid: pow2 from 3 to 1`},
		{"unknown grid", "c: [1, 2]", "c: {pow3: [3, 1]}", `s.yaml:15:35: algorithms.msg.step.c.pow3: unknown grid (did you mean "pow2"?)`},
		{"repeated value", "c: [1, 2]", "c: [1, 2, 1.0]", `s.yaml:15:34: algorithms.msg.step.c: value 1 occurs twice`},

		// Selection.
		{"no validation split", "repeats: 2", "select: {by: validation}",
			`s.yaml:4:14: select.by: dataset "gaussian" (s.yaml:7:5) has no validation split to select on`},
		{"unknown selection", "repeats: 2", "select: {by: orakle}", `s.yaml:4:14: select.by: unknown value "orakle" (did you mean "oracle"?)`},
		{"selection metric", "repeats: 2", "select: {by: oracle, metric: subopt}", `s.yaml:4:30: select.metric: unknown metric "subopt" (known: suboptimality, objective, rank, orthonormality)`},
		{"tune without by", "repeats: 2", "select: {tune: [step.c]}", `s.yaml:4:16: select.tune: tune has no effect without by: set by to validation or oracle`},
		{"tune unknown", "repeats: 2", "select: {by: oracle, tune: [step.d]}", `s.yaml:4:29: select.tune[0]: no algorithm here has a parameter "step.d" (did you mean "step.c"?)`},
		{"tune a fixed parameter", "repeats: 2", "select: {by: oracle, tune: [start]}", `s.yaml:4:29: select.tune[0]: parameter "start" cannot be tuned`},

		// Figures and tables.
		{"unknown x", "x: iterations", "x: iteration", `s.yaml:18:18: figures.fig.x: unknown cost "iteration" (did you mean "iterations"?)`},
		{"unknown y", "y: rank", "y: rnak", `s.yaml:18:33: figures.fig.y: unknown metric "rnak" (did you mean "rank"?)`},
		{"spectrum not recorded", "y: rank", "panels: [{y: rank}, {y: spectrum}]", `s.yaml:18:50: figures.fig.panels[1]: y is "spectrum", which is not recorded: set record.spectrum`},
		{"unknown axis", "y: rank", "y: rank, log: [z]", `s.yaml:18:45: figures.fig.log[0]: unknown value "z" (known: x, y)`},
		{"unknown band", "y: rank", "y: rank, band: run", `s.yaml:18:45: figures.fig.band: unknown value "run" (did you mean "runs"?)`},
		{"unknown series", "y: rank", "y: rank, series: [mgs]", `s.yaml:18:48: figures.fig.series[0]: unknown series "mgs" (did you mean "msg"?)`},
		{"unknown facet", "y: rank", "y: rank, facet: {rows: datasets}", `s.yaml:18:53: figures.fig.facet.rows: unknown variable "datasets" (did you mean "dataset"?)`},
		{"unknown short facet", "y: rank", "y: rank, facet: serie", `s.yaml:18:46: figures.fig.facet: unknown variable "serie" (did you mean "series"?)`},
		{"same facet", "y: rank", "y: rank, facet: {rows: k, cols: k}", `s.yaml:18:62: figures.fig.facet.cols: rows and columns both show "k"; choose two variables, or only one of rows and cols`},
		{"unknown where", "y: rank", "y: rank, where: {kk: 1}", `s.yaml:18:47: figures.fig.where.kk: unknown variable "kk" (did you mean "k"?)`},
		{"where dataset", "y: rank", "y: rank, where: {dataset: [gaussian, mnit]}", `s.yaml:18:56: figures.fig.where.dataset: unknown dataset "mnit" (did you mean "mnist"?)`},
		{"where group", "y: rank", "y: rank, where: {group: mnits}", `s.yaml:18:54: figures.fig.where.group: unknown group "mnits" (did you mean "mnist"?)`},
		{"where algorithm", "y: rank", "y: rank, where: {algorithm: power}", `s.yaml:18:58: figures.fig.where.algorithm: unknown algorithm "power" (known: incremental, msg)`},
		{"where value", "y: rank", "y: rank, where: {k: four}", `s.yaml:18:50: figures.fig.where.k: want an integer, got the text "four"`},
		{"figure id", "id: fig,", "id: ../fig,", `s.yaml:18:10: figures.../fig.id: "../fig" does not match ^[a-z0-9][a-z0-9-]*$`},
		{"figure twice", "y: rank}", "y: rank}\n  - {id: fig, y: rank}", `s.yaml:19:10: figures.fig.id: figure id "fig" is used twice (first at s.yaml:18:5)`},
		{"unknown column", "figures:", "tables:\n  - {id: tab, columns: [mean_rang]}\nfigures:", `s.yaml:18:25: tables.tab.columns[0]: unknown column "mean_rang" (did you mean "mean_rank"?)`},
		{"theory series", "figures:", "tables:\n  - {id: tab, columns: [runs], theory: {mgs: {a: b}}}\nfigures:", `s.yaml:18:41: tables.tab.theory.mgs: unknown series "mgs" (did you mean "msg"?)`},

		// Profiles that are not asked for.
		{"profile key", "smoke: {repeats: 1}", "smoke: {repeat: 1}", `s.yaml:20:11: repeat: unknown key (did you mean "repeats"?)`},
		{"profile value", "smoke: {repeats: 1}", "smoke: {repeats: -1}", `s.yaml:20:20: repeats: must be at least 1, got -1`},
		{"profile version", "smoke: {repeats: 1}", "smoke: {version: 1}", `s.yaml:20:11: profiles.smoke.version: a profile cannot change version`},
		{"profile type", "smoke: {repeats: 1}", "smoke: 3", `s.yaml:20:10: profiles.smoke: want a mapping, got the number 3`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseText(with(t, test.old, test.new), "")
			checkMessage(t, err, test.want)
		})
	}
}

func TestBadDocuments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "s.yaml:1:1: there is nothing in it"},
		{"- a", "s.yaml:1:1: a specification is a mapping of keys to values, got a list"},
		{"a", `s.yaml:1:1: a specification is a mapping of keys to values, got the text "a"`},
		{base + "---\n{", `s.yaml:22:1: not valid YAML: look for a missing quote, bracket or colon, wrong indentation, or an alias without its anchor`},
	} {
		_, err := parseText(test.text, "")
		checkMessage(t, err, test.want)
	}
}

func TestTooManyCombinations(t *testing.T) {
	t.Parallel()
	_, err := parseText(base, "", "datasets.gaussian.problem.k={linspace: [1, 9999, 9999]}", "algorithms.msg.step.c={linspace: [0, 1, 9999]}")
	checkMessage(t, err, `s.yaml:14:5: algorithms.msg: the grids make more than 200000 combinations on dataset "gaussian": use fewer values`)
}

func TestTooManyRuns(t *testing.T) {
	t.Parallel()
	const want = `s.yaml:14:5: algorithms.msg: the spec asks for more than 1000000 runs: use fewer repeats or smaller grids`
	for _, sets := range [][]string{{"repeats=500000"}, {"repeats=1000", "algorithms.msg.step.c={linspace: [0, 1, 1001]}"}} {
		_, err := parseText(base, "", sets...)
		checkMessage(t, err, want)
	}
}

// Problem parameters of a dataset that nothing runs on make no combinations, however many
// there would be.
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

// One mistake gives one message: what it leaves open is not reported too.
func TestNothingFollowsFromAMistake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, want string }{
		{"algorithms:", "algorithm:", "s.yaml:12:1"},
		{"algorithms:", "methods:", "s.yaml:12:1"},
		{"id: msg", "id: mgs\n    with: {iterate: last}", "s.yaml:14:9"},
		{"problem: {k: 4}", "problem: {kk: 4}", "s.yaml:7:74"},
		{"budget: {iterations: 100}", "budget: {iterations: .nan}", "s.yaml:5:22"},
		{"name: base", "name: !!binary YWJj", "s.yaml:2:7"},
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

// A guess is close to what was written.
func TestHint(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		written string
		names   []string
		want    string
	}{
		{"legend", []string{"seed"}, ""}, {"mgs", []string{"sgd", "msg"}, "msg"}, {"pasess", []string{"passes"}, "passes"},
		{"kernal", []string{"kernel"}, "kernel"}, {"x", []string{"y"}, ""}, {"smoke", []string{"spoke"}, "spoke"},
	} {
		if got := closeTo(test.written, test.names); got != test.want {
			t.Errorf("%q: %q, want %q", test.written, got, test.want)
		}
	}
}
