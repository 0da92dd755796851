package cli

import (
	"fmt"
	"path/filepath"
	"slices"
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

// The output groups verdicts by experiment, with the scale once, and separates readings.
func TestPrintVerdicts(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("caveat %d of many that are rather long to read", i))
	}
	judged := []claims.Verdict{
		verdict("one", "first", claims.Reproduced, many...),
		verdict("two", "third", claims.Inconclusive, "one repeat"),
		verdict("one", "fourth", claims.NotRun, "3 of 10 repeats"),
		verdict("one", "second", claims.NotReproduced, "one of its own", "stand-in data"),
		verdict("readings", "second-last", claims.Inconclusive),
	}
	judged[2].Kind = claims.Theorem
	judged[3].Source = ""
	judged[4].Of, judged[4].Reading = "second", "the last iterate"
	passes := observe.Remark{Kind: observe.BelowScale, Text: "1 of 3 passes"}
	judged[0].Caveats = append(judged[0].Caveats, claims.Caveat{Remark: passes, On: []string{"a"}})
	judged[2].Caveats = append(judged[2].Caveats, claims.Caveat{Remark: passes, On: []string{"b"}})
	for file, verbose := range map[string]bool{"table.txt": false, "verbose.txt": true} {
		var b strings.Builder
		printVerdicts(&b, judged, judged, verbose)
		golden(t, filepath.Join("testdata", "claims", file), b.String())
		wantNarrow(t, b.String())
	}
}

// The counts of many verdicts state how many are expected to be wrong.
func TestExpectedErrors(t *testing.T) {
	t.Parallel()
	var judged []claims.Verdict
	for i := range 20 {
		judged = append(judged, verdict("one", fmt.Sprint(i), claims.Reproduced))
		judged[i].P = 0.001
	}
	judged[7].P = 0.06 // with 20 judged none is kept above 0.05
	var b strings.Builder
	printVerdicts(&b, nil, judged, false)
	golden(t, filepath.Join("testdata", "claims", "counts.txt"), b.String())
}

func TestClaimFilter(t *testing.T) {
	t.Parallel()
	list := []claims.Claim{
		{ID: "a", Source: "section 2.5", Shown: "fig-one"},
		{ID: "b", Source: "section 2.5.1", Shown: "fig-two"},
		{ID: "c", Source: "section 2.51, tab-bounds"},
		{ID: "d", Source: "sections 1.4 and 2.3.4, theorem", Shown: "fig-one"},
		{ID: "e", Source: "chapter 3, table"},
		{ID: "f", Of: "a"},
	}
	for _, test := range []struct {
		about []string
		want  []string
	}{
		{nil, []string{"a", "b", "c", "d", "e", "f"}},
		{[]string{"2.5"}, []string{"a", "b"}},
		{[]string{"2.5.1"}, []string{"b"}},
		{[]string{"2"}, []string{"a", "b", "c", "d"}},
		{[]string{"1.4", "3"}, []string{"d", "e"}},
		{[]string{"fig-one"}, []string{"a", "d"}},
		{[]string{"a"}, []string{"a", "f"}},
		{[]string{"tab-bounds", "fig-two"}, []string{"b", "c"}},
	} {
		kept, err := matching(test.about, slices.Clone(list), (*claims.Claim).Names)
		var got []string
		for _, c := range kept {
			got = append(got, c.ID)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %v (%v), want %v", test.about, got, err, test.want)
		}
	}
	_, err := matching([]string{"fig-on"}, list, (*claims.Claim).Names)
	if want := `--about "fig-on": no claim matches (did you mean "fig-one"?)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
