package spec

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// What is refused as a name is what .gitignore lets into results.
func TestNamesOfKeptFolders(t *testing.T) {
	text, err := os.ReadFile("../../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, m := range regexp.MustCompile(`(?m)^!/results/(.*)/$`).FindAllStringSubmatch(string(text), -1) {
		kept = append(kept, m[1])
	}
	if slices.Sort(kept); !slices.Equal(kept, keptFolders) {
		t.Errorf("specs may not be called %q, and results holds %q", keptFolders, kept)
	}
}
