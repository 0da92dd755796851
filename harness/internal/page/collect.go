package page

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"stochopt/harness/internal/experiment"
)

// Options are the options of Collect.
type Options struct {
	// Title is the title of the page; the default is DefaultTitle.
	Title string
	// Made is the time at which Tool makes the page.
	Made time.Time
	Tool experiment.Tool
	// Out is the path of the page, to which links are relative. If it is "", there are no links. There are also no links
	// to a results folder unless the folder of the page contains it or is inside it.
	Out string
}

// DefaultTitle is the default of Options.Title.
const DefaultTitle = "stochopt: results"

// Collect makes a page of results folders. Each of dirs is a results folder or a folder of results folders.
// Experiments may be running, stopped or complete. Collect lists unreadable results folders as broken. It returns
// an error if all are broken, or if one of dirs cannot be read.
func Collect(dirs []string, o Options) (*Page, error) {
	found, empty, err := experiment.Find(dirs)
	if err != nil {
		return nil, err
	}
	p := &Page{Title: cmp.Or(o.Title, DefaultTitle), Made: o.Made, Tool: o.Tool}
	for _, dir := range empty {
		p.Warnings = append(p.Warnings, experiment.NoResults(dir))
	}
	dirOf := make(map[string]string) // by name of the experiment
	for _, dir := range found {
		e, err := read(dir, o)
		if err != nil {
			p.Broken = append(p.Broken, Broken{Dir: dir, Reason: err.Error()})
			continue
		}
		p.Experiments = append(p.Experiments, e)
		p.Warnings = append(p.Warnings, e.damage...)
		if other, ok := dirOf[e.Name]; ok {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s and %s have the same experiment name, %s", other, dir, e.Name))
		}
		dirOf[e.Name] = dir
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
