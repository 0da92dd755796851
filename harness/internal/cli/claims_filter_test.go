package cli

import (
	"slices"
	"testing"

	"stochopt/harness/internal/claims"
)

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
		kept, err := matching(test.about, slices.Clone(list), func(c *claims.Claim) *claims.Claim { return c })
		var got []string
		for _, c := range kept {
			got = append(got, c.ID)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %v (%v), want %v", test.about, got, err, test.want)
		}
	}
	_, err := matching([]string{"fig-on"}, list, func(c *claims.Claim) *claims.Claim { return c })
	if want := `--about "fig-on": no claim here is about it (did you mean "fig-one"?)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The filter narrows down what is counted, and so the exit code, but not the file.
func TestClaimsAboutSomething(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke")
	o := ok(t, "claims", "results/small", "--about", "1", "--json")
	if got := outcomesOf(t, o.out); got != "length: reproduced" {
		t.Errorf("about section 1: %s", got)
	}
	if n := len(recordedVerdicts(t)); n != 3 {
		t.Errorf("claims.json has %d verdicts", n)
	}
	o = stochopt(t, "claims", "results/small", "--about", "4")
	wantOutcome(t, o, exitUsage, `stochopt: --about "4": no claim here is about it (known: 1, 2, 3, far, length, too-long)`)
}
