package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// reasonWidth is the usual maximum length of a reason, in characters.
const reasonWidth = 160

// String returns the name, the number with its interval, and the claimed range.
func (e Estimate) String() string {
	text := e.Name + ": " + e.bare() + ", claimed " + e.Wanted
	if e.single() {
		text += " (one repeat)"
	}
	return text
}

// bare returns the number with its interval, if it has one, with three digits. It has up to six digits if a rounded
// interval would relate differently to the claimed range.
func (e Estimate) bare() string {
	digits := 3
	relation := func(lo, hi float64) string { return compare(e.Between, stats.Interval{Lo: lo, Hi: hi}) }
	for digits < 6 && relation(words.Round(e.Lo, digits), words.Round(e.Hi, digits)) != relation(e.Lo, e.Hi) {
		digits++
	}
	text := func(v float64) string { return words.RoundedTo(v, digits) }
	if e.Lo == e.Hi {
		return text(e.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", text(e.Value), text(e.Lo), text(e.Hi))
}

// single reports whether there is no interval because there is only one repeat.
func (e Estimate) single() bool { return e.N == 1 && e.Exact == "" }

func (p *Part) where() string {
	return strings.TrimSpace(p.Dataset + " " + p.Setting)
}

// decisive returns the index of the estimate that decided a part.
func (p *Part) decisive() int {
	return max(slices.IndexFunc(p.Estimates, func(e Estimate) bool { return e.Outcome == p.Outcome }), 0)
}

// FullReason returns the reason with all parts, without a limit on its length.
func (v *Verdict) FullReason() string {
	if len(v.Parts) == 0 || v.Unjudged != "" {
		return v.Reason
	}
	return v.reason(math.MaxInt)
}

// reason returns the deciding numbers of the parts on one line of about room characters. Parts with the outcome of
// the verdict come first.
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
	rank := map[string]int{Reproduced: 1, Inconclusive: 1, NotReproduced: 1, NotRun: 2}
	rank[v.Outcome] = 0
	if v.count(v.Outcome) == 0 {
		rank[NotRun] = 0 // parts that were not judged made the claim inconclusive
	}
	sorted := slices.Clone(v.Parts)
	slices.SortStableFunc(sorted, func(a, b Part) int { return rank[a.Outcome] - rank[b.Outcome] })
	var texts []string
	name, wanted := "", ""
	width, rest := 0, 0
	for i, p := range sorted {
		text, itsName, itsWanted := p.Reason, name, wanted
		if len(p.Estimates) > 0 {
			e := p.Estimates[p.decisive()]
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
	if len(v.Parts) > 1 {
		line = v.counted() + "; " + line
	}
	return line
}

// Values of Claim.Holds.
const (
	holdsMost = "most"
	holdsAny  = "any"
)

// count returns the number of parts with an outcome.
func (v *Verdict) count(outcome string) (n int) {
	for _, p := range v.Parts {
		if p.Outcome == outcome {
			n++
		}
	}
	return n
}

// outcome returns the outcome of a claim that must hold on needed of its parts.
func (v *Verdict) outcome(needed, of int) string {
	switch {
	case v.count(NotRun) == len(v.Parts):
		return NotRun
	case v.count(Reproduced) >= needed:
		return Reproduced
	case of-v.count(NotReproduced) < needed:
		return NotReproduced
	}
	return Inconclusive
}

// counted describes on how many parts the claim holds.
func (v *Verdict) counted() string {
	text := fmt.Sprintf("holds on %d of %d", v.count(Reproduced), len(v.Parts))
	for _, outcome := range []string{Inconclusive, NotRun} {
		if n := v.count(outcome); n > 0 {
			text += fmt.Sprintf(", %d %s", n, outcome)
		}
	}
	if v.Holds == holdsMost || v.Holds == holdsAny {
		text += " (" + v.Holds + ")"
	}
	return text
}

func note(format string, args ...any) observe.Remark {
	return observe.Remark{Kind: observe.Note, Text: fmt.Sprintf(format, args...)}
}

func doubt(format string, args ...any) observe.Remark {
	return observe.Remark{Kind: observe.Doubt, Text: fmt.Sprintf(format, args...)}
}

// Remarks that are used in several places.
var (
	standIn  = doubt("stand-in data")
	unpaired = note("only repeats that all series have are used")
)

// Caveat is a remark with the parts, datasets or series that it applies to. On is empty if it applies to all or to
// none in particular.
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

// MarshalText returns the text of String.
func (c Caveat) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the text. The kind remains unknown.
func (c *Caveat) UnmarshalText(text []byte) error {
	*c = Caveat{Remark: observe.Remark{Text: string(text)}}
	return nil
}

// Texts returns the texts of caveats.
func Texts(list []Caveat) []string {
	var texts []string
	for _, c := range list {
		texts = append(texts, c.String())
	}
	return texts
}

// AddCaveat adds a remark to a list. If the list has the remark, AddCaveat extends the names that it applies to.
// Empty names are ignored; without names, the remark applies to everything.
func AddCaveat(list []Caveat, r observe.Remark, on ...string) []Caveat {
	on = slices.DeleteFunc(slices.Clone(on), func(name string) bool { return name == "" })
	i := slices.IndexFunc(list, func(c Caveat) bool { return c.Remark == r })
	if i < 0 {
		return append(list, Caveat{r, on})
	}
	if len(on) == 0 || len(list[i].On) == 0 { // it applies to everything
		list[i].On, on = nil, nil
	}
	for _, name := range on {
		list[i].On = words.AddOnce(list[i].On, name)
	}
	return list
}

// caveats collects the caveats of the parts, on parts that were not judged, on the scale and on missing runs.
func (v *Verdict) caveats(series []string, in *Origin) []Caveat {
	var list []Caveat
	named := func(dataset string) bool { return len(v.Datasets) == 0 || slices.Contains(v.Datasets, dataset) }
	about := func(name string) bool { return name == "" || slices.Contains(series, name) }
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
	for _, s := range in.Shortfalls {
		if about(s.Series) && (s.Dataset == "" || datasets[s.Dataset] || datasets[""] && named(s.Dataset)) {
			list = AddCaveat(list, observe.Remark{Kind: observe.BelowScale, Text: s.Text}, strings.TrimSpace(s.Dataset+" "+s.Series))
		}
	}
	missing := 0
	for _, m := range in.Missing {
		if about(m.Series) && (m.Dataset == "" || named(m.Dataset)) {
			missing += m.Runs
		}
	}
	if missing > 0 {
		list = AddCaveat(list, doubt("not on record: %s that the claim is about", words.Count(missing, "run")))
	}
	return list
}

// everywhere removes the names of caveats that apply to all parts.
func (v *Verdict) everywhere(list []Caveat) {
	for i, c := range list {
		if len(c.On) == len(v.Parts) {
			list[i].On = nil
		}
	}
}

// pValue returns the p-value of a decided verdict. If the verdict needs n parts with its outcome, it is the n-th
// smallest of their p-values. The levels of all parts are corrected for their number.
func (v *Verdict) pValue(needed, of int) float64 {
	switch v.Outcome {
	case Inconclusive, NotRun:
		return 0
	case NotReproduced:
		needed = of - needed + 1
	}
	var all []float64
	for _, p := range v.Parts {
		if p.Outcome != v.Outcome {
			continue
		}
		var own []float64
		for _, e := range p.Estimates {
			if e.Outcome == v.Outcome {
				own = append(own, e.P)
			}
		}
		switch {
		case len(own) == 0: // all runs diverged
			all = append(all, 0)
		case v.Outcome == Reproduced: // all estimates must hold
			all = append(all, slices.Max(own))
		default: // any estimate refutes the part
			all = append(all, slices.Min(own))
		}
	}
	slices.Sort(all)
	return all[needed-1]
}

// ExpectedErrors describes how many of the verdicts on experiments that intervals decided are expected to be wrong
// at most, and which have too large a p-value for a false discovery rate of 5 % among all judged claims. It is "" if
// fewer than one is expected to be wrong.
func ExpectedErrors(verdicts []Verdict) string {
	var p []float64
	var decided []Verdict
	for _, v := range WithoutReadings(verdicts) {
		if v.KindOrDefault() != Experiment {
			continue
		}
		if v.P > 0 {
			p, decided = append(p, v.P), append(decided, v)
		} else if v.Outcome == Inconclusive {
			p = append(p, 1)
		}
	}
	wrong, limit := (1-confidence)*float64(len(decided)), stats.DiscoveryLimit(p, 1-confidence)
	if len(decided) < 20 {
		return ""
	}
	var doubted []string
	for _, v := range decided {
		if v.P > limit {
			doubted = append(doubted, v.ID)
		}
	}
	text := fmt.Sprintf("of %d claims that intervals of 95 %% decided, at most %.1f are expected to be wrong by chance; "+
		"at a false discovery rate of 5 %% among %d judged %d stand", len(decided), wrong, len(p), len(decided)-len(doubted))
	if len(doubted) > 0 {
		text += ", but not " + strings.Join(doubted, ", ")
	}
	return text
}
