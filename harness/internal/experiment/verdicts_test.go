package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// claimingSpec makes a claim that the records of experiment decide, and one that
// they cannot.
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

// Files of a folder that are longer than any that is written are not read.
func TestFilesThatAreTooLong(t *testing.T) {
	t.Parallel()
	f := folder(t)
	for _, name := range []string{ManifestFile, ClaimsFile, SpecFile} {
		put(t, f, name, strings.Repeat(" ", MostText+1))
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
		t.Errorf("a run says %q", damage)
	}
}

// Verdicts on record stand while nothing that they were judged by has changed.
func TestVerdictsOnRecordStand(t *testing.T) {
	t.Parallel()
	f := folder(t)
	s := claimingSpec()
	if err := Describe(f.Dir, s, f.Manifest); err != nil {
		t.Fatal(err)
	}
	d, err := f.Derive(s)
	if err != nil {
		t.Fatal(err)
	}
	standing := func() string {
		t.Helper()
		verdicts := d.Standing()
		if len(verdicts) != 2 {
			t.Fatalf("verdicts %+v", verdicts)
		}
		return verdicts[0].Outcome
	}
	if got := standing(); got != claims.Reproduced {
		t.Errorf("without any on record the verdict is %s", got)
	}
	put(t, f, ClaimsFile, `{"schema": 1, "claims": [{"id": "other", "experiment": "exp", "outcome": "inconclusive"}]}`)
	if got := standing(); got != claims.Reproduced {
		t.Errorf("with those on other claims the verdict is %s", got)
	}
	put(t, f, record.PartsFolder+"/1.jsonl", "")
	if _, err := d.Write(What{Claims: true}); err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(content(t, f, ClaimsFile), `"outcome": "reproduced"`, `"outcome": "inconclusive"`, 1)
	put(t, f, ClaimsFile, other)
	if got := standing(); got != claims.Inconclusive {
		t.Errorf("the verdict on record is inconclusive, and the one that stands %s", got)
	}
	for _, name := range []string{record.DatabaseFile, SpecFile, record.PartsFolder + "/1.jsonl"} {
		now := time.Now()
		for _, at := range []time.Time{now.Add(time.Hour), now.Add(-time.Hour)} {
			if err := os.Chtimes(filepath.Join(f.Dir, name), time.Time{}, at); err != nil {
				t.Fatal(err)
			}
			if got := standing(); (got == claims.Reproduced) != at.After(now) {
				t.Errorf("with %s of %s the verdict is %s", name, at, got)
			}
		}
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
	p := made(t, f, s, What{Claims: true})
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
	if made(t, f, s, What{Claims: true}); content(t, f, ClaimsFile) != text || strings.Contains(text, `\u003c`) {
		t.Errorf("the file escapes text for HTML, or differs when written again:\n%s", text)
	}
	// Without claims there are no verdicts, and those there were go.
	s.Claims = nil
	if _, err := Tidy(f.Dir, s); err != nil {
		t.Fatal(err)
	}
	if p, err = written(f, s, All); err != nil || p.Verdicts != nil {
		t.Errorf("verdicts %v, %v", p.Verdicts, err)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, ClaimsFile)); !os.IsNotExist(err) {
		t.Errorf("claims.json is still there: %v", err)
	}
}
