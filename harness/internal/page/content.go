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
	// Made is when, and Tool the program with which, the page is made.
	Made        time.Time
	Tool        experiment.Tool
	Experiments []*Experiment
	// Broken are the folders that could not be read.
	Broken []Broken
	// Warnings concern the page as a whole.
	Warnings []string

	// docs is the path of docs/claims.md relative to the page, if any.
	docs string
}

// Broken is a results folder that could not be read.
type Broken struct {
	Dir, Reason string
}

// Experiment is a results folder.
type Experiment struct {
	Name, Title, Task, Dir string
	Manifest               experiment.Manifest
	// Spec is the resolved specification, as YAML.
	Spec string
	// DerivedOnly: the folder has no records.
	DerivedOnly bool
	// Planned, and the counts by status, are of runs; Missing is the number of planned runs that
	// have no record.
	Planned, Missing int
	record.Counts
	// Seconds is the time spent in the algorithms, summed over the runs.
	Seconds float64
	// Claims are the verdicts on claims, Readings those on readings of claims.
	Claims   []*claim
	Readings []claims.Verdict
	// Exhibits are its figures, and then its tables.
	Exhibits []*Exhibit
	// SelectedBy says how parameters were selected; it is empty if they were not.
	SelectedBy string
	Selection  []choice
	Problems   []problem
	// Notes are what a reader of any figure or table must know, such as "PARTIAL: 3 of 10 runs".
	Notes    []string
	Warnings []string
	// Links are the files with the records and what was derived from them.
	Links []Link
	// Anchor is the id of its element.
	Anchor string

	// damage is what was wrong with the files; it is among Warnings.
	damage []string
}

// Link is a file: Href is relative to the page if the file is next to or below it, and else empty.
type Link struct {
	Name, Href string
	Bytes      int64
}

// Exhibit is a figure or a table of an experiment.
type Exhibit struct {
	ID string
	// Number is what the thesis calls it, such as "Figure 2.1", "" if it is not in the thesis.
	Number string
	In     *Experiment
	// Default: the spec does not ask for it.
	Default bool
	// One of them is set.
	Figure *Figure
	Table  *Table
	// Shows are the claims that it shows, Anchor is the id of its element.
	Shows  []*claim
	Anchor string
}

// Figure is what is shown of a figure.
type Figure struct {
	*plots.Chart
	// Image is the attribute of an image that holds the drawing.
	Image template.HTMLAttr
}

// Table is what is shown of a table.
type Table struct {
	*plots.Grid
	// Markdown is shown in the place of the cells, if it is set.
	Markdown string
}

func (e *Experiment) addFigure(f *Figure) {
	e.Exhibits = append(e.Exhibits, &Exhibit{ID: f.ID, Number: numberOf(e.Name, f.ID), In: e, Figure: f})
}

func (e *Experiment) addTable(t *Table) {
	e.Exhibits = append(e.Exhibits, &Exhibit{ID: t.ID, Number: numberOf(e.Name, t.ID), In: e, Table: t})
}

// Heading is the number and the title.
func (x *Exhibit) Heading() string {
	title := x.ID
	if x.Figure != nil {
		title = x.Figure.Title
	} else if x.Table != nil {
		title = x.Table.Title
	}
	if x.Number == "" {
		return title
	}
	return x.Number + ": " + title
}

// madeUp reports whether stand-in data are in what is shown.
func (x *Exhibit) madeUp() bool {
	if x.Table != nil {
		return slices.Contains(x.Table.StandIn, true) || strings.Contains(x.Table.Markdown, plots.StandInData)
	}
	panel := func(p *plots.ChartPanel) bool { return p.StandIn }
	return strings.Contains(x.Figure.Lead, plots.StandInData) || slices.ContainsFunc(slices.Concat(x.Figure.Panels...), panel)
}

// Numbered returns the figures and tables that the thesis has, in its order.
func (p *Page) Numbered() []*Exhibit {
	all := p.exhibits(func(x *Exhibit) bool { return x.Number != "" })
	slices.SortStableFunc(all, func(a, b *Exhibit) int { return placeOf(a.Number) - placeOf(b.Number) })
	return all
}

// Others returns the figures and tables of specs that the thesis does not have, by experiment.
func (p *Page) Others() []*Exhibit {
	return p.exhibits(func(x *Exhibit) bool { return x.Number == "" && !x.Default })
}

// Profiles returns the figures that no spec asks for, by experiment.
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

// problem is runs that did not finish for one reason: what they have in common.
type problem struct {
	experiment.Problem
	Repeats []int
}

// Complaints are what the command that makes the page reports: the folders that could not be read,
// and the warnings.
func (p *Page) Complaints() []string {
	var all []string
	for _, b := range p.Broken {
		all = append(all, b.Dir+" is left out: "+b.Reason)
	}
	return append(all, p.Warnings...)
}

// StandIns are the stand-ins that anything on the page is made from.
func (p *Page) StandIns() (ids []string) {
	for _, e := range p.Experiments {
		for _, id := range e.StandIns() {
			ids = words.AddOnce(ids, id)
		}
	}
	return ids
}

// StandIns are the stand-ins of the experiment if anything that is shown of it is made from them.
func (e *Experiment) StandIns() []string {
	judged := func(c *claim) bool { return c.StandIn }
	if slices.ContainsFunc(e.Claims, judged) || slices.ContainsFunc(e.Exhibits, (*Exhibit).madeUp) {
		return e.Manifest.StandIns()
	}
	return nil
}

// Readings are the verdicts on readings of claims.
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

// addVerdicts adds verdicts, and lists each claim with the figures and tables that show it.
func (e *Experiment) addVerdicts(verdicts []claims.Verdict) {
	for _, v := range verdicts {
		if v.Of != "" {
			e.Readings = append(e.Readings, v)
			continue
		}
		c := newClaim(v, e)
		e.Claims = append(e.Claims, c)
		for _, x := range e.Exhibits {
			if x.ID == v.Shown {
				x.Shows, c.ShownBy = append(x.Shows, c), cmp.Or(c.ShownBy, x)
			}
		}
	}
}

// addProblems groups the runs that did not finish by what they have in common.
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

func repeats(list []int) string {
	if n := len(list); n > 6 {
		return fmt.Sprintf("%d repeats, from %d to %d", n, slices.Min(list), slices.Max(list))
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// Heading is the title of the experiment, or else its name.
func (e *Experiment) Heading() string { return cmp.Or(e.Title, e.Name) }
