package claims

import "testing"

func TestSubject(t *testing.T) {
	t.Parallel()
	all := Subjects()
	for source, want := range map[string]string{
		"section 2.5":                      all[0],
		"section 3.6, fig-experiments":     all[1],
		"chapter 6, table":                 all[2],
		"section 4.3, lemma on the bound":  all[2],
		"section 12.1":                     "",
		"Shalev-Shwartz 2011, section 2.5": "",
	} {
		if got := (&Claim{Source: source}).Subject(); got != want {
			t.Errorf("%q is of %q, want %q", source, got, want)
		}
	}
}

func TestReadingsAreNoClaims(t *testing.T) {
	verdicts := []Verdict{{Claim: Claim{ID: "b-1", Of: "b"}}, {Claim: Claim{ID: "b"}}, {Claim: Claim{ID: "a-1", Of: "a"}}}
	if own := WithoutReadings(verdicts); len(own) != 1 || own[0].ID != "b" {
		t.Errorf("verdicts on claims: %+v", own)
	}
	if readings := OnlyReadings(verdicts); len(readings) != 2 || readings[0].ID != "b-1" || readings[1].ID != "a-1" {
		t.Errorf("verdicts on readings: %+v", readings)
	}
}
