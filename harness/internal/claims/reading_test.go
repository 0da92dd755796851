package claims

import "testing"

func TestReadingsAreNoClaims(t *testing.T) {
	verdicts := []Verdict{{Claim: Claim{ID: "b-1", Of: "b"}}, {Claim: Claim{ID: "b"}}, {Claim: Claim{ID: "a-1", Of: "a"}}}
	if own := OfClaims(verdicts); len(own) != 1 || own[0].ID != "b" {
		t.Errorf("verdicts on claims: %+v", own)
	}
	if readings := OfReadings(verdicts); len(readings) != 2 || readings[0].ID != "b-1" || readings[1].ID != "a-1" {
		t.Errorf("verdicts on readings: %+v", readings)
	}
}

func TestReadingsNameTheirClaim(t *testing.T) {
	check := Check{Level: &Level{Reading: Reading{Series: "msg"}, Between: []*float64{nil, new(1.0)}}}
	const needsBoth = "reading: a reading needs both: of, the id of the claim, and reading, how its text is read"
	for _, test := range []struct{ of, reading, want string }{
		{"", "", ""},
		{"b", "the last iterate", ""},
		{"b", " ", needsBoth},
		{"", "the last iterate", needsBoth},
		{"a", "the last iterate", "of: a cannot be a reading of itself"},
	} {
		got := ""
		if err := (Claim{ID: "a", Of: test.of, Reading: test.reading, Says: "It is so", Check: check}).Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("of %q, reading %q: %q, want %q", test.of, test.reading, got, test.want)
		}
	}
}
