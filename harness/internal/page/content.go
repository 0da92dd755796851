package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/internal/record"
	"stochopt/internal/words"
	"stochopt/plots"
)

// Page is the content of a page.
type Page struct {
	Title string
	// Made is the time at which Tool makes the page.
	Made        time.Time
	Tool        experiment.Tool
	Experiments []*Experiment
	Broken      []Broken
	// Warnings are shown at the top of the page.
	Warnings []string
}

// Broken is a results folder that could not be read.
type Broken struct {
	Dir, Reason string
}

// Experiment is the content of a results folder.
type Experiment struct {
	Name, Title, Task, Dir string
	Manifest               experiment.Manifest
	// Spec is the resolved spec, as YAML.
	Spec string
	// DerivedOnly is true if the folder has no records.
	DerivedOnly bool
	// Planned is the number of planned runs, and Missing the number of those without a record.
	Planned, Missing int
	record.Counts
	// Seconds is the time spent in the algorithms, summed over the runs.
	Seconds float64
	// Claims has the verdicts on claims, and Readings the verdicts on readings of claims.
	Claims   []*claim
	Readings []claims.Verdict
	// Exhibits lists the figures of the spec, its tables, and then the default profiles.
	Exhibits []*Exhibit
	// SelectedBy describes how parameters were selected; "" if none were.
	SelectedBy string
	Selection  []selectionRow
	Problems   []problem
	// Notes apply to all figures and tables, such as "PARTIAL: 3 of 10 runs".
	Notes    []string
	Warnings []string
	// Links lists the files of the folder.
	Links []Link
	// Anchor is the id of its element.
	Anchor string

	// damage has the Warnings on damaged files and rows, which are also at the top of the page.
	damage []string
}

// Link is a file. Href is its path relative to the page, or "" if the page and the folder are apart.
type Link struct {
	Name, Href string
	Bytes      int64
}

// Exhibit is a figure or a table of an experiment.
type Exhibit struct {
	ID string
	// Number is its number in the thesis, such as "Figure 2.1"; "" if the thesis does not have it.
	Number string
	In     *Experiment
	// Default is true for a profile that the page shows without a request of the spec.
	Default bool
	// Either Figure or Table is set.
	Figure *Figure
	Table  *Table
	// Shows lists the claims that it shows. Anchor is the id of its element.
	Shows  []*claim
	Anchor string
}

// Figure is a chart with an image of it.
type Figure struct {
	*plots.Chart
	// Image is the src attribute of the image.
	Image template.HTMLAttr
}

// Table is a grid of cells, or its Markdown if only that is known.
type Table struct {
	*plots.Grid
	Markdown string
}

func (e *Experiment) addFigure(f *Figure) {
	e.Exhibits = append(e.Exhibits, &Exhibit{ID: f.ID, Number: numberOf(e.Name, f.ID), In: e, Figure: f})
}

func (e *Experiment) addTable(t *Table) {
	e.Exhibits = append(e.Exhibits, &Exhibit{ID: t.ID, Number: numberOf(e.Name, t.ID), In: e, Table: t})
}

// Heading returns the title, preceded by the number if there is one.
func (x *Exhibit) Heading() string {
	title := x.Number + ": "
	if x.Number == "" {
		title = ""
	}
	if x.Figure != nil {
		return title + x.Figure.Title
	}
	return title + x.Table.Title
}

// usesStandIns reports whether the figure or table shows stand-in data.
func (x *Exhibit) usesStandIns() bool {
	if x.Table != nil {
		return slices.Contains(x.Table.StandIn, true) || strings.Contains(x.Table.Markdown, plots.StandInData)
	}
	standIn := func(p *plots.ChartPanel) bool { return p.StandIn }
	return strings.Contains(x.Figure.Lead, plots.StandInData) ||
		slices.ContainsFunc(slices.Concat(x.Figure.Panels...), standIn)
}

// Numbered returns the figures and tables of the thesis, in its order.
func (p *Page) Numbered() []*Exhibit {
	all := p.exhibits(func(x *Exhibit) bool { return x.Number != "" })
	position := func(x *Exhibit) int {
		return slices.IndexFunc(thesisExhibits, func(t thesisExhibit) bool { return t.Number == x.Number })
	}
	slices.SortStableFunc(all, func(a, b *Exhibit) int { return position(a) - position(b) })
	return all
}

// Others returns the figures and tables of specs that are not in the thesis, by experiment.
func (p *Page) Others() []*Exhibit {
	return p.exhibits(func(x *Exhibit) bool { return x.Number == "" && !x.Default })
}

// Profiles returns the default profiles, by experiment.
func (p *Page) Profiles() []*Exhibit {
	return p.exhibits(func(x *Exhibit) bool { return x.Default })
}

func (p *Page) exhibits(wanted func(*Exhibit) bool) (all []*Exhibit) {
	for _, e := range p.Experiments {
		for _, x := range e.Exhibits {
			if wanted(x) {
				all = append(all, x)
			}
		}
	}
	return all
}

// problem describes unfinished runs that differ only in the repeat. Its Name, Key and Repeat are not set.
type problem struct {
	experiment.Problem
	Repeats []int
}

// Problems returns the reasons why folders are not shown, and the warnings.
func (p *Page) Problems() []string {
	var all []string
	for _, b := range p.Broken {
		all = append(all, b.Dir+" is not shown: "+b.Reason)
	}
	return append(all, p.Warnings...)
}

// StandIns returns the ids of the stand-ins that the page shows, each once.
func (p *Page) StandIns() (ids []string) {
	for _, e := range p.Experiments {
		for _, id := range e.StandIns() {
			ids = words.AddOnce(ids, id)
		}
	}
	return ids
}

// StandIns returns the ids of the experiment's stand-ins if a claim, figure or table uses any of them.
func (e *Experiment) StandIns() []string {
	judged := func(c *claim) bool { return c.StandIn }
	if slices.ContainsFunc(e.Claims, judged) || slices.ContainsFunc(e.Exhibits, (*Exhibit).usesStandIns) {
		return e.Manifest.StandIns()
	}
	return nil
}

// Readings returns the verdicts on readings of claims.
func (p *Page) Readings() (all []claims.Verdict) {
	for _, e := range p.Experiments {
		all = append(all, e.Readings...)
	}
	return all
}

// Count returns the numbers of claims and figures of the page.
func (p *Page) Count() (n struct{ Claims, Figures int }) {
	for _, e := range p.Experiments {
		n.Claims += len(e.Claims)
		for _, x := range e.Exhibits {
			if x.Figure != nil {
				n.Figures++
			}
		}
	}
	return n
}

// Limited counts the runs that ran out of time or memory.
func (e *Experiment) Limited() int { return e.OutOfTime + e.OutOfMemory }

// addVerdicts adds verdicts. It links claims with the exhibits that show them, which must have been added before.
func (e *Experiment) addVerdicts(verdicts []claims.Verdict) {
	onStandIn := func(p claims.Part) bool { return p.StandIn && p.Outcome != claims.NotRun }
	for _, v := range verdicts {
		if v.Of != "" {
			e.Readings = append(e.Readings, v)
			continue
		}
		c := &claim{Verdict: v, In: e, StandIn: slices.ContainsFunc(v.Parts, onStandIn)}
		e.Claims = append(e.Claims, c)
		for _, x := range e.Exhibits {
			if x.ID == v.Shown {
				x.Shows, c.ShownBy = append(x.Shows, c), cmp.Or(c.ShownBy, x)
			}
		}
	}
}

// addProblems adds unfinished runs. It groups runs that differ only in the repeat.
func (e *Experiment) addProblems(list []experiment.Problem) {
	for _, p := range list {
		repeat := p.Repeat
		p.Name, p.Key, p.Repeat = "", "", 0
		i := slices.IndexFunc(e.Problems, func(o problem) bool { return o.Problem == p })
		if i < 0 {
			i, e.Problems = len(e.Problems), append(e.Problems, problem{Problem: p})
		}
		e.Problems[i].Repeats = append(e.Problems[i].Repeats, repeat)
	}
}

// repeatText lists repeats, or describes many of them.
func repeatText(list []int) string {
	if n := len(list); n > 6 {
		return fmt.Sprintf("%d repeats, from %d to %d", n, slices.Min(list), slices.Max(list))
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// Heading returns the title of the experiment, or its name if it has no title.
func (e *Experiment) Heading() string { return cmp.Or(e.Title, e.Name) }
