// Package report makes one self-contained page of results folders: the verdicts on
// claims, every figure and table, selections with their warnings, provenance and
// failures.
package report

import (
	"html/template"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/plots"
	"stochopt/results/analysis"
	"stochopt/results/record"
)

// Page is the content of a report. It may be encoded as JSON: no number in it is
// NaN or infinite.
type Page struct {
	Title string
	// Made is when, Tool by what program the page was made.
	Made        time.Time
	Tool        experiment.Tool
	Experiments []Experiment
	// Broken are the folders that could not be read.
	Broken []Broken
	// Warnings concern the page as a whole.
	Warnings []string
}

// Broken is a results folder that could not be read.
type Broken struct {
	Dir, Reason string
}

// Complaints are what the command that makes the page has to tell: the folders that
// could not be read, and the warnings.
func (p *Page) Complaints() []string {
	var all []string
	for _, b := range p.Broken {
		all = append(all, b.Dir+" is left out: "+b.Reason)
	}
	return append(all, p.Warnings...)
}

// Experiment is a results folder.
type Experiment struct {
	Name, Title, Task, Dir string
	// Mirrors are the labels of the thesis's figures and tables that it redraws: those
	// that are ids of Figures and Tables are these.
	Mirrors  []string
	Manifest experiment.Manifest
	// Spec is the resolved specification, as YAML.
	Spec string
	// Planned, Runs, Finished and so on count runs; Limited are those out of time or
	// memory, Missing the planned ones that are not on record.
	Planned, Runs, Finished, Diverged, Failed, Skipped, Limited, Missing int
	// Seconds is the time spent in the algorithms, of all runs together.
	Seconds float64
	// Datasets and Series are the names that the page can be filtered by.
	Datasets []Dataset
	Series   []Series
	Verdicts []claims.Verdict
	Figures  []Figure
	// Tables are those of the specification; Costs is the cost of each series.
	Tables []*plots.Grid
	Costs  *plots.Grid
	// SelectedBy says in words how parameters were selected; it is empty if they
	// were not.
	SelectedBy string
	Selection  []Choice
	Problems   []Problem
	// Notes are what has to be said on the face of all figures and tables, such as
	// "PARTIAL: 3 of 10 runs".
	Notes    []string
	Warnings []string
	// Links are the files with the records and what was derived from them.
	Links []Link

	// damage is what was wrong with the files; it is among Warnings.
	damage []string
}

// Dataset is a data set of an experiment.
type Dataset struct {
	experiment.Dataset
	// Rows holds the numbers of rows by split, and as "train_of" and so on what they
	// are a subsample of. It is not known before there is a record.
	Rows map[string]int64
}

// Series is a series with its look, "#rrggbb".
type Series struct {
	ID, Label, Algorithm, Color string
}

// Link is a file: Href is relative to the page if the file is beside or below it,
// and else empty.
type Link struct {
	Name, Href string
	Bytes      int64
}

// Figure is a figure of an experiment.
type Figure struct {
	ID, Title, Caption string
	// Mirrors: the figure redraws the thesis's figure of this label.
	Mirrors string
	// SVG is the drawing as files have it, made to scale, Chart what it was drawn
	// from. Ids within SVG begin with SVGPrefix.
	SVG       template.HTML
	SVGPrefix string
	Chart     *plots.Chart
	// Datasets and Series are those shown.
	Datasets, Series []string
	Warnings         []string
}

// Choice is what was selected in a cell.
type Choice struct {
	analysis.Choice
	// Tuned names the number that is tuned, where it is one only: then candidates are
	// the grid in its order.
	Tuned string
	// BySize is the choice of a selection by halvings, which has no candidates.
	BySize []SizeChoice
}

// SizeChoice is the most frequent choice at a range of support sizes.
type SizeChoice struct {
	// From and To are the least and the largest size.
	From, To int
	Params   string
	// Share is the least share of the votes within the range, Least and Most the
	// range of the test error.
	Share, Least, Most float64
}

// Problem is runs that did not finish, for one reason: what they have in common.
type Problem struct {
	record.Problem
	Repeats []int
}
