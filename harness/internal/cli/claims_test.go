package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"

	"gopkg.in/yaml.v3"
)

// claimed is a spec of fifteen short runs that makes a true claim, a false one, and
// one that only the profile paper can decide.
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
	const counts = "claims: 1 reproduced, 1 not reproduced, 1 not run\n"
	summed := "\n" + strings.TrimSpace(counts) + "; why: stochopt claims results/small\nnot reproduced: too-long: MSG takes 50 steps at least\n"
	o := ok(t, "run", "small.yaml", "--profile", "smoke", "-v")
	wantText(t, "the table", o.out, "length", "MSG takes 40 steps", "too-long", "section 2", summed)
	o = ok(t, "run", "small.yaml", "--profile", "smoke")
	wantText(t, "the summary", o.out, summed)
	if strings.Contains(o.out, "MSG takes 40 steps") {
		t.Errorf("stdout is\n%s", o.out)
	}

	// From the records alone.
	before := read(t, "results", "small", "claims.json")
	if err := os.Remove(at(t, "results", "small", "claims.json")); err != nil {
		t.Fatal(err)
	}
	o = stochopt(t, "claims", "results/small")
	wantOutcome(t, o, exitFailed, "stochopt: 1 claim not reproduced (a finding; with --no-fail the exit code is 0)")
	wantText(t, "the table", o.out, "length", "reproduced", "far", "not run", counts)
	if after := read(t, "results", "small", "claims.json"); after != before {
		t.Errorf("claims.json was\n%s\nand is\n%s", before, after)
	}
	ok(t, "claims", "results/small", "--no-fail")

	o = stochopt(t, "claims", "results/small", "--json")
	if want := "length: reproduced, too-long: not reproduced, far: not run"; o.code != exitFailed || outcomesOf(t, o.out) != want {
		t.Errorf("exit %d, %s, want %s", o.code, outcomesOf(t, o.out), want)
	}
	o = stochopt(t, "claims", "results/small", "--json", "--outcome", "not-run", "--outcome", "reproduced")
	if want := "length: reproduced, far: not run"; o.code != exitFailed || outcomesOf(t, o.out) != want {
		t.Errorf("exit %d, %s, want %s", o.code, outcomesOf(t, o.out), want)
	}
	o = stochopt(t, "claims", "results/small", "--outcome", "inconclusive")
	if o.code != exitFailed || o.out != counts {
		t.Errorf("exit %d, stdout is\n%s", o.code, o.out)
	}
}

func TestClaimsFileSaysWhatIsLess(t *testing.T) {
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
	// A spec without profiles is at full scale, but for what --set makes of it.
	write(t, "plain.yaml", edit(t, small, "name: small", "name: plain"))
	ok(t, "run", "plain.yaml", "--set", "repeats=1")
	if m := opened(t, "results/plain").Manifest; len(m.BelowPaper) != 1 || m.BelowPaper[0].Text != "1 of 2 repeats" {
		t.Errorf("below paper: %v", m.BelowPaper)
	}
	if _, err := os.Stat(at(t, "results/plain/claims.json")); err == nil {
		t.Error("claims.json is there without claims")
	}
}

// A profile paper that is wrong keeps nothing else from being run.
func TestFullScaleThatCannotBeTold(t *testing.T) {
	home(t)
	write(t, "small.yaml", edit(t, claimed, "paper: {", "paper: {select: {tune: [step.d]}, "))
	o := ok(t, "run", "small.yaml", "--profile", "smoke")
	wantText(t, "stderr", o.err, "warning: verdicts will lack the caveats about the smaller scale: small.yaml:",
		`no algorithm here has a parameter "step.d"`)
	if m := opened(t, "results/small").Manifest; m.BelowPaper != nil {
		t.Errorf("%v", m.BelowPaper)
	}
}

// The verdicts are the same bytes for any number of workers.
func TestClaimsFileIsDeterministic(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke", "-j", "1", "--out", "a")
	ok(t, "run", "small.yaml", "--profile", "smoke", "-j", "3", "--out", "b")
	if read(t, "a", "small", "claims.json") != read(t, "b", "small", "claims.json") {
		t.Error("claims.json depends on the number of workers")
	}
}

func TestOneRepeatIsNoVerdict(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke", "--set", "repeats=1", "--set", "algorithms.msg.step.c=1")
	o := stochopt(t, "claims", "results/small", "--json")
	for _, v := range parseJSON[[]claims.Verdict](t, o.out) {
		if v.Outcome == claims.Reproduced || v.Outcome == claims.NotReproduced {
			t.Errorf("%s: %s of one repeat: %s", v.ID, v.Outcome, v.Reason)
		}
	}
	if o.code != exitOK {
		t.Errorf("exit %d", o.code)
	}
}

// A spec that a folder was run with may make no claims. Claims that are added to it are judged by a run
// that repeats nothing.
func TestClaimsAreAdded(t *testing.T) {
	claimsHome(t)
	write(t, "plain.yaml", strings.Split(claimed, "claims:")[0]+"profiles: {smoke: {repeats: 5}}\n")
	ok(t, "run", "plain.yaml", "--profile", "smoke")
	o := ok(t, "claims", "results/small")
	if o.out != "claims: none\n" || o.err != "note: results/small: the spec makes no claims\n" {
		t.Errorf("stdout %q, stderr %q", o.out, o.err)
	}
	o = ok(t, "run", "small.yaml", "--profile", "smoke")
	wantText(t, "stderr", o.err, "15 runs, 15 of them on record")
	if v := recordedVerdicts(t); len(v) != 3 || !slices.Contains(claims.Texts(v[0].Caveats), "5 of 10 repeats") {
		t.Errorf("claims.json: %+v", v)
	}
	// Run again without claims, the verdicts go.
	ok(t, "run", "plain.yaml", "--profile", "smoke")
	if _, err := os.Stat(at(t, "results/small/claims.json")); err == nil {
		t.Error("claims.json is still there")
	}
}

func TestClaimsList(t *testing.T) {
	configs, err := filepath.Abs("../../../configs")
	if err != nil {
		t.Fatal(err)
	}
	claimsHome(t)
	o := ok(t, "claims", "list", "small.yaml")
	wantText(t, "the list", o.out, "small\n┌", "│ length   │ 1        │ MSG takes 40 steps ", "│ far ", "3 claims; -v shows how each is checked\n")
	// The whole is what the spec has.
	var whole, want struct{ Claims, Small []claims.Claim }
	shown := ok(t, "claims", "list", "small.yaml", "-v").out
	for text, into := range map[string]any{shown: &whole, claimed[strings.Index(claimed, "claims:"):]: &want} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(whole.Small, want.Claims) || len(want.Claims) != 3 || !strings.HasSuffix(shown, "\n# 3 claims\n") {
		t.Errorf("the whole is\n%s", shown)
	}
	if o.err != "" {
		t.Errorf("stderr is %q", o.err)
	}
	list := parseJSON[[]listedClaim](t, ok(t, "claims", "list", "small.yaml", "--json").out)
	if len(list) != 3 || list[0].Spec != "small" || !reflect.DeepEqual(list[0].Claim, want.Claims[0]) {
		t.Errorf("list %+v", list)
	}
	o = stochopt(t, "claims", "list")
	wantOutcome(t, o, exitUsage, "stochopt: no spec is given, and this folder has no specs in configs; name specs, or go to the project's folder")
	write(t, "configs/small.yaml", claimed)
	write(t, "configs/plain.yaml", edit(t, small, "name: small", "name: plain"))
	wantText(t, "the list of configs", ok(t, "claims", "list").out, "length", "3 claims; ")
	if list := parseJSON[[]listedClaim](t, ok(t, "claims", "list", "configs/plain.yaml", "--json").out); list == nil || len(list) != 0 {
		t.Errorf("list %+v", list)
	}
	if _, err := os.Stat(at(t, "results")); err == nil {
		t.Error("list has run something")
	}
	bounds := ok(t, "claims", "list", filepath.Join(configs, "pca-simulated.yaml"), "-v").out
	wantText(t, "the bounds", bounds, "\n# extra-eigenvalues: at most half of the eigenvalues ")
	write(t, "more.yaml", strings.TrimSuffix(claimed, "\n")+"\n  quick: {claims: [{id: quickly, says: It is quick, check: {level: {series: msg, read: cost, between: [1, 2]}}}]}\n")
	wantText(t, "the list of quick", ok(t, "claims", "list", "more.yaml", "--profile", "quick").out, "quickly", "\n4 claims; ")
	wantText(t, "the list of smoke", ok(t, "claims", "list", "more.yaml", "--profile", "smoke").out, "\n3 claims; ")
}

func TestBadUseOfClaims(t *testing.T) {
	claimsHome(t)
	write(t, "bad.yaml", edit(t, edit(t, claimed, "below: [incremental]", "below: [incrementall]"), "metric: suboptimality}}}\nprofiles", "metric: suboptimalty}}}\nprofiles"))
	write(t, "empty/manifest.json", `{"spec": "small", "profile": "smoke"}`)
	for _, test := range []struct{ args, want string }{
		{"claims", "stochopt: no results folder is given; see stochopt claims --help"},
		{"claims nowhere", "stochopt: cannot read nowhere: no such file or directory; name a results folder, or a folder of results folders"},
		{"claims list nowhere.yaml", "stochopt: cannot read the spec: open nowhere.yaml: no such file or directory; name a YAML file"},
		{"claims nowhere --outcome reproducd", `stochopt: --outcome "reproducd": there is no such outcome (did you mean "reproduced"?)`},
		{"claims list small.yaml --about lengths", `stochopt: --about "lengths": no claim here is about it (did you mean "length"?)`},
		{"claims nowhere --oops", "stochopt: unknown flag: --oops; see stochopt claims --help"},
		{"validate bad.yaml", "bad.yaml:18:105: claims.far.check.order.below[0]: unknown series \"incrementall\" (did you mean \"incremental\"?)\n" +
			"bad.yaml:18:128: claims.far.check.order.metric: unknown metric \"suboptimalty\" (did you mean \"suboptimality\"?)"},
	} {
		o := stochopt(t, strings.Fields(test.args)...)
		t.Log(test.args)
		wantOutcome(t, o, exitUsage, test.want)
		if o.out != "" {
			t.Errorf("stdout is %q", o.out)
		}
	}
}

// Every claim of the project has an id of its own and says where it stands, all in one
// style, and the folder of each spec the
// name of its file, by which the Makefile knows it.
func TestClaimsOfTheProject(t *testing.T) {
	files, err := filepath.Glob("../../../configs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no configs (%v)", err)
	}
	from := make(map[string]string)
	for _, file := range files {
		s, err := spec.Load(file, spec.LoadOptions{Profile: "quick", Catalog: registry.Catalog()})
		if err != nil {
			t.Fatal(err)
		}
		if name := strings.TrimSuffix(filepath.Base(file), ".yaml"); s.Name != name {
			t.Errorf("%s: the name is %q", file, s.Name)
		}
		for _, c := range s.Claims {
			if before, ok := from[c.ID]; ok {
				t.Errorf("%s: the claim %q is in %s too", file, c.ID, before)
			}
			from[c.ID] = file
			if first, _ := utf8.DecodeRuneInString(c.Says); unicode.IsLower(first) || strings.HasSuffix(c.Says, ".") {
				t.Errorf("%s: %s: %q: want a capital first letter and no full stop", file, c.ID, c.Says)
			}
			if !strings.HasPrefix(c.Source, "section") && !strings.HasPrefix(c.Source, "chapter") || strings.Contains(c.Source, ";") {
				t.Errorf("%s: %s: %q: want a source such as \"section 2.5, lemma on the rate\"", file, c.ID, c.Source)
			}
		}
	}
}

// The facts that claims may name are those on record.
func TestFactsThatClaimsMayName(t *testing.T) {
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
		var there []string
		var runs []record.Run
		for _, dir := range dirs {
			e, err := record.ReadDir(at(t, "results", dir))
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, e.Runs...)
		}
		for _, r := range runs {
			for name := range r.Facts {
				if !slices.Contains(there, name) {
					there = append(there, name)
				}
			}
		}
		known := registry.Catalog().Task(task).Facts
		for _, name := range there {
			if !slices.Contains(known, name) {
				t.Errorf("%s: claims may not name the fact %q", task, name)
			}
		}
		for _, name := range known {
			if !slices.Contains(there, name) {
				t.Errorf("%s: no run has the fact %q", task, name)
			}
		}
	}
}

// The table of docs/claims.md has the ranges of the claims that it names.
func TestWordsOfClaimsInTheDocs(t *testing.T) {
	files, err := filepath.Glob("../../../configs/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	specs, err := (&specOptions{}).load(new(app), files)
	if err != nil {
		t.Fatal(err)
	}
	var list []claims.Claim
	for _, s := range specs {
		list = append(list, s.Claims...)
	}
	inYAML := []struct{ words, check string }{
		{`^below 1$`, `^order:\n( *[a-qs-z].*\n)*$`}, // without a ratio
		{`^below (.+)$`, `ratio: $1\n`},
		{`^above (.+) ×$`, `times: $1\n`},
		{`^at most (.+)$`, `between: \[null, $1\]`},
		{`^at least (\S+).*$`, `between: \[$1, null\]|(least|falls): $1\n`},
		{`^from (.+) to (.+)$`, `between: \[$1, $2\]|ratio: $2\n *least: $1\n`},
	}
	_, text, found := strings.Cut(read(t, "../../../docs/claims.md"), "| words | quantity | range | such as |\n")
	rows := 0
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			break
		}
		if strings.HasPrefix(cells[1], "---") {
			continue
		}
		rows++
		id, ends := strings.Trim(cells[4], " `"), strings.TrimSpace(cells[3])
		i := slices.IndexFunc(list, func(c claims.Claim) bool { return c.ID == id })
		if i < 0 {
			t.Errorf("there is no claim %s", id)
			continue
		}
		check, err := yaml.Marshal(list[i].Check)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range inYAML {
			of := regexp.MustCompile(form.words)
			if !of.MatchString(ends) {
				continue
			}
			if !regexp.MustCompile(of.ReplaceAllString(ends, form.check)).Match(check) {
				t.Errorf("the docs say that %s is %q, the check is\n%s", id, ends, check)
			}
			ends = ""
		}
		if ends != "" {
			t.Errorf("%s: unknown words %q", id, ends)
		}
	}
	if !found || rows < 10 {
		t.Errorf("the table has %d rows", rows)
	}
}
