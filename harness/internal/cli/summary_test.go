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
Over repeats: mean (Mean k′ₜ), mean ± standard error (Final suboptimality); columns: docs/glossary.md#tables
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

	const warning = "step.c = 1 is at the high end of its grid: widen it"
	wantText(t, "stderr of table", ok(t, "table", "results/small").err, "note: g msg[k=2]: "+warning)
	ok(t, "report", "results/small", "-o", "results/small.html")
	wantText(t, "the page", read(t, "results/small.html"), warning)
}

// A spec without tables has one of outcomes, with what was selected.
func TestOutcomesOfASpecWithoutTables(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	wantText(t, "stdout", ok(t, "run", "small.yaml").out, "│ Algorithm   │ step.c │ Final suboptimality │", "│ MSG         │      1 │")
}

func TestRunOfSeveralSpecsEndsInOneSummary(t *testing.T) {
	claimsHome(t)
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	args := []string{"run", "small.yaml", "other.yaml", "--profile", "smoke"}
	write(t, "other.yaml", read(t, "other.yaml")+"profiles: {smoke: {repeats: 1}}\n")
	o := ok(t, args...)
	lines := strings.Split(took.ReplaceAllString(o.out, "in X"), "\n")
	wantText(t, "the lines of specs", strings.Join(lines[:2], "\n"),
		"small: 15 runs in X -> results/small\nother: 3 runs in X -> results/other")
	at := strings.Index(o.out, "\n\n")
	wantText(t, "the summary", took.ReplaceAllString(o.out[at:], "in X"),
		"claims: 1 reproduced, 1 not reproduced, 1 not run; why: stochopt claims results\nnot reproduced: too-long: MSG takes 50 steps at least\n",
		"2 experiments: 18 runs in X\n")
	if last := lastLine(o.out); last != "page: stochopt report results -o results/report.html" {
		t.Errorf("the last line is %q", last)
	}
}

// verdictsOn are the verdicts of an experiment, so many of them not reproduced.
func verdictsOn(name, source string, n, refuted int) (all []claims.Verdict) {
	for i := range n {
		v := claims.Verdict{Claim: claims.Claim{
			ID: fmt.Sprintf("%s-%d", name, i), Source: source, Says: strings.Repeat("a long sentence ", 9),
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
	wantText(t, "the summary", text,
		"claims: 14 reproduced, 17 not reproduced; why: stochopt claims results\n",
		"\nnot reproduced: one-0: a long sentence ",
		"\nand 7 more: stochopt claims results\n",
		"3 experiments: 10 runs, 4 of them from the record, 1 diverged, 2 FAILED in X\n",
		"STAND-IN DATA for mnist (one)\n", "runs without a result: 2 failed, 1 diverged; why: stochopt status results\n",
		"3 warnings on choices and figures: stochopt table results")
	if n := strings.Count(text, "\nnot reproduced: "); n != mostRefuted {
		t.Errorf("%d claims are listed:\n%s", n, text)
	}
}
