package spec

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// errorsFile lists what is said of each bad specification of the tests: the lines
// that it has and the specifications that it is made from do not, and the mistakes.
const errorsFile = "testdata/errors.golden"

// said holds the sections of the file, as the tests come to them.
var said struct {
	sync.Mutex
	sections map[string]bool
}

// parseSpec is Parse, of a specification whose mistakes are put on record.
func parseSpec(text string, o LoadOptions) (*Spec, error) {
	s, err := Parse("s.yaml", []byte(text), o)
	if err != nil {
		var b strings.Builder
		for _, set := range o.Sets {
			fmt.Fprintf(&b, "> --set %s\n", set)
		}
		lines := strings.Split(text, "\n")
		for _, line := range lines[:min(len(lines), 60)] {
			if line != "" && len(line) < 300 && !strings.Contains(base+labelled+sparse+claiming, line+"\n") {
				fmt.Fprintf(&b, "> %s\n", line)
			}
		}
		said.Lock()
		defer said.Unlock()
		if said.sections == nil {
			said.sections = make(map[string]bool)
		}
		said.sections[fmt.Sprintf("%s%s\n\n", &b, err)] = true
	}
	return s, err
}

// TestMain compares what all tests together have found with the file, or rewrites it.
// Some of the tests, such as that of go generate, find less.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	switch got := strings.Join(slices.Sorted(maps.Keys(said.sections)), ""); {
	case *update && all:
		if err := os.WriteFile(errorsFile, []byte(got), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	case code == 0 && all:
		want, err := os.ReadFile(errorsFile)
		if err != nil || string(want) != got {
			fmt.Fprintf(os.Stderr, "%s (%v) is not what is said of bad specifications; if this is meant, run go test -update:\n", errorsFile, err)
			for section := range strings.SplitAfterSeq(string(want), "\n\n") {
				if !strings.Contains(got, section) {
					fmt.Fprintf(os.Stderr, "no longer said:\n%s", section)
				}
			}
			for section := range said.sections {
				if !strings.Contains(string(want), section) {
					fmt.Fprintf(os.Stderr, "now said:\n%s", section)
				}
			}
			code = 1
		}
	}
	os.Exit(code)
}
