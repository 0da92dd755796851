package page

import (
	"fmt"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/report"
)

// verdictsOf are the verdicts on a figure of the thesis, but for those after a comma, such
// as "n r? i,r": n for not reproduced, r, i and - likewise, doubtful if followed by "?".
func verdictsOf(prefix, text string) (list []claims.Verdict) {
	redrawn, other, _ := strings.Cut(text, ",")
	outcome := map[byte]string{'n': claims.NotReproduced, 'r': claims.Reproduced, 'i': claims.Inconclusive, '-': claims.NotRun}
	for _, shown := range []string{redrawn, other} {
		for _, f := range strings.Fields(shown) {
			v := verdictOf(fmt.Sprint(prefix, len(list)), outcome[f[0]], "fig-digits", []string{"fast"}, "digits")
			v.Doubtful = strings.HasSuffix(f, "?")
			if shown == other {
				v.Shown = ""
			}
			list = append(list, v)
		}
	}
	return list
}

func TestFindings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, alpha, beta, want string }{
		{"three that are not, one in doubt, one that holds", "n n n n r r? i", "r", "a0 a1 a2 a5 a4"},
		{"experiments take turns", "n n n", "n r", "a0 b0 a1 a2 b1"},
		{"without doubt before with", "n? n n n", "", "a1 a2 a3 a0"},
		{"figures of the thesis before the rest", "r, r", "r", "a0 b0 a1"},
		{"places that are left", "n n n n n n", "", "a0 a1 a2 a3 a4"},
		{"what is not run or only open is none", "- i", "-", ""},
		{"open with a doubt is one", "i? r", "", "a0 a1"},
	} {
		p := fixture()
		p.Experiments[0].Verdicts, p.Experiments[1].Verdicts = verdictsOf("a", c.alpha), verdictsOf("b", c.beta)
		for i := range p.Experiments {
			p.Experiments[i].Mirrors = []string{"fig-digits"}
		}
		v, err := newView(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range v.Findings {
			got = append(got, f.ID)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*report.Page){
		"Asked: do 4 claims on experiments hold? Run: 2 algorithms on 3 data sets (digits, speech, forest), profile quick; 23 of 25 runs finished.": func(*report.Page) {},
		"Asked: does 1 bound of a theorem hold? Run: 1 algorithm on 1 data set (forest), profile quick; 5 runs finished.": func(p *report.Page) {
			p.Experiments = p.Experiments[1:]
			p.Experiments[0].Verdicts[0].Kind = claims.Theorem
		},
		"Run: 1 algorithm on 1 data set (forest); 5 runs finished.": func(p *report.Page) {
			p.Experiments = p.Experiments[1:]
			p.Experiments[0].Verdicts, p.Experiments[0].Manifest.Profile = nil, ""
		},
	} {
		p := fixture()
		change(p)
		v, err := newView(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Asked(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
