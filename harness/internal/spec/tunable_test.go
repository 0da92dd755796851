package spec

import (
	"strings"
	"testing"
)

// tunableCatalog has a parameter that only the second algorithm may be tuned by.
type tunableCatalog struct{ sparseCatalog }

func (tunableCatalog) Params(task, algorithm string) []Param {
	one := 1.0
	p := Param{Name: "support", Kind: "int", Default: int64(8), Min: &one, Tunable: algorithm == "rsvm"}
	return append(sparseCatalog{}.Params(task, algorithm), p)
}

// A parameter may be tuned if one of the algorithms allows it, whichever comes
// first.
func TestTunableInOneAlgorithm(t *testing.T) {
	text := strings.Replace(sparse, "tune: [eta]", "tune: [eta, support]", 1)
	if _, err := parseSpec(text, LoadOptions{Catalog: tunableCatalog{}}); err != nil {
		t.Error(err)
	}
	alone := strings.Replace(text, "  - {id: rsvm, with: {ratio: 0.5}, datasets: [mnist], limit: {seconds: 600, memory: 2GB}}\n", "", 1)
	if _, err := parseSpec(alone, LoadOptions{Catalog: tunableCatalog{}}); err == nil || !strings.Contains(err.Error(), `parameter "support" cannot be tuned`) {
		t.Errorf("error %v", err)
	}
}
