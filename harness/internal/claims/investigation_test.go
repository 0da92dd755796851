package claims

import "testing"

func TestInvestigations(t *testing.T) {
	verdict := func(id, of, reading, outcome string) Verdict {
		return Verdict{Claim: Claim{ID: id, Of: of, Reading: reading, Says: "It is so"}, Outcome: outcome}
	}
	verdicts := []Verdict{
		verdict("a-1", "a", "one", Reproduced),
		verdict("b-1", "b", "one", NotReproduced),
		verdict("b", "", "", NotReproduced),
		verdict("a-2", "a", "two", Inconclusive),
		verdict("a-3", "a", "three", Reproduced),
		verdict("c", "", "", Reproduced),
	}
	all := Investigations(verdicts)
	if len(all) != 2 || all[0].Of != "a" || all[1].Of != "b" || all[0].Says != "It is so" {
		t.Fatalf("investigations are %+v", all)
	}
	for i, want := range []string{"The claim holds under 2 of the 3 readings tried.", "The claim holds under none of the 1 readings tried."} {
		if got := all[i].HoldsText(); got != want {
			t.Errorf("%s: %q, want %q", all[i].Of, got, want)
		}
	}
	if all[0].Itself != nil || all[1].Itself == nil || all[1].Itself.ID != "b" {
		t.Errorf("the verdicts on the claims themselves are %v and %v", all[0].Itself, all[1].Itself)
	}
	if n := all[0].Count(Inconclusive); n != 1 {
		t.Errorf("%d readings of a are inconclusive", n)
	}
	own := OfClaims(verdicts)
	if len(own) != 2 || own[0].ID != "b" || own[1].ID != "c" {
		t.Errorf("verdicts on claims themselves: %+v", own)
	}
	if Investigations(own) != nil {
		t.Error("claims themselves are no investigations")
	}
}

func TestReadingsNameTheirClaim(t *testing.T) {
	check := Check{Level: &Level{Reading: Reading{Series: "msg"}, Between: []*float64{nil, new(1.0)}}}
	for _, test := range []struct{ of, reading, want string }{
		{"", "", ""},
		{"b", "the last iterate", ""},
		{"b", " ", "of: reading is missing: state the reading of the text under which b is judged"},
		{"", "the last iterate", "reading: of is missing: give the id of the claim that this is a reading of"},
		{"a", "the last iterate", "of: a cannot be a reading of itself"},
	} {
		err := Claim{ID: "a", Of: test.of, Reading: test.reading, Says: "It is so", Check: check}.Validate()
		if got := text(err); got != test.want {
			t.Errorf("of %q, reading %q: %q, want %q", test.of, test.reading, got, test.want)
		}
	}
}

// text is what an error says, "" for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
