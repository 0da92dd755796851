package cli

import (
	"regexp"
	"strings"
	"testing"

	"stochopt/harness/internal/run"
	"stochopt/internal/record"
)

var took = regexp.MustCompile(`in (\d+(\.\d+)?m?s)+`)

func TestSummary(t *testing.T) {
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

1 warning on the selection and figures: stochopt table results/small
figures: 1 in results/small/figures
tables: 1 in results/small/tables
page: stochopt report results/small -o results/small.html
`
	if got := took.ReplaceAllString(o.out, "in X"); got != want {
		t.Errorf("stdout is\n%s\nwant\n%s", got, want)
	}
	wantOutcome(t, o, exitOK, "small: 6 runs, 0 already done")
	wantOutcome(t, ok(t, "table", "results/small"), exitOK, "note: g msg[k=2]: step.c = 1 is at the high end of its grid: widen it")
}

// The summary of a spec without tables has a default table.
func TestDefaultTable(t *testing.T) {
	home(t)
	write(t, "small.yaml", small)
	wantText(t, "stdout", ok(t, "run", "small.yaml").out, "│ Algorithm   │ step.c │ Final suboptimality │", "│ MSG         │      1 │")
}

func TestSummaryOfClaims(t *testing.T) {
	claimsHome(t)
	o := ok(t, "run", "small.yaml", "--profile", "smoke")
	const want = `claims: 1 reproduced, 1 not reproduced, 1 not run; details: stochopt claims results/small
not reproduced: too-long: MSG takes 50 steps at least
1 warning on the selection and figures: stochopt table results/small
page: stochopt report results/small -o results/small.html
`
	if !strings.HasSuffix(o.out, "\n\n"+want) {
		t.Errorf("stdout is\n%s\nwant at the end\n%s", o.out, want)
	}
}

func TestDescribeRuns(t *testing.T) {
	t.Parallel()
	s := run.Summary{Planned: 10, Reused: 4, Counts: record.Counts{Diverged: 1, OutOfTime: 3, Failed: 2}}
	if got, want := describeRuns(s), "10 runs, 4 reused, 2 failed, 1 diverged, 3 out of time"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
