package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// What --set changed is said of every figure and table, of the verdicts and on the page,
// and no more once the spec is run as it is.
func TestChangesAreSaid(t *testing.T) {
	home(t)
	const claim = `claims:
  - {id: length, says: MSG takes 40 steps, from: smoke, check: {level: {series: msg, read: cost, between: [39, 41]}}}
`
	write(t, "small.yaml", small+products+claim)
	said := func() map[string]string {
		ok(t, "plot", "results")
		ok(t, "report", "results", "-o", "page.html")
		folder := filepath.Join("results", "small")
		return map[string]string{
			"caption": read(t, folder, "figures", "fig.txt"), "figure": read(t, folder, "figures", "fig.svg"),
			"table": read(t, folder, "tables", "tab.txt"), "Markdown table": read(t, folder, "tables", "tab.md"),
			"verdicts":    ok(t, "claims", "results").out,
			"claims.json": read(t, folder, "claims.json"), "page": read(t, "page.html"),
		}
	}
	ok(t, "run", "small.yaml", "--set", "seed=2", "--set", "algorithms.msg.step.c=[1, 2]")
	for what, text := range said() {
		change := "changed by --set: seed=2, algorithms.msg.step.c=[1, 2]"
		if what == "claims.json" {
			change = `"algorithms.msg.step.c=[1, 2]"`
		}
		wantText(t, what, strings.Join(strings.Fields(text), " "), change)
	}
	ok(t, "run", "small.yaml")
	for what, text := range said() {
		if strings.Contains(text, "changed by --set") || what == "claims.json" && strings.Contains(text, `"set"`) {
			t.Errorf("%s tells of changes that there are none of", what)
		}
	}
}

// Folders of the same experiment with different changes have tables of their own.
func TestVerdictsByChange(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "a")
	ok(t, "run", "small.yaml", "--profile", "smoke", "--out", "b", "--set", "seed=2")
	o := ok(t, "claims", "a", "b", "--about", "length")
	for _, heading := range []string{"small, profile smoke\nbelow", "small, profile smoke\nchanged by --set: seed=2\nbelow"} {
		if strings.Count(o.out, heading) != 1 {
			t.Errorf("there is not one %q in\n%s", heading, o.out)
		}
	}
}
