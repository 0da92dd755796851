package cli

import (
	"strings"
	"testing"
)

func TestCompletionKnowsValues(t *testing.T) {
	claimsHome(t)
	ok(t, "run", "small.yaml", "--profile", "smoke", "--only", "series=msg")
	for args, want := range map[string][]string{
		"run small.yaml --only ":            {"dataset=g", "series=msg", "algorithm=incremental"},
		"plan small.yaml --only dataset=g,": {"dataset=g,series=msg", "dataset=g,algorithm=msg"},
		"claims results/small --section ":   {"1", "2", "3"},
		"claims list small.yaml --about ":   {"length", "too-long", "far"},
		"algorithms show ":                  {"msg", "capped-msg", "warmuth-kuzmin"},
		"datasets info ":                    {"mnist", "simulated-orthogonal"},
		"datasets fetch ":                   {"mnist", "adult"},
		"run --profile ":                    {"smoke", "quick", "paper"},
		"run --stand-in ":                   {"allow", "only", "forbid"},
		"verify folder --stand-in ":         {"allow"},
		"algorithms show p --task ":         {"pca", "svm", "svm-sparse"},
	} {
		out := ok(t, append([]string{"__complete"}, strings.Split(args, " ")...)...).out
		for _, w := range want {
			if !strings.Contains("\n"+out, "\n"+w+"\n") {
				t.Errorf("completion of %q does not offer %q: %s", args, w, out)
			}
		}
	}
}
