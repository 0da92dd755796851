package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/words"
)

// reasonWidth is what a reason has room for, as a rule.
const reasonWidth = 160

// String writes the quantity with its interval.
func (e Estimate) String() string {
	text := e.Name + ": " + e.bare() + ", claimed " + e.Wanted
	if e.single() {
		text += " (one repeat)"
	}
	return text
}

// bare writes the number with its interval, if it has one.
func (e Estimate) bare() string {
	if e.Lo == e.Hi {
		return words.Rounded(e.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", words.Rounded(e.Value), words.Rounded(e.Lo), words.Rounded(e.Hi))
}

// single reports whether there is no interval, as there is but one repeat.
func (e Estimate) single() bool { return e.N == 1 && e.Exact == "" }

// where names a part.
func (p *Part) where() string {
	return strings.TrimSpace(p.Dataset + " " + p.Setting)
}

// decisive returns the estimate of a part that decided it.
func (p *Part) decisive() Estimate {
	if i := slices.IndexFunc(p.Estimates, func(e Estimate) bool { return e.Outcome == p.Outcome }); i >= 0 {
		return p.Estimates[i]
	}
	return p.Estimates[0]
}

// Whole is Reason with every part, however many there are.
func (v *Verdict) Whole() string {
	if len(v.Parts) == 0 {
		return v.Reason
	}
	return v.reason(math.MaxInt)
}

// reason says in a line what decided: the parts with the outcome first, as many as
// there is room for.
func (v *Verdict) reason(room int) string {
	if v.Outcome == NotRun {
		var why []Caveat
		for i := range v.Parts {
			why = AddCaveat(why, note("%s", v.Parts[i].Reason), v.Parts[i].where())
		}
		if len(v.Datasets) == 0 {
			v.everywhere(why)
		}
		return strings.Join(Texts(why), "; ")
	}
	n := v.count()
	sorted := slices.Clone(v.Parts)
	slices.SortStableFunc(sorted, func(a, b Part) int { return cmp.Compare(n.rank(a, v.Outcome), n.rank(b, v.Outcome)) })
	var texts []string
	name, wanted := "", ""
	width, rest := 0, 0
	for i := range sorted {
		p := &sorted[i]
		text, itsName, itsWanted := p.Reason, name, wanted
		if len(p.Estimates) > 0 {
			e := p.decisive()
			if text, itsName, itsWanted = e.bare(), e.Name, e.Wanted; itsName != name {
				text = itsName + ": " + text
			}
			if itsWanted != wanted {
				text += " (" + itsWanted + ")"
			}
		}
		if where := p.where(); where != "" && len(sorted) > 1 {
			text += " on " + where
		}
		if size := utf8.RuneCountInString(text); i == 0 || width+size <= room {
			texts, width = append(texts, text), width+size+2
			name, wanted = itsName, itsWanted
		} else {
			rest++
		}
	}
	if rest > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", rest))
	}
	line := strings.Join(texts, "; ")
	if n.parts > 1 {
		line = n.words(v.Holds) + "; " + line
	}
	return line
}

// rank orders the parts of an outcome by how much they had to do with it: those with
// the same, then others that were judged. What is open where none is inconclusive is
// what could not be judged, and comes first.
func (n tally) rank(p Part, outcome string) int {
	notJudged := 2
	if outcome == Inconclusive && n.inconclusive == 0 {
		notJudged = -1
	}
	switch p.Outcome {
	case outcome:
		return 0
	case NotRun:
		return notJudged
	}
	return 1
}
