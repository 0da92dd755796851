package spec

import (
	"strings"
	"testing"
)

func TestFiguresAndTablesOfKernelMethods(t *testing.T) {
	t.Parallel()
	s, err := parseLabelled(labelled + `record: {vectors: true}
figures:
  - {id: epochs, x: seconds, y: error, log: [x], first_epoch: [perceptron]}
  - {id: water, draw: water, series: [sbp]}
  - {id: bias, draw: bias, facet: {rows: dataset}}
  - {id: psi, panels: [{draw: function}]}
  - {id: profile, draw: performance-profile, y: error, targets: [0.1, 0.05], band: none}
tables:
  - {id: data, kind: datasets, columns: [train_rows, nu, thesis], theory: {mnist: {thesis: "2.21e-4"}}}
  - {id: times, kind: time-to-error}
  - id: bounds
    kind: exponents
    columns: [theory, exponent_epsilon, in_r, observations, runs]
    theory: {sbp: {theory: "R^4/eps"}, Not run: {theory: "R"}}
    exponents:
      - {over: epsilon, with: [R, n], of: hinge, cost: iterations, targets: [0.1, 0.05]}
      - {id: in_r, over: R, cost: iterations, targets: [0.1]}
  - {id: plain, columns: [final_error, best_error, support, norm, seconds, kernel_evals]}
`)
	if err != nil {
		t.Fatal(err)
	}
	if f := s.Figures[0]; f.FirstEpoch[0] != "perceptron" {
		t.Errorf("figure %+v", f)
	}
	if e := s.Tables[2].Exponents; len(e) != 2 || e[1].Column() != "in_r" || e[0].Targets[1] != 0.05 || e[0].With[1] != "n" || e[0].Of != "hinge" {
		t.Errorf("exponents %+v", e)
	}
}

func TestBadFiguresAndTables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, output, want string }{
		{"unknown epoch", "figures:\n  - {id: f, first_epoch: [sbpp]}\n", `figures.f.first_epoch[0]: unknown series "sbpp" (did you mean "sbp"?)`},
		{"tuned without a selection", "figures:\n  - {id: f, y: error, panels: [{tuned: grid}]}\n", "figures.f.panels[0]: tuned counts the cost of selection"},
		{"tuned seconds", "figures:\n  - {id: f, y: error, tuned: grid, panels: [{x: seconds}]}\n", "figures.f.panels[0]: tuned needs curves of a metric over a counted cost"},
		{"tuned drawing", "figures:\n  - {id: f, draw: function, tuned: grid}\n", "figures.f: tuned needs curves of a metric over a counted cost"},
		{"targets of curves", "figures:\n  - {id: f, y: error, targets: [0.1]}\n", "figures.f: targets needs draw: runtime-profile or draw: performance-profile"},
		{"profile of seconds", "figures:\n  - {id: f, draw: runtime-profile, x: seconds}\n", "figures.f: draw: runtime-profile needs a counted cost"},
		{"profile of an error", "figures:\n  - {id: f, draw: performance-profile, y: error}\n", "figures.f: draw: performance-profile of error needs targets"},
		{"profile with a scale", "figures:\n  - {id: f, draw: runtime-profile, y: error, targets: [0.1], log: [x]}\n", "figures.f: draw: runtime-profile has fixed scales, dashes and bands"},
		{"target of 0", "figures:\n  - {id: f, draw: runtime-profile, y: error, targets: [0]}\n", "figures.f.targets[0]:"},
		{"tuned profile", "figures:\n  - {id: f, draw: runtime-profile, y: error, targets: [0.1], tuned: grid}\n", "figures.f: tuned counts the cost of selection"},
		{"vectors not recorded", "figures:\n  - {id: f, draw: water}\n", "figures.f: draw: water needs vectors, which are not recorded: set record.vectors"},
		{"water in a panel", "record: {vectors: true}\nfigures:\n  - {id: f, panels: [{draw: bias}]}\n", "figures.f.panels[0].draw: bias has its own panels"},
		{"water with panels", "record: {vectors: true}\nfigures:\n  - {id: f, draw: water, panels: [{y: error}]}\n", "figures.f.panels: draw: water has its own panels"},
		{"water in rows", "record: {vectors: true}\nfigures:\n  - {id: f, draw: water, facet: {rows: dataset}}\n", "figures.f.facet.rows: draw: water has two panels in a column: use cols"},
		{"bias in columns", "record: {vectors: true}\nfigures:\n  - {id: f, draw: bias, facet: {cols: dataset}}\n", "figures.f.facet.cols: draw: bias has two panels in a row: use rows"},

		{"theory of a series", "tables:\n  - {id: t, kind: datasets, columns: [nu], theory: {sbp: {a: b}}}\n", `tables.t.theory.sbp: unknown dataset "sbp"`},
		{"theory of no data set", "tables:\n  - {id: t, kind: datasets, columns: [nu], theory: {a b: {a: b}}}\n", `tables.t.theory.a b: unknown dataset "a b"`},
		{"column of a dataset", "tables:\n  - {id: t, kind: datasets, columns: [runs]}\n", `tables.t.columns[0]: unknown column "runs"`},
		{"columns of times", "tables:\n  - {id: t, kind: time-to-error, columns: [runs]}\n", "tables.t.columns: a table with kind: time-to-error has fixed columns"},
		{"theory of times", "tables:\n  - {id: t, kind: time-to-error, theory: {sbp: {a: b}}}\n", "tables.t.theory: a table with kind: time-to-error has no theory"},
		{"exponents elsewhere", "tables:\n  - {id: t, columns: [runs], exponents: [{over: R, targets: [1]}]}\n", `tables.t.exponents: needs a table with kind: exponents`},
		{"no exponents", "tables:\n  - {id: t, kind: exponents, columns: [runs]}\n", "tables.t: exponents is empty"},
		{"one epsilon", "tables:\n  - {id: t, kind: exponents, columns: [exponent_epsilon], exponents: [{over: epsilon, targets: [1]}]}\n", "tables.t.exponents[0]: a power law in epsilon needs more than one target"},
		{"exponent of what", "tables:\n  - {id: t, kind: exponents, columns: [exponent_R], exponents: [{over: R, of: supprt, targets: [1]}]}\n", `tables.t.exponents[0].of: unknown metric "supprt"`},
		{"several epsilons", "tables:\n  - {id: t, kind: exponents, columns: [exponent_R], exponents: [{over: R, targets: [1, 2]}]}\n", "tables.t.exponents[0]: with several targets epsilon varies: add epsilon to with"},
		{"exponent without a column", "tables:\n  - {id: t, kind: exponents, columns: [runs], exponents: [{over: R, targets: [1]}]}\n", `tables.t.exponents[0]: the column "exponent_R" is not among the columns`},
		{"exponent twice", "tables:\n  - {id: t, kind: exponents, columns: [exponent_R], exponents: [{over: R, targets: [1]}, {over: R, targets: [2]}]}\n", `two exponents have the column "exponent_R"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseLabelled(labelled + test.output)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got\n%v\nwant %q in it", err, test.want)
			}
		})
	}
}
