package cli

import (
	"fmt"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
)

func verdict(experiment, id, outcome string, caveats ...string) claims.Verdict {
	var list []claims.Caveat
	for _, text := range caveats {
		list = claims.AddCaveat(list, observe.Remark{Text: text})
	}
	return claims.Verdict{
		Claim:      claims.Claim{ID: id, Source: "section 1", Says: "It does."},
		Experiment: experiment, Profile: "quick", Outcome: outcome, Reason: "a / b: 0.5 (below 1)", Caveats: list,
	}
}

// Verdicts are shown by experiment: how it is below the scale of the thesis is said
// once, all else with each, and the counts at the end.
func TestVerdictsByExperiment(t *testing.T) {
	judged := []claims.Verdict{
		verdict("one", "first", claims.Reproduced, "stand-in data"),
		verdict("two", "third", claims.Inconclusive, "one repeat"),
		verdict("one", "second", claims.NotReproduced, "one of its own", "stand-in data"),
		verdict("one", "fourth", claims.NotRun, "3 of 10 repeats"),
	}
	judged[2], judged[3] = judged[3], judged[2] // what experiments show comes first
	judged[2].Kind = claims.Theorem
	repeats, passes := observe.Remark{Kind: observe.BelowScale, Text: "3 of 10 repeats"}, observe.Remark{Kind: observe.BelowScale, Text: "1 of 3 passes"}
	judged[0].Caveats = append(judged[0].Caveats, claims.Caveat{Remark: repeats}, claims.Caveat{Remark: passes, On: []string{"a"}})
	judged[3].Caveats = append(judged[3].Caveats, claims.Caveat{Remark: repeats}, claims.Caveat{Remark: passes, On: []string{"b"}})
	var b strings.Builder
	if err := printVerdicts(&b, judged, judged, false); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(strings.Trim(line, "│┌┐└┘├┤┬┴┼─\n")), " "))
	}
	want := []string{
		"one, profile quick",
		"below the scale of the thesis: 3 of 10 repeats; a, b: 1 of 3 passes",
		"",
		"verdict │ claim, and what decided",
		"",
		"reproduced │ first, section 1: It does.",
		"│ a / b: 0.5 (below 1)",
		"│ but stand-in data",
		"not reproduced │ second, section 1: It does.",
		"│ a / b: 0.5 (below 1)",
		"│ but one of its own; stand-in data",
		"not run │ fourth, section 1: It does. (bound)",
		"│ a / b: 0.5 (below 1)",
		"",
		"",
		"two, profile quick",
		"",
		"verdict │ claim, and what decided",
		"",
		"inconclusive │ third, section 1: It does.",
		"│ a / b: 0.5 (below 1)",
		"│ but one repeat",
		"",
		"",
		"",
		"kind │ claims of │ reproduced │ not reproduced │ inconclusive │ not run",
		"",
		"experiment │ chapters 1 and 2, kernel SVM training │ 1 │ 1 │ 1 │ 0",
		"bound │ chapters 1 and 2, kernel SVM training │ 0 │ 0 │ 0 │ 1",
		"",
		"claims: 1 reproduced, 1 not reproduced, 1 inconclusive; bounds: 1 not run",
	}
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], " ")
		if strings.ContainsAny(got[i], "─") {
			got[i] = ""
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > 120 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// The same experiment in two folders is two.
func TestVerdictsOfTwoFolders(t *testing.T) {
	judged := []claims.Verdict{
		verdict("one", "first", claims.Reproduced), verdict("one", "second", claims.Reproduced),
		verdict("one", "first", claims.Inconclusive), verdict("one", "second", claims.NotRun),
	}
	if got := byExperiment(judged); len(got) != 2 || len(got[0]) != 2 || got[1][0].Outcome != claims.Inconclusive {
		t.Errorf("%+v", got)
	}
}

// A restriction by a parameter that no series of the claim has would be none.
func TestWhereWithoutEffect(t *testing.T) {
	claimsHome(t)
	capped := edit(t, claimed, "  - {id: incremental}\n", "  - {id: incremental}\n  - {id: capped-msg, step: {c: 1}}\n")
	write(t, "small.yaml", edit(t, capped, "where: {k: 2}", "where: {cap: 3}"))
	wantOutcome(t, stochopt(t, "validate", "small.yaml"), exitUsage,
		`small.yaml:18:95: claims.too-long.where.cap: no series of the claim (msg) has the parameter "cap", so this has no effect: remove it, or name data sets under datasets`)
	write(t, "small.yaml", edit(t, capped, "where: {k: 2}, holds: any, check: {level: {series: msg,", "where: {cap: 3}, holds: any, check: {level: {series: capped-msg,"))
	ok(t, "validate", "small.yaml")
}

// A verdict has room for some caveats.
func TestLongVerdicts(t *testing.T) {
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("caveat %d of many that are rather long to read", i))
	}
	judged := []claims.Verdict{verdict("one", "first", claims.Reproduced, many...), verdict("one", "second", claims.Reproduced, many[:2]...)}
	whole := false
	print := func() string {
		var b strings.Builder
		if err := printVerdicts(&b, judged, judged, whole); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := print()
	const more = "17 more with -v"
	if strings.Count(got, more) != 1 || strings.Contains(got, "caveat 3") || !strings.HasSuffix(got, "\nclaims: 2 reproduced\n") {
		t.Errorf("the table is\n%s", got)
	}
	whole = true
	if got := print(); !strings.Contains(got, "caveat 19") || strings.Contains(got, more) {
		t.Errorf("the whole table is\n%s", got)
	}
	whole, judged[0].Source = false, ""
	if got := print(); !strings.Contains(got, "│ first, It does.") {
		t.Errorf("the table is\n%s", got)
	}
}

// Readings are shown in a table of their own and do not count as claims.
func TestTableOfReadings(t *testing.T) {
	reading := func(id, text, outcome string) claims.Verdict {
		v := verdict("readings", id, outcome)
		v.Of, v.Reading = "second", text
		return v
	}
	judged := []claims.Verdict{
		verdict("one", "second", claims.NotReproduced),
		reading("second-last", "the last iterate", claims.Inconclusive),
		reading("second-mean", "the mean", claims.NotReproduced),
	}
	show := func(shown []claims.Verdict) string {
		var b strings.Builder
		if err := printVerdicts(&b, shown, judged, false); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const last = "│ second, section 1: the last iterate"
	wantText(t, "the tables", show(judged), "claims: 1 not reproduced\n", last, "│ second, section 1: the mean", "a / b: 0.5 (below 1)")
	if got := show(judged[2:]); strings.Contains(got, last) {
		t.Errorf("a reading that is filtered out is shown:\n%s", got)
	}
	if judged = judged[1:]; strings.Contains(show(judged), "claims:") {
		t.Errorf("claims are counted where there are only readings:\n%s", show(judged))
	}
}

// Where some of many verdicts are likely to be wrong, the counts say so.
func TestCountsSayWhatMayBeWrong(t *testing.T) {
	var judged []claims.Verdict
	for i := range 20 {
		judged = append(judged, verdict("one", fmt.Sprint(i), claims.Reproduced))
		judged[i].P = 0.001
	}
	judged[7].P = 0.06 // with 20 judged none is kept above 0.05
	var b strings.Builder
	if err := printCounts(&b, judged); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	want := "at most 1.0 are expected to be wrong by chance; at a false discovery rate of 5 % among 20 judged 19 stand, " +
		"but not 7 claims: 20 reproduced"
	if !strings.Contains(text, want) {
		t.Errorf("%q lacks %q", text, want)
	}
}
