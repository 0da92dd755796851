// Package spec reads experiment specifications: YAML files that say which
// algorithms run on which datasets with which parameters, and what is drawn
// from the records.
//
// Load is strict. Unknown keys, wrong types, unknown names, empty grids and
// impossible splits are all found before anything runs, and all of them are
// reported at once, each with its file, line and column. A loaded Spec is
// resolved: profiles and --set options are merged into it, defaults are filled
// in, and it is known to be valid.
package spec

import (
	"cmp"
	"maps"
	"slices"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// Version is the version of the specification that this package reads.
const Version = 1

// Spec is one experiment.
type Spec struct {
	// Version is the version of the format: 1.
	Version int `yaml:"version"`
	// Name is the name of the experiment and of its results folder: lower-case
	// letters, digits and hyphens.
	Name string `yaml:"name" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Title is a line of text for reports.
	Title string `yaml:"title,omitempty"`
	// Mirrors lists the figures and tables of the thesis that this experiment
	// redraws.
	Mirrors []string `yaml:"mirrors,omitempty" jsonschema:"minLength=1,uniqueItems=true"`
	// Task is the kind of problem: "pca", "svm", "svm-sparse", or "loss".
	Task string `yaml:"task"`
	// Seed is the root of every random stream.
	Seed uint64 `yaml:"seed,omitempty" jsonschema:"minimum=0"`
	// Repeats is the number of runs of every combination, each on its own
	// samples; 1 by default. A method without randomness runs once if its data are the
	// same in every repeat.
	Repeats int `yaml:"repeats,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// Budget is the length of each run.
	Budget Budget `yaml:"budget"`
	// Record selects what is recorded along a run.
	Record Record `yaml:"record,omitempty"`
	// Defaults sets parameters of every algorithm that has them. An algorithm's
	// own entry and a dataset's problem take precedence.
	Defaults Defaults `yaml:"defaults,omitempty"`
	// Datasets lists the datasets.
	Datasets []DatasetEntry `yaml:"datasets" jsonschema:"minItems=1"`
	// Algorithms lists the algorithms.
	Algorithms []AlgorithmEntry `yaml:"algorithms" jsonschema:"minItems=1"`
	// Select is the rule that selects the values of tuned parameters.
	Select selection.Rule `yaml:"select,omitempty"`
	// Style is the appearance of all figure files on paper.
	Style plots.Appearance `yaml:"style,omitempty"`
	// Figures lists the figures drawn from the records.
	Figures []plots.Figure `yaml:"figures,omitempty"`
	// Tables lists the tables made from the records.
	Tables []plots.Table `yaml:"tables,omitempty"`
	// Claims lists the statements that are judged from the records.
	Claims []claims.Claim `yaml:"claims,omitempty"`
	// Profiles holds partial specifications by name. The keys of the selected profile
	// replace those of the specification.
	Profiles map[string]*Spec `yaml:"profiles,omitempty"`

	catalog *Catalog
	// task is the catalog's, an empty one if the task is unknown.
	task *Task
}

// MostIterations bounds the iterations of a run: it is the maximum of Budget.Iterations.
const MostIterations = 1e15

// Budget is the length of a run; exactly one of its fields is set.
type Budget struct {
	// Iterations is the number of steps.
	Iterations int64 `yaml:"iterations,omitempty" jsonschema:"oneof_required=iterations,minimum=1,maximum=1000000000000000"`
	// Passes is the length in passes over the training split. A pass of a
	// kernel SVM algorithm is n^2 kernel evaluations for n training examples: n
	// iterations, or fewer for one that works on several coefficients at once.
	Passes float64 `yaml:"passes,omitempty" jsonschema:"oneof_required=passes,exclusiveMinimum=0,maximum=1000000000"`
}

// Record selects what is recorded along a run.
type Record struct {
	// Points is the number of points of a curve, 200 by default. In the task
	// svm-sparse it is the number of support sizes between 1 and the number of
	// training examples, in addition to 1, 2, 3 and 5 times the powers of ten; at each
	// size the last classifier of at most that many vectors is recorded.
	Points int `yaml:"points,omitempty" jsonschema:"minimum=2,maximum=1000000"`
	// Spacing is the spacing of the points along the iterations, or of the support
	// sizes: "log" (default) or "linear".
	Spacing string `yaml:"spacing,omitempty" jsonschema:"enum=log,enum=linear"`
	// Spectrum records the eigenvalues of the iterate at each point.
	Spectrum bool `yaml:"spectrum,omitempty"`
	// Reference compares runs of the task svm with the certified optimum of their
	// regularised problem, which is then computed; true by default.
	Reference *bool `yaml:"reference,omitempty"`
	// Vectors records vectors of the final classifier: its responses in the task svm, its
	// coefficients and support vectors in the task svm-sparse.
	Vectors bool `yaml:"vectors,omitempty"`
	// Alone makes times comparable. It performs one run at a time, regardless of --jobs, and
	// gives each kernel method its own kernel rows; otherwise a row that another run
	// computed takes no time. Algorithms without randomness are repeated like the others.
	// Times that were recorded without it are not reused.
	Alone bool `yaml:"alone,omitempty"`
}

// UsesReference reports whether runs are compared with a certified optimum.
func (r Record) UsesReference() bool { return r.Reference != nil && *r.Reference }

// Defaults sets parameters of every algorithm that has them.
type Defaults struct {
	// Step holds the parameters of the step size.
	Step Step `yaml:"step,omitempty"`
	// With holds the other parameters by name.
	With map[string]Grid `yaml:"with,omitempty"`
}

// DatasetEntry is one dataset of an experiment: a named source or a file.
type DatasetEntry struct {
	// ID is the name of the dataset in this experiment.
	ID string `yaml:"id" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Title is the name of the dataset in figures, by default its id.
	Title string `yaml:"title,omitempty"`
	// Group is a label that several datasets may share, for the facets of figures.
	Group string `yaml:"group,omitempty"`
	// Source is the name of a known dataset or generator. Set either source or path.
	Source string `yaml:"source,omitempty"`
	// Path is a file of your own, plain or gzipped, relative to the working
	// directory.
	Path string `yaml:"path,omitempty"`
	// Format is the format of the files of path and test. By default it follows from the
	// name, such as .svm, .csv, .tsv, .idx or .npy, also for compressed files.
	Format string `yaml:"format,omitempty" jsonschema:"enum=libsvm,enum=csv,enum=idx,enum=npy"`
	// Features is the number of features, if the file does not determine it.
	Features int `yaml:"features,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// Label is the column of the label in the file: its name or its number.
	Label Label `yaml:"label,omitempty"`
	// Test is a second file, of the same format as path, with the test examples.
	Test string `yaml:"test,omitempty" jsonschema:"minLength=1"`
	// Positive is the label that becomes +1; all others become -1. Without it
	// the labels must be +1 and -1.
	Positive *float64 `yaml:"positive,omitempty"`
	// With holds the parameters of the source, or of the format of the file.
	With map[string]any `yaml:"with,omitempty"`
	// Prepare lists the preparation steps in order.
	Prepare []string `yaml:"prepare,omitempty"`
	// Split holds the fractions of the examples in each split; without it the dataset is
	// not split. In tasks with labels, a split without a test fraction divides the
	// publisher's training part and keeps the publisher's test part; without a split
	// both parts are kept.
	Split *Split `yaml:"split,omitempty"`
	// Subset keeps only some examples of each split, in tasks with labels.
	Subset *Subset `yaml:"subset,omitempty"`
	// Sample is the order of the training examples: "pass" (default), each once per pass
	// in random order, or "uniform", independently with replacement.
	Sample string `yaml:"sample,omitempty" jsonschema:"enum=pass,enum=uniform"`
	// StandIn allows a labelled stand-in if the data are not available: "allow" or
	// "forbid" (default).
	StandIn string `yaml:"stand_in,omitempty" jsonschema:"enum=allow,enum=forbid"`
	// Problem holds the parameters of the problem, such as k, for every algorithm on
	// this dataset.
	Problem map[string]Grid `yaml:"problem,omitempty"`
	// Pos is where the entry was written.
	Pos Position `yaml:"-"`
}

// Split holds the fractions of the examples in each split, which sum to 1.
type Split struct {
	// Train is the fraction for training.
	Train float64 `yaml:"train,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Validation is the fraction for selecting parameters.
	Validation float64 `yaml:"validation,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Test is the fraction for reporting results.
	Test float64 `yaml:"test,omitempty" jsonschema:"minimum=0,maximum=1"`
}

// Fractions returns the fractions of train, validation and test.
func (s *Split) Fractions() [3]float64 {
	return [3]float64{s.Train, s.Validation, s.Test}
}

// Subset holds the number of examples that each split keeps, drawn at random; 0 keeps
// all.
type Subset struct {
	// Train is the number of examples for training.
	Train int `yaml:"train,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// Validation is the number for selecting parameters.
	Validation int `yaml:"validation,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// Test is the number for reporting results.
	Test int `yaml:"test,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
}

// Sizes returns the numbers kept of train, validation and test, 0 for all.
func (s *Subset) Sizes() [3]int {
	if s == nil {
		return [3]int{}
	}
	return [3]int{s.Train, s.Validation, s.Test}
}

// SplitNames are the splits in the order of their fractions.
var SplitNames = [3]string{"train", "validation", "test"}

// AlgorithmEntry is one algorithm of an experiment with its parameters.
type AlgorithmEntry struct {
	// ID is the name of the algorithm.
	ID string `yaml:"id"`
	// As is the label of the entry's curves, by default its id. It distinguishes two
	// entries of the same algorithm on the same dataset.
	As string `yaml:"as,omitempty" jsonschema:"pattern=^[A-Za-z0-9][A-Za-z0-9+_-]*$,maxLength=100"`
	// External is the program that performs the algorithm. The id must then differ
	// from all built-in ones. The program is started only with --external allow.
	External *External `yaml:"external,omitempty"`
	// With holds the parameters by name. An external program declares its own.
	With map[string]Grid `yaml:"with,omitempty"`
	// Step is the step size.
	Step Step `yaml:"step,omitempty"`
	// Datasets restricts the entry to these datasets; all by default.
	Datasets []string `yaml:"datasets,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Budget is the length of the entry's runs, instead of the experiment's.
	Budget *Budget `yaml:"budget,omitempty"`
	// Limit bounds the time and memory of each of the entry's runs, in the task
	// svm-sparse. A run that exceeds it is recorded as out of time or out of memory.
	Limit *Limit `yaml:"limit,omitempty"`
	// Pos is where the entry was written.
	Pos Position `yaml:"-"`
}

// BudgetOf returns the budget of an entry's runs.
func (s *Spec) BudgetOf(a *AlgorithmEntry) Budget {
	return *cmp.Or(a.Budget, &s.Budget)
}

// Series returns the label of the entry's curves.
func (a *AlgorithmEntry) Series() string { return cmp.Or(a.As, a.ID) }

// Deterministic reports whether the runs of an entry on a dataset are all the same,
// whatever the repeat: it uses no random numbers, and its data are not drawn for each repeat.
func (s *Spec) Deterministic(d *DatasetEntry, a *AlgorithmEntry) bool {
	return d.Split == nil && s.algorithm(a).Deterministic
}

// RunsOn reports whether the entry runs on the dataset.
func (a *AlgorithmEntry) RunsOn(dataset string) bool {
	return len(a.Datasets) == 0 || slices.Contains(a.Datasets, dataset)
}

// External is a program that performs an algorithm: it speaks the protocol of
// docs/external.md.
type External struct {
	// Command is the program, by its path or by a name in PATH, with its arguments. Paths are
	// relative to the working directory.
	Command []string `yaml:"command" jsonschema:"minItems=1"`
	// Version is the version of the algorithm, which the program must also report. A change
	// repeats its runs.
	Version int `yaml:"version" jsonschema:"minimum=1,maximum=2147483647"`
	// Files lists the files of the program. A change of their contents repeats its runs. By
	// default these are the words of the command that are files.
	Files []string `yaml:"files,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Env holds variables that are added to the minimal environment of the program. A change
	// repeats its runs.
	Env map[string]string `yaml:"env,omitempty"`
	// Timeout is the number of seconds after which a program without an answer counts as hung;
	// 60 by default.
	Timeout float64 `yaml:"timeout,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000000"`
}

// datasetIDs returns the ids of the datasets.
func (s *Spec) datasetIDs() []string {
	return names(s.Datasets, func(d DatasetEntry) string { return d.ID })
}

// dataset returns the dataset of an id, or nil.
func (s *Spec) dataset(id string) *DatasetEntry {
	return find(s.Datasets, id, func(d DatasetEntry) string { return d.ID })
}

// seriesNames returns the labels of the algorithm entries.
func (s *Spec) seriesNames() []string {
	return names(s.Algorithms, func(a AlgorithmEntry) string { return a.Series() })
}

// Local reports whether the data of an entry are a file of the user's own, or made by a generator.
func (s *Spec) Local(d *DatasetEntry) bool {
	source := s.catalog.source(d.Source)
	return d.Path != "" || source != nil && source.Simulated
}

// algorithm returns the catalog entry of an entry's algorithm, or an empty one if it is unknown.
func (s *Spec) algorithm(a *AlgorithmEntry) *Algorithm {
	if a.External != nil {
		return s.task.external(s, a)
	}
	return s.task.Algorithm(a.ID)
}

// Step is the step size of an algorithm. Its fields are the parameters
// "step.schedule" and "step.c" of the catalog.
type Step struct {
	// Schedule is the name of the step size as a function of the iteration.
	Schedule Grid `yaml:"schedule,omitempty"`
	// C is the constant of the schedule.
	C Grid `yaml:"c,omitempty"`
}

// Limit bounds the time and memory of a run. A run that reached its limit is recorded as
// such, and repeated when the limit is raised.
type Limit struct {
	// Seconds bounds the CPU time of all steps of a run; outside Linux it bounds the elapsed
	// time.
	Seconds float64 `yaml:"seconds,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000000"`
	// Memory bounds the memory of a run, without kernel rows: a number of bytes, or a size
	// such as 2GiB or 512MiB.
	Memory Size `yaml:"memory,omitempty"`
}

// Rule returns the rule of selection. The support sizes that tables show are reported too.
func (s *Spec) Rule() selection.Rule {
	r := s.Select
	r.Seed = s.Seed
	for _, t := range s.Tables {
		r.Sizes = append(r.Sizes, t.Sizes...)
	}
	return r
}

// Metric is the one that curves of claims show unless they name another.
func (s *Spec) Metric() string {
	if known := observe.TaskMetrics(s.Task); s.Select.Metric == "" && len(known) > 0 {
		return known[0]
	}
	return s.Select.Metric
}

// fillDefaults sets what a specification need not say.
func (s *Spec) fillDefaults() {
	fill(&s.Repeats, 1)
	fill(&s.Record.Points, 200)
	fill(&s.Record.Spacing, "log")
	if s.task.Supervised && !s.task.Sparse {
		fill(&s.Record.Reference, new(true))
	}
	for _, d := range each(s.Datasets) {
		fill(&d.StandIn, "forbid")
		if s.task.Supervised {
			s.allParts(d)
		} else {
			fill(&d.Sample, "pass")
		}
	}
	fill(&s.Select.By, selection.ByNone)
	if s.Select.By != selection.ByNone {
		if len(s.task.Metrics) > 0 {
			fill(&s.Select.Metric, s.task.Metrics[0])
		}
		switch {
		case s.Select.By == selection.ByHalvings:
			fill(&s.Select.Over, overHalvings[0])
			fill(&s.Select.Halvings, selection.DefaultHalvings)
		case s.Select.By == selection.ByValidation && s.task.Sparse:
			fill(&s.Select.Over, selection.OverAny)
		default:
			fill(&s.Select.Over, selection.OverCurve)
		}
		if len(s.Select.Tune) == 0 && !s.task.Supervised {
			s.Select.Tune = []string{"step.c"}
		}
	}
}

// allParts makes a source whose publisher divides it give all its parts.
func (s *Spec) allParts(d *DatasetEntry) {
	if findParam(s.catalog.SourceParams(d.kind()), "part") == nil || d.Source == "" || d.With["part"] != nil {
		return
	}
	with := map[string]any{"part": "all"}
	maps.Copy(with, d.With)
	d.With = with
}

func fill[T comparable](v *T, value T) { *v = cmp.Or(*v, value) }
