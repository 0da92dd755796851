package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/report"
	"stochopt/results/words"
)

// view is a page as the templates have it.
type view struct {
	*report.Page
	Style                  template.CSS
	Theme, Library, Script template.JS
	Policy                 string
	// Alarms are what must not be missed about the page as a whole.
	Alarms []string
	Claims []claim
	// Findings are the claims that a reader is to see first.
	Findings []*claim
	// OfThesis: claims are of experiments that redraw what is in the thesis.
	OfThesis bool
	Kinds    []*claimKind
	// Investigations are the claims that are judged under several readings.
	Investigations []investigation
	Experiments    []*experiment
	Filters        []filter
	Figures        int
}

// outcome is an outcome with the number of claims that have it.
type outcome struct {
	Name, ID, Symbol string
	// Rank is its place among the claims of an experiment.
	Rank, Count int
}

// Outcomes are those of all claims.
func (v *view) Outcomes() []outcome { return outcomes }

// outcomes are the outcomes in the order that the page has them. Their symbols
// differ in shape.
var outcomes = []outcome{
	{Name: claims.Reproduced, ID: "reproduced", Symbol: "✓", Rank: 2},
	{Name: claims.NotReproduced, ID: "not-reproduced", Symbol: "✗", Rank: 0},
	{Name: claims.Inconclusive, ID: "inconclusive", Symbol: "≈", Rank: 1},
	{Name: claims.NotRun, ID: "not-run", Symbol: "–", Rank: 3},
}

// outcomeOf returns the outcome of a name; an unknown one looks like "not run".
func outcomeOf(name string) outcome {
	if i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.Name == name }); i >= 0 {
		return outcomes[i]
	}
	return outcome{Name: name, ID: "not-run", Symbol: "–", Rank: 3}
}

// filter is a group of boxes to tick.
type filter struct {
	// Key is that of facets.
	Key, Title string
	Options    []option
}

type option struct {
	Value, Label, Color string
}

// facets are what an element of the page is found by: its experiment, which rows
// of tables leave to what they are in, and names.
type facets struct {
	Experiment                 string
	Datasets, Series, Outcomes []string
}

// experiment is an experiment with ids that are its own on the page.
type experiment struct {
	report.Experiment
	Anchor  string
	Profile string
	Alarms  []string
	Facets  facets
	Kinds   []*claimKind
	Figures []*figure
	Tables  []*table
	Costs   *table
	Choices []choice
	// Edges is the number of choices at an end of their grid.
	Edges  int
	Curves *report.Link
	// Failing is the number of runs with problems.
	Failing int
}

// about are the facets of a row on a data set and a series.
func about(dataset, series string) facets {
	return facets{Datasets: []string{dataset}, Series: []string{series}}
}

func newView(p *report.Page) (*view, error) {
	v := &view{Page: p}
	names := names{}
	var standIns []string
	for i := range p.Experiments {
		e, err := newExperiment(&p.Experiments[i], names)
		if err != nil {
			return nil, err
		}
		v.Experiments = append(v.Experiments, e)
		v.Figures += len(e.Figures)
		v.Claims = append(v.Claims, claimsOf(e, names)...)
		v.OfThesis = v.OfThesis || len(e.claimed()) > 0 && len(e.Mirrors) > 0
		for _, id := range e.Manifest.StandIns() {
			standIns = append(standIns, id+" ("+e.Name+")")
		}
	}
	var all []*claim
	for i := range v.Claims {
		all = append(all, &v.Claims[i])
	}
	v.Kinds, v.Findings = kindsOf(all, names), findingsOf(all)
	v.Investigations = investigationsOf(v.Experiments, names)
	linkFigures(v)
	if len(standIns) > 0 {
		v.Alarms = append(v.Alarms, "STAND-IN DATA: some real data were not available and are made up; what is shown of them is not a result on the real data: "+strings.Join(standIns, ", "))
	}
	v.Filters = filters(v)
	return v, nil
}

func newExperiment(src *report.Experiment, names names) (*experiment, error) {
	e := &experiment{Experiment: *src, Anchor: names.unique("x-" + src.Name), Profile: src.Manifest.Profile, Choices: choicesOf(src)}
	e.Facets.Experiment = e.Anchor
	for _, d := range src.Datasets {
		e.Facets.Datasets = append(e.Facets.Datasets, d.ID)
		if d.StandIn {
			text := "STAND-IN DATA: " + d.ID + " was not available and is made up; what is shown of it is not a result on the real data"
			if d.Reason != "" {
				text += " (" + d.Reason + ")"
			}
			e.Alarms = append(e.Alarms, text)
		}
	}
	for _, s := range src.Series {
		e.Facets.Series = append(e.Facets.Series, s.ID)
	}
	e.Title = cmp.Or(e.Title, e.Name)
	if i := slices.IndexFunc(src.Links, func(l report.Link) bool { return l.Name == "curves.csv" }); i >= 0 {
		e.Curves = &src.Links[i]
	}
	for i := range src.Figures {
		f, err := newFigure(&src.Figures[i], e, names)
		if err != nil {
			return nil, fmt.Errorf("experiment %s, figure %s: %w", src.Name, src.Figures[i].ID, err)
		}
		e.Figures = append(e.Figures, f)
	}
	for _, g := range src.Tables {
		if g != nil {
			e.Tables = append(e.Tables, newTable(g, e, names))
		}
	}
	if src.Costs != nil {
		e.Costs = newTable(src.Costs, e, names)
		e.Costs.Own = true
	}
	for _, c := range e.Choices {
		if c.Edge != "" {
			e.Edges++
		}
	}
	for _, p := range src.Problems {
		e.Failing += max(1, len(p.Repeats))
	}
	return e, nil
}

// linkFigures joins figures and the claims that name them, which is how a figure
// has outcomes.
func linkFigures(v *view) {
	for i := range v.Claims {
		c := &v.Claims[i]
		e := c.Experiment
		e.Facets.Outcomes = words.AddOnce(e.Facets.Outcomes, c.Outcome.ID)
		e.tally(c)
		for _, f := range e.Figures {
			if f.ID == c.Shown {
				f.Shows = append(f.Shows, c)
				f.Facets.Outcomes = words.AddOnce(f.Facets.Outcomes, c.Outcome.ID)
				c.Link, c.LinkText = f.Anchor, f.ID
			}
		}
		for _, t := range e.Tables {
			if t.ID == c.Shown {
				t.Shows = append(t.Shows, c)
				t.Facets.Outcomes = words.AddOnce(t.Facets.Outcomes, c.Outcome.ID)
				c.Link, c.LinkText = t.Anchor, t.ID
			}
		}
	}
}

// tally counts a claim among those of its kind.
func (e *experiment) tally(c *claim) {
	if e.Kinds == nil {
		e.Kinds = kinds()
	}
	for _, k := range e.Kinds {
		if k.ID == c.OfKind() {
			if k.Outcomes == nil {
				k.Outcomes = slices.Clone(outcomes)
			}
			tally(k.Outcomes, c.Outcome)
		}
	}
}

func filters(v *view) []filter {
	byExperiment := filter{Key: "e", Title: "Experiment"}
	byDataset := filter{Key: "d", Title: "Data"}
	bySeries := filter{Key: "s", Title: "Algorithm"}
	byOutcome := filter{Key: "o", Title: "Outcome"}
	for _, e := range v.Experiments {
		byExperiment.Options = append(byExperiment.Options, option{Value: e.Anchor, Label: e.Name})
		for _, d := range e.Datasets {
			byDataset.add(option{Value: d.ID, Label: d.ID})
		}
		for _, s := range e.Series {
			bySeries.add(option{Value: s.ID, Label: cmp.Or(s.Label, s.ID), Color: s.Color})
		}
	}
	for _, o := range outcomes {
		byOutcome.add(option{Value: o.ID, Label: o.Symbol + " " + o.Name})
	}
	return []filter{byExperiment, byDataset, bySeries, byOutcome}
}

func (f *filter) add(o option) {
	if !slices.ContainsFunc(f.Options, func(p option) bool { return p.Value == o.Value }) {
		f.Options = append(f.Options, o)
	}
}

// names are the ids of elements that are taken.
type names map[string]bool

// unique makes an id of a text: letters, digits and "-" stay. An id that is taken
// gets a number.
func (n names) unique(text string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return '-'
	}, text)
	for i, base := 2, id; n[id]; i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	n[id] = true
	return id
}
