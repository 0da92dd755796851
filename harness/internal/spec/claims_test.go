package spec

import (
	"reflect"
	"strings"
	"testing"
)

// claiming is a specification with a figure and a table of exponents. Its claims begin on line 18.
const claiming = `version: 1
name: base
task: svm
budget: {passes: 10}
datasets:
  - {id: mnist, source: mnist, positive: 0, problem: {C: [1, 2]}}
  - {id: own, path: a.svm, test: b.svm, format: libsvm, problem: {C: 1}}
algorithms:
  - {id: sbp}
  - {id: perceptron, datasets: [mnist]}
  - {id: sbp, as: late, with: {bias: true}, datasets: [own]}
figures:
  - {id: fig, x: kernel_evals, y: error}
tables:
  - {id: laws, kind: exponents, columns: [in_c, runs], exponents: [{id: in_c, over: C, targets: [0.1]}]}
  - {id: plain, columns: [runs]}
claims:
`

func TestClaimsOfEveryKind(t *testing.T) {
	t.Parallel()
	text := claiming + `
  - id: order
    source: section 1
    says: The SBP is ahead.
    shown: fig
    from: paper
    data: real
    datasets: [mnist]
    where: {C: [1, 2]}
    holds: most
    check: {order: {series: sbp, below: [perceptron], metric: error, split: test, cost: kernel_evals, from: 0.1, to: 0.5, over: end, ratio: 0.9}}
  - {id: reaches, source: s, says: t, check: {reaches: {series: sbp, value: {fact: reference_error, times: 2, plus: 0.5}, within: {of: {series: late, read: cost-to, target: {is: 0}}}}}}
  - {id: stays, source: s, says: t, check: {stays: {series: sbp, after: 10, until: 20, above: 0.25}}}
  - {id: ratio, source: s, says: t, check: {ratio: {of: {series: sbp, read: cost, cost: cpu_seconds}, to: {series: late, passes: [0, 1]}, between: [null, 1.5]}}}
  - {id: level, source: s, says: t, check: {level: {series: sbp, metric: hinge, read: mean, per: u_norm, between: [0.5, null]}}}
  - {id: exponent, source: s, says: t, shown: laws, check: {exponent: {series: sbp, table: laws, column: in_c, between: [1, 2]}}}
`
	s, err := parseLabelled(text)
	if err != nil {
		t.Fatal(err)
	}
	c := s.Claims
	if len(c) != 6 {
		t.Fatalf("%d claims", len(c))
	}
	if o := c[0].Check.Order; o.Series != "sbp" || o.Below[0] != "perceptron" || o.Metric != "error" || o.Cost != "kernel_evals" || o.From != 0.1 || o.To != 0.5 || o.Ratio != 0.9 {
		t.Errorf("order %+v", o)
	}
	if !reflect.DeepEqual(c[0].Where, map[string]any{"C": []any{int64(1), int64(2)}}) {
		t.Errorf("where %#v", c[0].Where)
	}
	if r := c[1].Check.Reaches; r.Value.Fact != "reference_error" || r.Value.Times != 2 || r.Value.Plus != 0.5 || r.Within.Of.Series != "late" || r.Within.Of.Read != "cost-to" || *r.Within.Of.Target.Is != 0 {
		t.Errorf("reaches %+v", r)
	}
	if s := c[2].Check.Stays; *s.Above.Is != 0.25 {
		t.Errorf("stays %+v", s)
	}
	if r := c[3].Check.Ratio; r.Between[0] != nil || *r.Between[1] != 1.5 || r.Of.Cost != "cpu_seconds" || r.To.Passes[1] != 1 {
		t.Errorf("ratio %+v", r)
	}
	if l := c[4].Check.Level; *l.Between[0] != 0.5 || l.Between[1] != nil || l.Metric != "hinge" || l.Read != "mean" || l.Per != "u_norm" {
		t.Errorf("level %+v", l)
	}
	roundTrip(t, s, parseLabelled)
}

func TestBadClaims(t *testing.T) {
	t.Parallel()
	const order = "check: {order: {series: sbp, below: [perceptron]}}"
	for _, test := range []struct{ name, claim, want string }{
		{"unknown key", "says: t, chek: {}, " + order, `s.yaml:18:33: claims.c.chek: unknown key (did you mean "check"?)`},
		{"says nothing", order, `s.yaml:18:5: claims.c: missing key "says"`},
		{"from", "says: t, from: quik, " + order, `claims.c.from: unknown value "quik" (did you mean "quick"?)`},
		{"dataset", "says: t, datasets: [mnst], " + order, `s.yaml:18:44: claims.c.datasets[0]: unknown dataset "mnst" (did you mean "mnist"?)`},
		{"shown", "says: t, shown: figg, " + order, `claims.c.shown: unknown figure or table "figg" (did you mean "fig"?)`},
		{"where", "says: t, where: {c: 1}, " + order, `s.yaml:18:41: claims.c.where.c: unknown variable "c" (did you mean "C"?)`},
		{"where value", "says: t, where: {C: -1}, " + order, `claims.c.where.C: must be more than 0, got -1`},
		{"where of the series", "says: t, where: {series: sbp}, " + order, `s.yaml:18:41: claims.c.where.series: no series of the claim (sbp, perceptron) has the parameter "series", so this has no effect: remove it, or list datasets in datasets`},
		{"least", "says: t, check: {order: {series: sbp, below: [perceptron], ratio: 1, least: 2}}", `s.yaml:18:100: claims.c.check.order.least: no ratio is at least 2 and below 1: make ratio larger than least, or leave it out for no upper limit`},
		{"bound of another task", "says: t, check: {bound: {name: msg-rate, series: sbp}}", `s.yaml:18:55: claims.c.check.bound.name: the bound msg-rate applies to the task pca, but series sbp is sbp in the task svm: name another bound or series`},
		{"bound of another algorithm", "says: t, check: {bound: {name: sbp-average, series: perceptron}}", `claims.c.check.bound.name: the bound sbp-average applies to sbp, but series perceptron is perceptron in the task svm`},
		{"bound misspelt", "says: t, check: {bound: {name: sbp-averge, series: sbp}}", `claims.c.check.bound.name: unknown bound "sbp-averge" (did you mean "sbp-average"?)`},
		{"between order", "says: t, check: {level: {series: sbp, between: [2, 1]}}", `s.yaml:18:71: claims.c.check.level.between: the lower bound 2 is above the upper bound 1`},
		{"between nothing", "says: t, check: {level: {series: sbp, between: [null, null]}}", `s.yaml:18:71: claims.c.check.level.between: both bounds are null, so there is nothing to check: give at least one`},
		{"cost-to without target", "says: t, check: {level: {series: sbp, read: cost-to, between: [1, 2]}}", `s.yaml:18:68: claims.c.check.level.read: read: cost-to needs a target`},
		{"order range", "says: t, check: {order: {series: sbp, below: [perceptron], from: 0.5, to: 0.2}}", `s.yaml:18:98: claims.c.check.order.to: the range is empty: it goes from 0.5 to 0.2`},
		{"below itself", "says: t, check: {order: {series: sbp, below: [perceptron, sbp]}}", `s.yaml:18:82: claims.c.check.order.below[1]: sbp cannot be below itself`},
		{"two predicates", "says: t, check: {stays: {series: sbp, above: 1}, level: {series: sbp, between: [0, 1]}}", `s.yaml:18:40: claims.c.check: the check has stays and level, but a claim has only one: write a claim for each`},
		{"where series", "says: t, where: {series: sgb}, " + order, `claims.c.where.series: unknown series "sgb" (known: sbp, perceptron, late)`},

		{"series", "says: t, check: {order: {series: sgb, below: [perceptron]}}", `s.yaml:18:57: claims.c.check.order.series: unknown series "sgb" (known: sbp, perceptron, late)`},
		{"split", "says: t, check: {level: {series: sbp, split: tset, between: [0, 1]}}", `claims.c.check.level.split: unknown value "tset" (did you mean "test"?)`},
		{"cost", "says: t, check: {level: {series: sbp, cost: sum_kt2, between: [0, 1]}}", `claims.c.check.level.cost: unknown cost "sum_kt2" (known: iterations, kernel_evals, cpu_seconds, support)`},
		{"fact", "says: t, check: {reaches: {series: sbp, value: {fact: refrence_error}}}", `claims.c.check.reaches.value.fact: unknown fact or parameter "refrence_error" (did you mean "reference_error"?)`},
		{"target", "says: t, check: {ratio: {of: {series: sbp, read: cost-to, target: {of: {series: sbp, metric: erorr}}}, to: {series: sbp}, between: [0, 1]}}", `claims.c.check.ratio.of.target.of.metric: unknown metric "erorr" (did you mean "error"?)`},
		{"between one", "says: t, check: {level: {series: sbp, between: [0]}}", `claims.c.check.level.between: want 2 items, got 1`},
		{"between text", "says: t, check: {level: {series: sbp, between: [0, much]}}", `claims.c.check.level.between[1]: want a number, got the text "much"`},
		{"table", "says: t, check: {exponent: {series: sbp, table: plain, column: in_c, between: [0, 1]}}", `claims.c.check.exponent.table: unknown table of exponents "plain" (known: laws)`},
		{"column", "says: t, check: {exponent: {series: sbp, table: laws, column: in_C2, between: [0, 1]}}", `claims.c.check.exponent.column: unknown exponent of the table laws "in_C2" (did you mean "in_c"?)`},
		{"no number", "says: t, check: {reaches: {series: sbp, value: much}}", `claims.c.check.reaches.value: want a mapping, got the text "much"`},
		{"no predicate", "says: t, check: {}", "s.yaml:18:40: claims.c.check: the check is empty"},
		{"no bound", "says: t, check: {stays: {series: sbp}}", `s.yaml:18:48: claims.c.check.stays: missing key "above"`},
		{"no value", "says: t, check: {reaches: {series: sbp, value: {}}}", "s.yaml:18:71: claims.c.check.reaches.value: give one of is, of and fact, not 0"},
		{"id", "id: C, says: t, " + order, `key "id" is given twice`},
	} {
		t.Run(test.name, func(t *testing.T) {
			claim := "  - {id: c, source: s, " + test.claim + "}\n"
			_, err := parseLabelled(claiming + claim)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got\n%v\nwant %q in it", err, test.want)
			} else if n := strings.Count(err.Error(), "\n"); n > 0 {
				t.Errorf("%d mistakes more than one:\n%v", n, err)
			}
		})
	}
	twice := "  - {id: c, source: s, says: t, " + order + "}\n"
	_, err := parseLabelled(claiming + twice + twice)
	checkMessage(t, err, `s.yaml:19:10: claims.c.id: claim id "c" is used twice (first at s.yaml:18:5)`)
	_, err = parseLabelled(claiming + "  - {id: Upper, source: s, says: t, " + order + "}\n")
	checkMessage(t, err, `s.yaml:18:10: claims.Upper.id: "Upper" does not match ^[a-z0-9][a-z0-9-]*$`)
}

func TestClaimsMergeByID(t *testing.T) {
	t.Parallel()
	text := claiming + `  - {id: a, source: s, says: t, check: {level: {series: sbp, between: [0, 1]}}}
  - {id: b, source: s, says: t, check: {level: {series: sbp, between: [0, 1]}}}
profiles:
  less:
    claims:
      - {id: b, from: smoke, check: {level: {between: [0, 2]}}}
  other:
    claims:
      - {id: a, check: {stays: {series: sbp, above: {is: 1}}}}
      - {id: c, source: s, says: u, check: {level: {series: late, between: [0, 1]}}}
  bad:
    claims:
      - {id: c, says: u}
`
	load := func(profile string, sets ...string) (*Spec, error) {
		return parseSpec(text, LoadOptions{Catalog: &labelCatalog, Profile: profile, Sets: sets})
	}
	s, err := load("less", "claims.a.holds=any", "claims.a.check.level.series=late")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := s.Claims[0], s.Claims[1]; a.Holds != "any" || a.Check.Level.Series != "late" || b.From != "smoke" || b.Says != "t" || b.Check.Level.Series != "sbp" || *b.Check.Level.Between[1] != 2 {
		t.Errorf("claims %+v %+v", a.Check.Level, b.Check.Level)
	}
	if s, err = load("other"); err != nil {
		t.Fatal(err)
	}
	if len(s.Claims) != 3 || s.Claims[0].Check.Level != nil || s.Claims[0].Check.Stays == nil || s.Claims[2].ID != "c" {
		t.Errorf("claims %+v", s.Claims)
	}
	_, err = load("bad")
	checkMessage(t, err, "s.yaml:30:9: claims.c: missing key \"check\"")
	_, err = load("", "claims.a.check.level.series=sgb")
	checkMessage(t, err, `--set claims.a.check.level.series=sgb: claims.a.check.level.series: unknown series "sgb" (known: sbp, perceptron, late)`)
}

func TestSchemaOfClaims(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t)
	claim := func(fields string) string { return claiming + "  - {id: c, source: s, says: t, " + fields + "}\n" }
	level := claim("where: {C: [1, 2]}, check: {level: {series: sbp, between: [null, 1]}}")
	for _, good := range []string{
		level,
		level + "profiles: {p: {claims: [{id: c, check: {level: {between: [0, 1]}}}]}}\n",
		level + "profiles: {p: {claims: [{id: c, from: smoke}]}}\n",
	} {
		conforms(t, []byte(good))
	}
	for _, bad := range []string{
		claim("check: {}"),
		claim("check: {level: {series: sbp, between: [0, 1]}, bound: {name: n, series: sbp}}"),
		claim("check: {level: {series: sbp, between: [0]}}"),
		claim("check: {level: {series: sbp, between: [0, 1, 2]}}"),
		claim("check: {level: {series: sbp, between: [0, a]}}"),
		claim("check: {level: {between: [0, 1]}}"),
		claim("check: {levl: {series: sbp}}"),
		claim("holds: some, check: {level: {series: sbp, between: [0, 1]}}"),
		claim("from: full, check: {level: {series: sbp, between: [0, 1]}}"),
		level + "profiles: {p: {claims: [{from: smoke}]}}\n",
		level + "profiles: {p: {claims: [{id: c, form: smoke}]}}\n",
	} {
		if schema.Validate(asJSON(t, []byte(bad))) == nil {
			t.Errorf("accepted:\n%s", bad)
		}
		if _, err := parseLabelled(bad); err == nil && !strings.Contains(bad, "profiles") {
			t.Errorf("Load accepts:\n%s", bad)
		}
	}
}
