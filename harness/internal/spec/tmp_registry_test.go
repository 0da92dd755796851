package spec_test

import (
	"path/filepath"
	"testing"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

func TestTmp(t *testing.T) {
	files, _ := filepath.Glob("../../../configs/*.yaml")
	for _, f := range files {
		for _, p := range []string{"", "smoke", "quick", "paper"} {
			s, err := spec.Load([]string{f}, spec.LoadOptions{Profile: p, Catalog: registry.Catalog{}})
			if err != nil {
				t.Errorf("%s %s:\n%v", f, p, err)
				continue
			}
			t.Log(f, p, len(s.Expand()))
		}
	}
}
