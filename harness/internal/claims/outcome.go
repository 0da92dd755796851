package claims

import "fmt"

// Values of Claim.Holds.
const (
	holdsMost = "most"
	holdsAny  = "any"
)

// worst is the outcome of several estimates, all of which have to hold.
func worst(estimates []Estimate) string {
	outcome := Reproduced
	for _, e := range estimates {
		switch {
		case e.Outcome == NotReproduced:
			return NotReproduced
		case e.Outcome != Reproduced:
			outcome = Inconclusive
		}
	}
	return outcome
}

// tally counts the parts of a claim by outcome.
type tally struct {
	parts, reproduced, notReproduced, inconclusive, notRun int
	// apart are those of the parts not run that do not count: on stand-in data, of a
	// claim about real data.
	apart int
}

func (v *Verdict) count() tally {
	n := tally{parts: len(v.Parts)}
	for i := range v.Parts {
		switch p := &v.Parts[i]; p.Outcome {
		case Reproduced:
			n.reproduced++
		case NotReproduced:
			n.notReproduced++
		case Inconclusive:
			n.inconclusive++
		case NotRun:
			n.notRun++
			if p.StandIn && v.Data == dataReal {
				n.apart++
			}
		}
	}
	return n
}

// outcome is that of a claim that holds of all, most or any of its parts.
func (n tally) outcome(holds string) string {
	counting, open := n.parts-n.apart, n.inconclusive+n.notRun-n.apart
	var yes, no bool
	switch holds {
	case holdsMost:
		yes, no = 2*n.reproduced > counting, 2*(n.reproduced+open) <= counting
	case holdsAny:
		yes, no = n.reproduced > 0, n.reproduced+open == 0
	default:
		yes, no = n.reproduced == counting, n.notReproduced > 0
	}
	switch {
	case n.notRun == n.parts:
		return NotRun
	case yes:
		return Reproduced
	case no:
		return NotReproduced
	}
	return Inconclusive
}

// words says on how many parts the claim holds.
func (n tally) words(holds string) string {
	text := fmt.Sprintf("holds on %d of %d", n.reproduced, n.parts)
	if n.inconclusive > 0 {
		text += fmt.Sprintf(", %d inconclusive", n.inconclusive)
	}
	if n.notRun > 0 {
		text += fmt.Sprintf(", %d not run", n.notRun)
	}
	if holds == holdsMost || holds == holdsAny {
		text += " (" + holds + ")"
	}
	return text
}
