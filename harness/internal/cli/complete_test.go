package cli

import (
	"strings"
	"testing"
)

func TestCompletionKnowsValues(t *testing.T) {
	for args, want := range map[string][]string{
		"algorithms show ":          {"msg", "capped-msg", "warmuth-kuzmin"},
		"datasets info ":            {"mnist", "simulated-orthogonal"},
		"datasets fetch ":           {"mnist", "adult"},
		"run --profile ":            {"smoke", "quick", "paper"},
		"run --stand-in ":           {"allow", "only", "forbid"},
		"verify folder --stand-in ": {"allow"},
		"model predict m.json ":     {"mnist", "adult"},
		"algorithms show p --task ": {"pca", "svm", "svm-sparse"},
	} {
		out := ok(t, append([]string{"__complete"}, strings.Split(args, " ")...)...).out
		for _, w := range want {
			if !strings.Contains("\n"+out, "\n"+w+"\n") {
				t.Errorf("completion of %q does not offer %q: %s", args, w, out)
			}
		}
	}
}
