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
	Figures  []*Figure
	Tables   []*Table
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

// Figure is a figure of an experiment.
type Figure struct {
	*plots.Chart
	// Mirrors: the figure redraws the figure of the thesis with the same id.
	Mirrors bool
	// Image is the attribute of an image that holds the drawing.
	Image  template.HTMLAttr
	Shows  []*claim
	Anchor string
}

// Table is a table of an experiment.
type Table struct {
	*plots.Grid
	// Markdown is shown in the place of the cells, if it is set.
	Markdown string
	Shows    []*claim
	Anchor   string
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

// StandIns are the datasets that are stand-ins.
func (p *Page) StandIns() (ids []string) {
	for _, e := range p.Experiments {
		for _, id := range e.Manifest.StandIns() {
			ids = words.AddOnce(ids, id)
		}
	}
	return ids
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
		n.Figures += len(e.Figures)
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
		for _, f := range e.Figures {
			if f.ID == v.Shown {
				f.Shows = append(f.Shows, c)
			}
		}
		for _, t := range e.Tables {
			if t.ID == v.Shown {
				t.Shows = append(t.Shows, c)
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
