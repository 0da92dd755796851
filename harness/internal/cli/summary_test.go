package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
)

var took = regexp.MustCompile(`in (\d+(\.\d+)?m?s)+`)

func TestRunOfOneSpecIsQuiet(t *testing.T) {
	home(t)
	write(t, "small.yaml", small+products)
	o := ok(t, "run", "small.yaml")
	const want = `small: 6 runs in X -> results/small

tab
! oracle selection: the parameters were chosen by the suboptimality shown
┌─────────────┬───┬──────────┬─────────────────────┐
│ Algorithm   │ k │ Mean k′ₜ │ Final suboptimality │
├─────────────┼───┼──────────┼─────────────────────┤
│ Incremental │ 2 │     1.98 │       0.077 ± 0.012 │
│ MSG         │ 2 │     3.74 │       0.136 ± 0.075 │
└─────────────┴───┴──────────┴─────────────────────┘
Over repeats: mean (Mean k′ₜ), mean ± standard error (Final suboptimality); columns: docs/results-folder.md#columns-of-tables
Data: g; measured on: population; budget: 40 iterations

1 warning on choices and figures: stochopt table results/small
figures: 1 in results/small/figures
tables: 1 in results/small/tables
page: stochopt report results/small -o results/small.html
`
	if got := took.ReplaceAllString(o.out, "in X"); got != want {
		t.Errorf("stdout is\n%s\nwant\n%s", got, want)
	}
	wantOutcome(t, o, exitOK, "small: 6 runs, 0 of them on record")
	wantOutcome(t, ok(t, "table", "results/small"), exitOK, "note: g msg[k=2]: step.c = 1 is at the high end of its grid: widen it")
}

// A spec without tables has one of outcomes, with what was selected.
func TestOutcomesOfASpecWithoutTables(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	wantText(t, "stdout", ok(t, "run", "small.yaml").out, "│ Algorithm   │ step.c │ Final suboptimality │", "│ MSG         │      1 │")
}

func TestRunOfSeveralSpecsEndsInOneSummary(t *testing.T) {
	claimsHome(t)
	write(t, "other.yaml", edit(t, small, "name: small", "name: other")+"profiles: {smoke: {repeats: 1}}\n")
	o := ok(t, "run", "small.yaml", "other.yaml", "--profile", "smoke")
	const want = `small: 15 runs in X -> results/small
other: 3 runs in X -> results/other

claims: 1 reproduced, 1 not reproduced, 1 not run; why: stochopt claims results
not reproduced: too-long: MSG takes 50 steps at least
2 experiments: 18 runs in X
2 warnings on choices and figures: stochopt table results
page: stochopt report results -o results/report.html
`
	if got := took.ReplaceAllString(o.out, "in X"); got != want {
		t.Errorf("stdout is\n%s\nwant\n%s", got, want)
	}
}

// verdictsOn returns n verdicts on an experiment, the first of which are not reproduced.
func verdictsOn(name, source string, n, refuted int) (all []claims.Verdict) {
	for i := range n {
		v := claims.Verdict{Claim: claims.Claim{
			ID: fmt.Sprintf("%s-%d", name, i), Source: source, Says: "It does.",
		}, Experiment: name, Outcome: claims.Reproduced}
		if i < refuted {
			v.Outcome = claims.NotReproduced
		}
		all = append(all, v)
	}
	return all
}

func TestSummaryOfManyFailures(t *testing.T) {
	t.Parallel()
	o := summary{several: true, started: time.Now()}
	failed := experiment.Problem{Dataset: "d", Series: "sbp", Status: record.StatusFailed, Reason: "no\nmemory"}
	other := failed
	other.Series, other.Status = "smo", record.StatusDiverged
	o.ended = []ended{
		{name: "one", verdicts: verdictsOn("one", "section 2.5", 20, 8), standIns: []string{"mnist"}},
		{name: "two", verdicts: verdictsOn("two", "chapter 6, table", 9, 9), unfinished: []experiment.Problem{failed, failed, other},
			sum: run.Summary{Planned: 9, Reused: 4, Counts: record.Counts{Diverged: 1, Failed: 2}}},
		{name: "mine", verdicts: verdictsOn("mine", "", 2, 0), warnings: 3,
			sum: run.Summary{Planned: 1}},
	}
	text := took.ReplaceAllString(strings.Join(o.lines("results"), "\n"), "in X")
	want := []string{
		"claims: 14 reproduced, 17 not reproduced; why: stochopt claims results",
	}
	for i := range 8 {
		want = append(want, fmt.Sprintf("not reproduced: one-%d: It does.", i))
	}
	want = append(want, "not reproduced: two-0: It does.", "not reproduced: two-1: It does.")
	want = append(want, "and 7 more: stochopt claims results",
		"3 experiments: 10 runs, 4 of them from the record, 1 diverged, 2 FAILED in X",
		"STAND-IN DATA for mnist (one)", "runs without a result: 2 failed, 1 diverged; why: stochopt status results",
		"3 warnings on choices and figures: stochopt table results")
	if text != strings.Join(want, "\n") {
		t.Errorf("the summary is\n%s\nwant\n%s", text, strings.Join(want, "\n"))
	}
}
