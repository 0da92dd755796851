package cli

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"

	"gopkg.in/yaml.v3"
)

// claimed is a spec of fifteen short runs with a true claim, a false one, and one for the profile paper only.
const claimed = small + `figures: []
claims:
  - {id: length, source: section 1, says: MSG takes 40 steps, from: smoke, check: {level: {series: msg, read: cost, between: [39, 41]}}}
  - {id: too-long, source: section 2, says: MSG takes 50 steps at least, from: smoke, where: {k: 2}, holds: any, check: {level: {series: msg, read: cost, between: [50, null]}}}
  - {id: far, source: section 3, says: MSG does well, from: paper, check: {order: {series: msg, below: [incremental], metric: suboptimality}}}
profiles:
  smoke: {repeats: 5}
  paper: {repeats: 10, algorithms: [{id: msg, step: {c: [0.25, 1, 2]}}]}
`

func claimsHome(t *testing.T) {
	t.Helper()
	home(t)
	write(t, "small.yaml", claimed)
}

func outcomesOf(t *testing.T, text string) string {
	t.Helper()
	var got []string
	for _, v := range parseJSON[[]claims.Verdict](t, text) {
		got = append(got, v.ID+": "+v.Outcome)
	}
	return strings.Join(got, ", ")
}

// recordedVerdicts reads the verdicts in the folder of the spec small.
func recordedVerdicts(t *testing.T) []claims.Verdict {
	t.Helper()
	v, err := opened(t, "results/small").RecordedVerdicts()
	if err != nil {
		t.Fatal(err)
	}
	return v.Claims
}

func TestClaimsAreJudged(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke")

	before := read(t, "results", "small", "claims.json")
	remove(t, "results", "small", "claims.json")
	o := stochopt(t, "claims", "results/small")
	wantOutcome(t, o, exitFailed, "stochopt: 1 claim not reproduced (a finding; with --no-fail the exit code is 0)")
	if after := read(t, "results", "small", "claims.json"); after != before {
		t.Errorf("claims.json was\n%s\nand is\n%s", before, after)
	}
	ok(t, "claims", "results/small", "--no-fail")

	for _, test := range []struct {
		args, want string
		code       int
	}{
		{"", "length: reproduced, too-long: not reproduced, far: not run", exitFailed},
		{"--outcome not-run --outcome reproduced", "length: reproduced, far: not run", exitFailed},
		{"--outcome inconclusive", "", exitFailed},
		{"--about 1", "length: reproduced", exitOK},
	} {
		o = stochopt(t, append([]string{"claims", "results/small", "--json"}, strings.Fields(test.args)...)...)
		if got := outcomesOf(t, o.out); o.code != test.code || got != test.want {
			t.Errorf("%s: exit %d, %s, want %d, %s", test.args, o.code, got, test.code, test.want)
		}
	}
	if n := len(recordedVerdicts(t)); n != 3 {
		t.Errorf("claims.json has %d verdicts", n)
	}
}

func TestClaimsFileHasShortfalls(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke", "--set", "budget.iterations=41")
	want := []claims.Shortfall{{Text: "5 of 10 repeats"}, {Series: "msg", Text: "2 of 3 values of step.c"}}
	if m := opened(t, "results/small").Manifest; !slices.Equal(m.BelowPaper, want) {
		t.Errorf("below paper: %v, want %v", m.BelowPaper, want)
	}
	verdicts := recordedVerdicts(t)
	if len(verdicts) != 3 || verdicts[0].Experiment != "small" || verdicts[0].Profile != "smoke" || !slices.Equal(claims.Texts(verdicts[0].Caveats), []string{"5 of 10 repeats", "msg: 2 of 3 values of step.c"}) {
		t.Errorf("claims.json: %+v", verdicts)
	}
	ok(t, "run", "small.yaml", "--profile", "smoke", "--set", "budget.iterations=20")
	if m := opened(t, "results/small").Manifest; m.BelowPaper[1].Text != "20 of 40 iterations" {
		t.Errorf("below paper: %v", m.BelowPaper)
	}
	ok(t, "run", "small.yaml", "--profile", "paper")
	if m := opened(t, "results/small").Manifest; m.BelowPaper != nil {
		t.Errorf("below paper: %v", m.BelowPaper)
	}
	// A spec without profiles is at full scale, except for changes by --set.
	write(t, "plain.yaml", edit(t, small, "name: small", "name: plain"))
	ok(t, "run", "plain.yaml", "--set", "repeats=1")
	if m := opened(t, "results/plain").Manifest; len(m.BelowPaper) != 1 || m.BelowPaper[0].Text != "1 of 2 repeats" {
		t.Errorf("below paper: %v", m.BelowPaper)
	}
	wantNone(t, "results/plain/claims.json")
}

// Other profiles run even if the profile paper is wrong.
func TestInvalidFullScale(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, claimed, "paper: {", "paper: {select: {tune: [step.d]}, "))
	o := ok(t, "run", "small.yaml", "--profile", "smoke")
	wantText(t, "stderr", o.err, "warning: verdicts will lack the caveats about the smaller scale: small.yaml:")
	if m := opened(t, "results/small").Manifest; m.BelowPaper != nil {
		t.Errorf("%v", m.BelowPaper)
	}
}

// Claims added to a spec are judged by the next run, which repeats no runs.
func TestAddedClaims(t *testing.T) {
	claimsHome(t)
	write(t, "plain.yaml", strings.Split(claimed, "claims:")[0]+"profiles: {smoke: {repeats: 5}}\n")
	ok(t, "run", "plain.yaml", "--profile", "smoke")
	o := ok(t, "claims", "results/small")
	if o.out != "claims: none\n" || o.err != "note: results/small: the spec has no claims\n" {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	o = ok(t, "run", "small.yaml", "--profile", "smoke")
	wantOutcome(t, o, exitOK, "small: 15 runs, 15 already done")
	if v := recordedVerdicts(t); len(v) != 3 || !slices.Contains(claims.Texts(v[0].Caveats), "5 of 10 repeats") {
		t.Errorf("claims.json: %+v", v)
	}
	// A run without claims removes the verdicts.
	ok(t, "run", "plain.yaml", "--profile", "smoke")
	wantNone(t, "results/small/claims.json")
}

func TestClaimsList(t *testing.T) {
	claimsHome(t)
	var verbose, want struct{ Claims, Small []claims.Claim }
	for text, into := range map[string]any{
		ok(t, "claims", "list", "small.yaml", "-v").out: &verbose, claimed[strings.Index(claimed, "claims:"):]: &want,
	} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	list := parseJSON[[]listedClaim](t, ok(t, "claims", "list", "small.yaml", "--json").out)
	if !reflect.DeepEqual(verbose.Small, want.Claims) || len(list) != 3 || list[0].Spec != "small" || !reflect.DeepEqual(list[0].Claim, want.Claims[0]) {
		t.Errorf("-v prints %+v, --json %+v, want %+v", verbose.Small, list, want.Claims)
	}
	wantOutcome(t, stochopt(t, "claims", "list"), exitUsage,
		"stochopt: no specs: name some, or run this command in a folder with configs/*.yaml")
	write(t, "configs/small.yaml", claimed)
	write(t, "configs/plain.yaml", edit(t, small, "name: small", "name: plain"))
	write(t, "more.yaml", strings.TrimSuffix(claimed, "\n")+
		"\n  quick: {claims: [{id: quickly, says: It is quick, check: {level: {series: msg, read: cost, between: [1, 2]}}}]}\n")
	for args, n := range map[string]int{
		"": 3, "configs/plain.yaml": 0, "more.yaml --profile quick": 4, "more.yaml --profile smoke": 3, "more.yaml --about far": 1,
	} {
		list := parseJSON[[]listedClaim](t, ok(t, append([]string{"claims", "list", "--json"}, strings.Fields(args)...)...).out)
		if list == nil || len(list) != n {
			t.Errorf("claims list %s: %+v, want %d claims", args, list, n)
		}
	}
	wantText(t, "the list", ok(t, "claims", "list", "small.yaml").out, "│ length   │ 1        │ MSG takes 40 steps ")
	wantNone(t, "results")
}

// Claims may name exactly the recorded facts.
func TestFactsOfClaims(t *testing.T) {
	skipIfShort(t)
	svmHome(t)
	const margin = "datasets:\n  - {id: m, source: simulated-margin, with: {R: 2}, problem: {sigma2: 2, C: 1}}\n"
	svm := edit(t, edit(t, svmSmall, "passes: 4", "passes: 1"), "record: {", "record: {vectors: true, ")
	write(t, "svm.yaml", edit(t, svm, "datasets:\n", margin))
	bias := edit(t, strings.Split(svm, "  - {id: sdca}")[0], "C: 1", "C: 1, bias: true")
	write(t, "bias.yaml", edit(t, bias, "name: small", "name: bias"))
	sparse := edit(t, sparseSmall, "name: small", "name: sparse")
	write(t, "sparse.yaml", edit(t, sparse, "format: libsvm,", "format: libsvm, split: {train: 0.75, validation: 0.25},"))
	sparse = edit(t, edit(t, sparse, "name: sparse", "name: margin"), "datasets:\n", margin)
	write(t, "margin.yaml", edit(t, sparse, "C: 1}", "C: 1, bias: true}"))
	ok(t, "run", "svm.yaml", "bias.yaml", "sparse.yaml", "margin.yaml")
	for task, dirs := range map[string][2]string{"svm": {"small", "bias"}, "svm-sparse": {"sparse", "margin"}} {
		found := make(map[string]bool)
		for _, dir := range dirs {
			e, err := record.ReadDir(at(t, "results", dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Runs {
				for name := range r.Facts {
					found[name] = true
				}
			}
		}
		recorded := slices.Sorted(maps.Keys(found))
		if known := slices.Sorted(slices.Values(registry.Catalog().Task(task).Facts)); !slices.Equal(recorded, known) {
			t.Errorf("%s: runs have the facts %q, claims may name %q", task, recorded, known)
		}
	}
}

// Figures, tables, verdicts and the page name the changes by --set. Verdicts of folders with different changes
// have separate tables.
func TestChangesAreNamed(t *testing.T) {
	skipIfShort(t)
	claimsHome(t)
	write(t, "small.yaml", edit(t, claimed, "figures: []\n", products))
	mentions := func() (n int) {
		ok(t, "report", "results", "-o", "page.html")
		for _, text := range []string{
			read(t, "results/small/figures/fig.txt"), read(t, "results/small/figures/fig.svg"), read(t, "results/small/tables/tab.md"),
			ok(t, "claims", "results", "--no-fail").out, read(t, "page.html"),
		} {
			n += min(strings.Count(text, "changed by --set: seed=2"), 1)
		}
		return n
	}
	run := []string{"run", "small.yaml", "--profile", "smoke"}
	ok(t, append(run, "--set", "seed=2")...)
	if n := mentions(); n != 5 {
		t.Errorf("%d products of 5 mention the change", n)
	}
	ok(t, run...)
	if n := mentions(); n != 0 {
		t.Errorf("%d products mention a change after a run without it", n)
	}
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "b", "--set", "seed=2")
	o := ok(t, "claims", "results", "b", "--about", "length")
	if strings.Count(o.out, "small, profile smoke\n") != 2 || strings.Count(o.out, "changed by --set") != 1 {
		t.Errorf("the verdicts are\n%s", o.out)
	}
}
