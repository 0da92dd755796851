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
		filter claimFilter
		want   []string
	}{
		{claimFilter{}, []string{"a", "b", "c", "d", "e", "f"}},
		{claimFilter{sections: []string{"2.5"}}, []string{"a", "b"}},
		{claimFilter{sections: []string{"2.5.1"}}, []string{"b"}},
		{claimFilter{sections: []string{"2"}}, []string{"a", "b", "c", "d"}},
		{claimFilter{sections: []string{"1.4", "3"}}, []string{"d", "e"}},
		{claimFilter{about: []string{"fig-one"}}, []string{"a", "d"}},
		{claimFilter{about: []string{"a"}}, []string{"a", "f"}},
		{claimFilter{about: []string{"tab-bounds", "fig-two"}}, []string{"b", "c"}},
		{claimFilter{about: []string{"fig-one"}, sections: []string{"2.3"}}, []string{"d"}},
	} {
		kept, err := passing(&test.filter, slices.Clone(list), func(c *claims.Claim) *claims.Claim { return c })
		var got []string
		for _, c := range kept {
			got = append(got, c.ID)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v (%v), want %v", test.filter, got, err, test.want)
		}
	}
	for _, bad := range []struct {
		filter claimFilter
		want   string
	}{
		{claimFilter{about: []string{"fig-on"}}, `--about "fig-on": no claim here is about it (did you mean "fig-one"?)`},
		{claimFilter{sections: []string{""}}, `--section "": no claim here is from it; there are claims from 1.4, 2.3.4, 2.5, 2.5.1, 2.51, 3`},
	} {
		_, err := passing(&bad.filter, slices.Clone(list), func(c *claims.Claim) *claims.Claim { return c })
		if err == nil || err.Error() != bad.want {
			t.Errorf("%v, want %s", err, bad.want)
		}
	}
}

// The filters of claims narrow down what is counted, and the exit code, but not the file.
func TestClaimsAboutSomething(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke")
	o := ok(t, "claims", "results/small", "--section", "1", "--about", "length")
	wantText(t, "stdout", o.out, "MSG takes 40 steps", "claims: 1 reproduced\n")
	if n := len(recordedVerdicts(t)); n != 3 {
		t.Errorf("claims.json has %d verdicts", n)
	}
	o = stochopt(t, "claims", "results/small", "--section", "4")
	wantOutcome(t, o, exitUsage, `stochopt: --section "4": no claim here is from it; there are claims from 1, 2, 3`)
}
