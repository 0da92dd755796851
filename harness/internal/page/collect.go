package page

import (
	"errors"
	"fmt"
	"time"

	"stochopt/harness/internal/experiment"
)

// Options says how a page is collected.
type Options struct {
	// Title is the title of the page; DefaultTitle if it is empty.
	Title string
	// Made is when, and Tool the program with which, the page is made.
	Made time.Time
	Tool experiment.Tool
	// Out is the path of the page. Links are relative to it if it is next to, inside or
	// above the results; without it there are no links.
	Out string
}

// DefaultTitle is the title of pages without one.
const DefaultTitle = "stochopt: results"

// Collect makes the page of results folders. Each of dirs is a results folder, or a folder
// of several. Experiments may be running, stopped or complete.
//
// It fails if one of dirs cannot be read, and if no folder of results can be read. If only some cannot be read, the page lists them as broken.
func Collect(dirs []string, o Options) (*Page, error) {
	found, idle, err := experiment.Find(dirs)
	if err != nil {
		return nil, err
	}
	p := &Page{Title: o.Title, Made: o.Made, Tool: o.Tool, docs: findDocumentation(o.Out)}
	if p.Title == "" {
		p.Title = DefaultTitle
	}
	for _, dir := range idle {
		p.Warnings = append(p.Warnings, experiment.NoResults(dir))
	}
	named := make(map[string]string)
	for _, dir := range found {
		e, err := read(dir, o)
		if err != nil {
			p.Broken = append(p.Broken, Broken{Dir: dir, Reason: err.Error()})
			continue
		}
		p.Experiments = append(p.Experiments, e)
		p.Warnings = append(p.Warnings, e.damage...)
		if other, ok := named[e.Name]; ok {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s and %s are both experiments called %s", other, dir, e.Name))
		}
		named[e.Name] = dir
	}
	if len(p.Experiments) == 0 {
		var errs []error
		for _, b := range p.Broken {
			errs = append(errs, fmt.Errorf("%s: %s", b.Dir, b.Reason))
		}
		return nil, fmt.Errorf("no results can be read: %w", errors.Join(errs...))
	}
	return p, nil
}
