package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
)

// claimingSpec returns a spec with a claim that the records decide, and one that needs a larger profile.
func claimingSpec() *spec.Spec {
	number := func(v float64) *float64 { return &v }
	s := exampleSpec()
	s.Claims = []claims.Claim{
		{ID: "length", Source: "section 1", Says: "MSG takes 100 steps.", From: "smoke", Check: claims.Check{
			Level: &claims.Level{Reading: claims.Reading{Series: "msg", Read: "cost"}, Between: []*float64{number(99), number(101)}}}},
		{ID: "far", Source: "section 2", Says: "MSG is below <what> & that.", From: "paper", Check: claims.Check{
			Level: &claims.Level{Reading: claims.Reading{Series: "msg"}, Between: []*float64{nil, number(1)}}}},
	}
	return s
}

// Files that are too long are not read.
func TestFilesThatAreTooLong(t *testing.T) {
	t.Parallel()
	f := folder(t)
	for _, name := range []string{ManifestFile, ClaimsFile, SpecFile} {
		put(t, f, name, strings.Repeat(" ", MaxText+1))
	}
	_, errManifest := Open(f.Dir)
	_, errClaims := f.RecordedVerdicts()
	if !errors.Is(errManifest, disk.ErrTooLong) || !errors.Is(errClaims, disk.ErrTooLong) {
		t.Errorf("errors %v, %v", errManifest, errClaims)
	}
	if _, err := f.SpecText(); err == nil {
		t.Error("the spec is read")
	}
	if damage := manifestDamage(f.Dir); len(damage) != 1 {
		t.Errorf("the warnings are %q", damage)
	}
}

func TestClaimsAreJudgedAndWritten(t *testing.T) {
	t.Parallel()
	below := []claims.Shortfall{{Text: "2 of 10 repeats"}}
	f, s := folder(t), claimingSpec()
	if err := Describe(f.Dir, s, Manifest{Spec: "exp", Profile: "quick", BelowPaper: below}); err != nil {
		t.Fatal(err)
	}
	f, err := Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p := writeProducts(t, f, s, Kinds{Claims: true})
	if len(p.Files) != 2 || p.Files[0].Name != ObservationsFile || p.Files[1].Name != ClaimsFile {
		t.Errorf("%d files", len(p.Files))
	}
	file, err := f.RecordedVerdicts()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range [][]claims.Verdict{p.Verdicts, file.Claims} {
		if len(v) != 2 || v[0].Outcome != claims.Reproduced || v[1].Outcome != claims.NotRun || v[1].Says != s.Claims[1].Says ||
			!slices.Contains(claims.Texts(v[0].Caveats), below[0].Text) {
			t.Errorf("verdicts %d: %+v", i, v)
		}
	}
	if c := file.Claims[0]; c.Experiment != "exp" || c.Profile != "quick" || !slices.Equal(file.BelowPaper, below) {
		t.Errorf("read %+v", file)
	}
	text := content(t, f, ClaimsFile)
	if writeProducts(t, f, s, Kinds{Claims: true}); content(t, f, ClaimsFile) != text || strings.Contains(text, `\u003c`) {
		t.Errorf("the file has HTML escapes, or differs when written again:\n%s", text)
	}
	// Without claims there are no verdicts, and old ones are removed.
	s.Claims = nil
	if _, err := removeStale(f.Dir, s); err != nil {
		t.Fatal(err)
	}
	if p, err = tryWrite(f, s, AllKinds); err != nil || p.Verdicts != nil {
		t.Errorf("verdicts %v, %v", p.Verdicts, err)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, ClaimsFile)); !os.IsNotExist(err) {
		t.Errorf("claims.json is still there: %v", err)
	}
}
