package claims

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/results/words"
)

// Investigation is a claim that is judged under several readings of its text, by
// specifications whose claims name it in Of.
type Investigation struct {
	// Of is the id of the claim, Source and Says are those of its readings.
	Of     string `json:"of"`
	Source string `json:"source,omitempty"`
	Says   string `json:"says"`
	// Itself is the verdict on the claim as the thesis's specification has it, nil if
	// that is not at hand.
	Itself *Verdict `json:"itself,omitempty"`
	// Readings are the verdicts by reading.
	Readings []Verdict `json:"readings"`
}

// Investigations gathers the verdicts of readings by the claim that they are readings
// of, both in the order in which they come. All others are left out, but for those on
// the claims themselves.
func Investigations(verdicts []Verdict) []Investigation {
	var all []Investigation
	for _, v := range verdicts {
		if v.Of == "" {
			continue
		}
		i := slices.IndexFunc(all, func(in Investigation) bool { return in.Of == v.Of })
		if i < 0 {
			i, all = len(all), append(all, Investigation{Of: v.Of, Source: v.Source, Says: v.Says})
		}
		all[i].Readings = append(all[i].Readings, v)
	}
	for i := range all {
		itself := func(v Verdict) bool { return v.Of == "" && v.ID == all[i].Of }
		if j := slices.IndexFunc(verdicts, itself); j >= 0 {
			all[i].Itself = &verdicts[j]
		}
	}
	return all
}

// OfClaims returns the verdicts on claims themselves, without those of readings.
func OfClaims(verdicts []Verdict) []Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v.Of != "" })
}

// Count returns the number of readings with an outcome.
func (in *Investigation) Count(outcome string) (n int) {
	for i := range in.Readings {
		if in.Readings[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// HoldsText says of how many readings the claim is true.
func (in *Investigation) HoldsText() string {
	switch n, open := in.Count(Reproduced), in.Count(Inconclusive); {
	case n > 0:
		return fmt.Sprintf("The claim holds under %d of the %s tried.", n, words.Count(len(in.Readings), "reading"))
	case open > 0:
		return fmt.Sprintf("The claim holds under none of the readings tried; %d of %d are inconclusive.", open, len(in.Readings))
	}
	return fmt.Sprintf("The claim holds under none of the %d readings tried.", len(in.Readings))
}

// examineReading finds a reading of no claim, and a claim without the reading.
func (c *Claim) examineReading(top place) {
	switch isReading := strings.TrimSpace(c.Reading) != ""; {
	case c.Of != "" && !isReading:
		top.in("of").fail("reading is missing: state the reading of the text under which %s is judged", c.Of)
	case c.Of == "" && isReading:
		top.in("reading").fail("of is missing: give the id of the claim that this is a reading of")
	case c.Of == c.ID && c.Of != "":
		top.in("of").fail("%s cannot be a reading of itself", c.Of)
	}
}
