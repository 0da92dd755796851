package claims

import (
	"fmt"
	"strings"
	"testing"
)

// Of many verdicts the summary says how many may be wrong, and names those that may be false discoveries.
// What is exact, a bound or a reading is not counted.
func TestChance(t *testing.T) {
	t.Parallel()
	var all []Verdict
	add := func(n int, outcome string, p float64, c Claim) {
		for range n {
			c.ID = fmt.Sprintf("c%d", len(all))
			all = append(all, Verdict{Claim: c, Outcome: outcome, P: p})
		}
	}
	add(19, Reproduced, 1e-4, Claim{})
	if text := Chance(all); text != "" {
		t.Errorf("of few: %q", text)
	}
	add(1, NotReproduced, 0.049, Claim{})
	add(5, Inconclusive, 0, Claim{})
	add(3, Reproduced, 0, Claim{})
	add(3, Reproduced, 1e-4, Claim{Kind: Theorem})
	add(3, Reproduced, 1e-4, Claim{Of: "c1"})
	want := "of 20 claims that intervals of 95 % decided, at most 1.0 are expected to be wrong by chance; " +
		"at a false discovery rate of 5 % among 25 judged 19 stand, but not c19"
	if text := Chance(all); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	all = all[:19]
	add(6, NotReproduced, 0.01, Claim{})
	if text := Chance(all); !strings.HasSuffix(text, "among 25 judged 25 stand") {
		t.Errorf("%q", text)
	}
}
