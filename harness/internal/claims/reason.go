package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/observe"
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

// reason says in a line what decided: the parts with the outcome first, as many as there is room for.
func (v *Verdict) reason(room int) string {
	if v.Outcome == NotRun {
		var why []Caveat
		for _, p := range v.Parts {
			why = AddCaveat(why, note("%s", p.Reason), p.where())
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
	for i, p := range sorted {
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
	switch {
	case p.Outcome == outcome:
		return 0
	case p.Outcome != NotRun:
		return 1
	case outcome == Inconclusive && n.of[Inconclusive] == 0:
		return -1
	}
	return 2
}

// Values of Claim.Holds.
const (
	holdsMost = "most"
	holdsAny  = "any"
)

// worst is the outcome of several estimates, all of which have to hold.
func worst(estimates []Estimate) string {
	for _, outcome := range []string{NotReproduced, Inconclusive} {
		if slices.ContainsFunc(estimates, func(e Estimate) bool { return e.Outcome == outcome }) {
			return outcome
		}
	}
	return Reproduced
}

type tally struct {
	parts int
	of    map[string]int // by outcome
	// apart are those of the parts not run that do not count: on stand-in data, of a claim about real data.
	apart int
}

func (v *Verdict) count() tally {
	n := tally{parts: len(v.Parts), of: make(map[string]int)}
	for _, p := range v.Parts {
		n.of[p.Outcome]++
		if p.Outcome == NotRun && p.StandIn && v.Data == dataReal {
			n.apart++
		}
	}
	return n
}

// outcome is that of a claim that holds of all, most or any of its parts.
func (n tally) outcome(holds string) string {
	counting, holding := n.parts-n.apart, n.of[Reproduced]
	possible := counting - n.of[NotReproduced] // where it may hold
	var yes, no bool
	switch holds {
	case holdsMost:
		yes, no = 2*holding > counting, 2*possible <= counting
	case holdsAny:
		yes, no = holding > 0, possible == 0
	default:
		yes, no = holding == counting, possible < counting
	}
	switch {
	case n.of[NotRun] == n.parts:
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
	text := fmt.Sprintf("holds on %d of %d", n.of[Reproduced], n.parts)
	for _, outcome := range []string{Inconclusive, NotRun} {
		if n.of[outcome] > 0 {
			text += fmt.Sprintf(", %d %s", n.of[outcome], outcome)
		}
	}
	if holds == holdsMost || holds == holdsAny {
		text += " (" + holds + ")"
	}
	return text
}

func note(format string, args ...any) observe.Remark {
	return observe.Remark{Kind: observe.Note, Text: fmt.Sprintf(format, args...)}
}

func doubt(format string, args ...any) observe.Remark {
	return observe.Remark{Kind: observe.Doubt, Text: fmt.Sprintf(format, args...)}
}

// Remarks that several places make.
var (
	standIn  = doubt("stand-in data")
	unpaired = note("only repeats that all series have are used")
)

// Caveat is a remark with what it holds of: data sets with settings, data sets or
// series. On is empty if that is all, or nothing in particular.
type Caveat struct {
	observe.Remark
	On []string
}

func (c Caveat) String() string {
	if len(c.On) == 0 {
		return c.Text
	}
	return words.List(c.On, 4) + ": " + c.Text
}

// MarshalText writes the words.
func (c Caveat) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads words, whose kind is not known.
func (c *Caveat) UnmarshalText(text []byte) error {
	*c = Caveat{Remark: observe.Remark{Text: string(text)}}
	return nil
}

// Texts are the words of caveats.
func Texts(list []Caveat) []string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.String())
	}
	return texts
}

// AddCaveat adds a remark to a list, in which each is once, with all that it holds of.
func AddCaveat(list []Caveat, r observe.Remark, on ...string) []Caveat {
	i := slices.IndexFunc(list, func(c Caveat) bool { return c.Remark == r })
	if i < 0 {
		return append(list, Caveat{r, slices.Clone(on)})
	}
	if len(on) == 0 || len(list[i].On) == 0 { // it holds of all
		list[i].On = nil
		return list
	}
	for _, name := range on {
		list[i].On = words.AddOnce(list[i].On, name)
	}
	return list
}

// caveats collects the caveats of the parts, of parts that were not judged, of the scale and of missing runs.
func (v *Verdict) caveats(series []string, in *Origin) []Caveat {
	var list []Caveat
	datasets := make(map[string]bool)
	for _, p := range v.Parts {
		datasets[p.Dataset] = true
		if v.Outcome == NotRun {
			continue
		}
		for _, c := range p.Caveats {
			list = AddCaveat(list, c.Remark, p.where())
		}
		if p.Outcome == NotRun {
			list = AddCaveat(list, doubt("not judged: %s", p.Reason), p.where())
		}
	}
	v.everywhere(list)
	about := func(name string) bool { return name == "" || slices.Contains(series, name) }
	for _, s := range in.Shortfalls {
		everywhere := datasets[""] && (len(v.Datasets) == 0 || slices.Contains(v.Datasets, s.Dataset))
		if s.Dataset != "" && !datasets[s.Dataset] && !everywhere || !about(s.Series) {
			continue
		}
		var on []string
		if where := strings.TrimSpace(s.Dataset + " " + s.Series); where != "" {
			on = []string{where}
		}
		list = AddCaveat(list, observe.Remark{Kind: observe.BelowScale, Text: s.Text}, on...)
	}
	missing := 0
	for _, m := range in.Missing {
		if m.Dataset == "" || len(v.Datasets) == 0 || slices.Contains(v.Datasets, m.Dataset) {
			if about(m.Series) {
				missing += m.Runs
			}
		}
	}
	if missing > 0 {
		list = AddCaveat(list, doubt("not on record: %s that the claim is about", words.Count(missing, "run")))
	}
	return list
}

// everywhere leaves out of caveats what they hold of where that is all parts.
func (v *Verdict) everywhere(list []Caveat) {
	for i, c := range list {
		if len(c.On) == len(v.Parts) || c.On[0] == "" {
			list[i].On = nil
		}
	}
}
