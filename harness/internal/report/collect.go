package report

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"stochopt/harness/internal/experiment"
)

// Options says how a page is collected.
type Options struct {
	// Title is the page's; DefaultTitle if it is empty.
	Title string
	// Made is when, Tool by what program the page is made.
	Made time.Time
	Tool experiment.Tool
	// Out is the path of the page. Links are relative to it where it is beside,
	// inside or above the results; without it there are none.
	Out string
	// Live says that the page is served.
	Live bool
}

// DefaultTitle is that of pages without one.
const DefaultTitle = "stochopt: results"

// Collector makes pages of results folders again and again. What has not changed is
// not read anew. It is not safe for concurrent use.
type Collector struct {
	dirs    []string
	options Options
	known   map[string]known
}

// known is an experiment as it was in a state.
type known struct {
	state      string
	experiment Experiment
	err        error
}

// NewCollector returns a Collector of the folders that dirs stand for when it
// collects.
func NewCollector(dirs []string, o Options) *Collector {
	return &Collector{dirs: dirs, options: o, known: make(map[string]known)}
}

// State names what a page would be made from: it changes with the records.
func (c *Collector) State() (string, error) {
	found, _, err := experiment.Find(c.dirs, false)
	if err != nil {
		return "", err
	}
	return stateOfAll(found), nil
}

// Collect makes the page of results folders, each of those of the collector being one
// or the folder of several. Experiments may be running, stopped or complete.
//
// It fails with an *experiment.NoResultsError if a folder is not what it should be, and if none
// of several can be read. One that is damaged among others is on the page as such, and
// in its complaints.
func (c *Collector) Collect() (*Page, error) {
	found, idle, err := experiment.Find(c.dirs, false)
	if err != nil {
		return nil, err
	}
	o := c.options
	p := &Page{Title: o.Title, Made: o.Made, Tool: o.Tool, Live: o.Live, State: stateOfAll(found)}
	if p.Title == "" {
		p.Title = DefaultTitle
	}
	for _, err := range idle {
		p.Warnings = append(p.Warnings, err.Error())
	}
	named := make(map[string]string)
	for i, dir := range found {
		e, err := c.experiment(dir, i)
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

// experiment reads a results folder unless it is known. Which of the page's it is
// keeps the ids in its figures apart.
func (c *Collector) experiment(dir string, index int) (Experiment, error) {
	state := fmt.Sprintf("%d %s", index, experiment.State(dir))
	if k, ok := c.known[dir]; ok && k.state == state {
		return k.experiment, k.err
	}
	e, err := read(dir, fmt.Sprintf("e%d", index+1), c.options)
	c.known[dir] = known{state, e, err}
	return e, err
}

// stateOfAll names what is in several results folders.
func stateOfAll(dirs []string) string {
	h := sha256.New()
	for _, dir := range dirs {
		fmt.Fprintf(h, "%s %s\n", filepath.Clean(dir), experiment.State(dir))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// SetMade sets when the pages to come are made.
func (c *Collector) SetMade(t time.Time) { c.options.Made = t }
