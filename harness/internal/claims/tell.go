package claims

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/results/record"
)

// reasonWidth is what a reason has room for, as a rule.
const reasonWidth = 160

// String writes the quantity with its interval.
func (e Estimate) String() string {
	text := e.Name + ": " + e.bare() + ", to be " + e.Wanted
	if e.single() {
		text += " (one repeat)"
	}
	return text
}

// bare writes the number with its interval, if it has one.
func (e Estimate) bare() string {
	if e.Lo == e.Hi {
		return short(e.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", short(e.Value), short(e.Lo), short(e.Hi))
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

// reason says in a line what decided: the parts with the outcome first, as many as
// there is room for.
func reason(parts []Part, outcome, holds string) string {
	if outcome == NotRun {
		var why grouped
		for i := range parts {
			why.add(parts[i].where(), parts[i].Reason)
		}
		return strings.Join(why.lines(len(parts)), "; ")
	}
	sorted := slices.Clone(parts)
	rank := func(p Part) int {
		switch {
		case p.Outcome == outcome:
			return 0
		case p.Outcome == NotRun:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(sorted, func(a, b Part) int { return cmp.Compare(rank(a), rank(b)) })
	if outcome == Inconclusive && !slices.ContainsFunc(parts, func(p Part) bool { return p.Outcome == Inconclusive }) {
		// What is open is what could not be judged.
		slices.SortStableFunc(sorted, func(a, b Part) int { return cmp.Compare(rank(b), rank(a)) })
	}
	var texts []string
	name, wanted := "", ""
	width, rest := 0, 0
	for i := range sorted {
		p := &sorted[i]
		text, n, w := p.Reason, name, wanted
		if len(p.Estimates) > 0 {
			e := p.decisive()
			if text, n, w = e.bare(), e.Name, e.Wanted; n != name {
				text = n + ": " + text
			}
			if w != wanted {
				text += " (" + w + ")"
			}
		}
		if where := p.where(); where != "" && len(sorted) > 1 {
			text += " on " + where
		}
		if size := utf8.RuneCountInString(text); i == 0 || width+size <= reasonWidth {
			texts, width = append(texts, text), width+size+2
			name, wanted = n, w
		} else {
			rest++
		}
	}
	if rest > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", rest))
	}
	line := strings.Join(texts, "; ")
	if len(parts) > 1 {
		line = tally(parts, holds) + "; " + line
	}
	return line
}

// whereText says what a claim is restricted to, " where k = 2 or 4", "" for nothing.
func (c *Claim) whereText() string {
	var texts []string
	for _, name := range sortedKeys(c.Where) {
		options, ok := c.Where[name].([]any)
		if !ok {
			options = []any{c.Where[name]}
		}
		values := make([]string, len(options))
		for i, v := range options {
			values[i] = record.FormatValue(v)
		}
		texts = append(texts, name+" = "+strings.Join(values, " or "))
	}
	if len(texts) == 0 {
		return ""
	}
	return " where " + strings.Join(texts, " and ")
}

var openParts = regexp.MustCompile(`^true of \d+ of \d+, \d+ open`)

// TellsOfOpen reports whether a reason counts parts that are open.
func TellsOfOpen(reason string) bool { return openParts.MatchString(reason) }

// tally counts the parts by outcome, where they differ.
func tally(parts []Part, holds string) string {
	n := make(map[string]int)
	for _, p := range parts {
		n[p.Outcome]++
	}
	text := fmt.Sprintf("true of %d of %d", n[Reproduced], len(parts))
	if n[Inconclusive] > 0 {
		text += fmt.Sprintf(", %d open", n[Inconclusive])
	}
	if n[NotRun] > 0 {
		text += fmt.Sprintf(", %d not run", n[NotRun])
	}
	if holds == holdsMost || holds == holdsAny {
		text += " (" + holds + ")"
	}
	return text
}

// caveats collects those of the parts, of parts that were not judged, of the scale,
// which it notes in the verdict, and of missing runs.
func caveats(v *Verdict, in *Input, series []string) []string {
	var out grouped
	datasets := make(map[string]bool)
	for i := range v.Parts {
		p := &v.Parts[i]
		datasets[p.Dataset] = true
		if v.Outcome == NotRun {
			continue
		}
		for _, c := range p.Caveats {
			out.add(p.where(), c)
		}
		if p.Outcome == NotRun {
			out.add(p.where(), "not judged: "+p.Reason)
		}
	}
	list := out.lines(len(v.Parts))
	for _, s := range in.Shortfalls {
		everywhere := datasets[""] && (len(v.Datasets) == 0 || slices.Contains(v.Datasets, s.Dataset))
		if s.Dataset != "" && !datasets[s.Dataset] && !everywhere || s.Series != "" && !slices.Contains(series, s.Series) {
			continue
		}
		v.Scale = append(v.Scale, s)
	}
	list = append(list, ScaleText(v.Scale)...)
	if in.Missing > 0 {
		list = append(list, count(in.Missing, "run")+" of the experiment missing")
	}
	return list
}

// ScaleText says in which ways runs are below the scale of the thesis, what holds of
// several data sets or series once.
func ScaleText(of []Shortfall) []string {
	var scale grouped
	for _, s := range of {
		scale.add(strings.TrimSpace(s.Dataset+" "+s.Series), s.Text)
	}
	return scale.lines(0)
}

// grouped collects texts that hold of several things.
type grouped struct {
	texts []string
	of    [][]string
}

func (g *grouped) add(of, text string) {
	i := slices.Index(g.texts, text)
	if i < 0 {
		i = len(g.texts)
		g.texts, g.of = append(g.texts, text), append(g.of, nil)
	}
	if !slices.Contains(g.of[i], of) {
		g.of[i] = append(g.of[i], of)
	}
}

// lines returns "a, b: text" for each text, without the names where it holds of
// all, or of nothing in particular.
func (g *grouped) lines(all int) []string {
	var lines []string
	for i, text := range g.texts {
		if of := g.of[i]; len(of) != all && of[0] != "" {
			text = enumerate(of, 4) + ": " + text
		}
		lines = append(lines, text)
	}
	return lines
}
