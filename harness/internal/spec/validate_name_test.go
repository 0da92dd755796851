package spec

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The reserved names are the folders of results that .gitignore does not ignore.
func TestReservedNames(t *testing.T) {
	text, err := os.ReadFile("../../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, m := range regexp.MustCompile(`(?m)^!/results/(.*)/$`).FindAllStringSubmatch(string(text), -1) {
		kept = append(kept, m[1])
	}
	if slices.Sort(kept); !slices.Equal(kept, reservedNames) {
		t.Errorf("reserved names %q, folders %q", reservedNames, kept)
	}
}
