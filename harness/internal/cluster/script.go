package cluster

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"stochopt/harness/internal/spec"
	"stochopt/internal/shell"
)

// The kinds of jobs of a submission.
const (
	Prepare = "prepare"
	Tasks   = "tasks"
	Collect = "collect"
)

var kinds = []string{Prepare, Tasks, Collect}

// EndedWith is in the last line of a log, before the exit code.
const EndedWith = " ended with exit code "

//go:embed script.sh.tmpl
var scriptText string

var scripts = template.Must(template.New("script").Option("missingkey=error").Funcs(template.FuncMap{
	"word": shell.Word, "words": shell.Words,
}).Parse(scriptText))

// Script returns the batch script of a kind of job. There is nothing in it that a name, a
// path or an argument could turn into more than a word: no option of sbatch is read from a
// script but before its first command. Only the set-up lines are commands.
func (s *Submission) Script(kind string) (string, error) {
	for _, text := range slices.Concat([]string{s.Dir, s.Folder, s.Results, s.Mirror, s.Settings.Scratch}, s.Arguments, s.Settings.Setup) {
		if err := shell.Check(text); err != nil {
			return "", fmt.Errorf("%q %w", text, err)
		}
	}
	var b strings.Builder
	err := scripts.Execute(&b, struct {
		*Submission
		Kind, Ended    string
		CPUs, Restarts int
	}{s, kind, "stochopt: " + kind + EndedWith, max(s.Settings.CPUs, 1), restarts})
	return b.String(), err
}

// restarts is how often a task is put back into the queue when its time is over.
const restarts = 10

// options returns the options of sbatch for a kind of job, on which others depend.
func (s *Submission) options(kind string, depends ...string) []string {
	o := []string{
		"--parsable", "--chdir=" + s.Dir, "--open-mode=append", "--requeue",
		"--job-name=" + s.Spec + "-" + kind,
	}
	if kind == Tasks {
		// To the script alone, which passes it on.
		o = append(o, "--signal=B:TERM@60")
	}
	if len(depends) > 0 {
		o = append(o, "--dependency="+strings.Join(depends, ":"), "--kill-on-invalid-dep=yes")
	}
	return append(o, directives(s.Settings, s.Alone && kind == Tasks)...)
}

// directives are the options that a cluster's settings ask for.
func directives(c spec.Cluster, alone bool) (o []string) {
	add := func(name, value string) {
		if value != "" {
			o = append(o, "--"+name+"="+value)
		}
	}
	add("partition", c.Partition)
	add("account", c.Account)
	if c.Time > 0 {
		add("time", c.Time.String())
	}
	if c.Memory > 0 {
		add("mem", fmt.Sprintf("%dK", (int64(c.Memory)+1023)/1024))
	}
	add("cpus-per-task", fmt.Sprint(max(c.CPUs, 1)))
	if alone && c.Directives["exclusive"] == nil {
		o = append(o, "--exclusive")
	}
	var names []string
	for name := range c.Directives {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if value := c.Directives[name]; value == true {
			o = append(o, "--"+name)
		} else {
			o = append(o, fmt.Sprintf("--%s=%v", name, value))
		}
	}
	return o
}
