package claims

import (
	"slices"
	"strings"

	"stochopt/results/words"
)

// caveats collects those of the parts, of parts that were not judged, of the scale,
// which it notes in the verdict, and of missing runs.
func (v *Verdict) caveats(j *judging) []string {
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
	for _, s := range j.in.Shortfalls {
		everywhere := datasets[""] && (len(v.Datasets) == 0 || slices.Contains(v.Datasets, s.Dataset))
		if s.Dataset != "" && !datasets[s.Dataset] && !everywhere || s.Series != "" && !slices.Contains(j.series, s.Series) {
			continue
		}
		v.Scale = append(v.Scale, s)
	}
	list = append(list, ScaleText(v.Scale)...)
	if j.in.Missing > 0 {
		list = append(list, words.Count(j.in.Missing, "run")+" of the experiment missing")
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
	g.of[i] = words.AddOnce(g.of[i], of)
}

// lines returns "a, b: text" for each text, without the names where it holds of
// all, or of nothing in particular.
func (g *grouped) lines(all int) []string {
	var lines []string
	for i, text := range g.texts {
		if of := g.of[i]; len(of) != all && of[0] != "" {
			text = words.List(of, 4) + ": " + text
		}
		lines = append(lines, text)
	}
	return lines
}
