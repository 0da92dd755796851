// Package spec reads specifications of experiments. These are YAML files that define which algorithms run on which
// datasets with which parameters, and which figures, tables and claims are made from the records.
//
// Load is strict. It reports all unknown keys, wrong types, unknown names, empty grids and impossible splits at
// once, each with its file, line and column. A loaded Spec is valid. It includes the selected profile, the --set
// options and all defaults.
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

// Version is the supported version of the format.
const Version = 1

// Spec is one experiment.
type Spec struct {
	// Version is the version of the format: 1.
	Version int `yaml:"version"`
	// Name is the name of the experiment and of its results folder: lower-case letters, digits and hyphens.
	Name string `yaml:"name" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Title is a line of text for reports.
	Title string `yaml:"title,omitempty"`
	// Mirrors lists the figures and tables of the thesis that this experiment redraws.
	Mirrors []string `yaml:"mirrors,omitempty" jsonschema:"minLength=1,uniqueItems=true"`
	// Task is the kind of problem: "pca", "svm", "svm-sparse", or "loss".
	Task string `yaml:"task"`
	// Seed is the seed of all random numbers.
	Seed uint64 `yaml:"seed,omitempty" jsonschema:"minimum=0"`
	// Repeats is the number of runs of every combination, each with its own random numbers; the default is 1. A
	// deterministic algorithm runs once if all repeats have the same data.
	Repeats int `yaml:"repeats,omitempty" jsonschema:"minimum=1,maximum=1000000"`
	// Budget is the length of each run.
	Budget Budget `yaml:"budget"`
	// Record selects what is recorded along a run.
	Record Record `yaml:"record,omitempty"`
	// Defaults sets parameters of every algorithm that has them. The entry of the algorithm and the problem of the
	// dataset take precedence.
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
	// Claims lists the statements that are judged by the records.
	Claims []claims.Claim `yaml:"claims,omitempty"`
	// Profiles holds partial specifications by name. The keys of the selected profile replace those of the
	// specification.
	Profiles map[string]*Spec `yaml:"profiles,omitempty"`

	catalog *Catalog
	task    *Task // an empty task if it is unknown
}

// MostIterations is the maximum of Budget.Iterations.
const MostIterations = 1e15

// Budget is the length of a run; exactly one of its fields is set.
type Budget struct {
	// Iterations is the number of steps.
	Iterations int64 `yaml:"iterations,omitempty" jsonschema:"oneof_required=iterations,minimum=1,maximum=1000000000000000"`
	// Passes is the number of passes over the training split. For a kernel SVM on n training examples, a pass is
	// n^2 kernel evaluations. These are n iterations, or fewer if an iteration updates several coefficients.
	Passes float64 `yaml:"passes,omitempty" jsonschema:"oneof_required=passes,exclusiveMinimum=0,maximum=1000000000"`
}

// Record selects what is recorded along a run.
type Record struct {
	// Points is the number of points of a curve; the default is 200. In the task svm-sparse it is the number of
	// support sizes between 1 and the number of training examples, in addition to 1, 2, 3 and 5 times the powers of
	// ten. For each size, the last classifier with at most that many support vectors is recorded.
	Points int `yaml:"points,omitempty" jsonschema:"minimum=2,maximum=1000000"`
	// Spacing is the spacing of the points along the iterations, or of the support sizes: "log" (default) or
	// "linear".
	Spacing string `yaml:"spacing,omitempty" jsonschema:"enum=log,enum=linear"`
	// Spectrum records the eigenvalues of the iterate at each point.
	Spectrum bool `yaml:"spectrum,omitempty"`
	// Reference compares runs of the task svm with the optimum of their regularised problem; the default is true.
	Reference *bool `yaml:"reference,omitempty"`
	// Vectors records vectors of the final classifier: its responses in the task svm, its coefficients and support
	// vectors in the task svm-sparse.
	Vectors bool `yaml:"vectors,omitempty"`
	// Alone makes times comparable. It performs one run at a time, regardless of --jobs. Each run computes its own
	// kernel rows; otherwise runs share them. Deterministic algorithms are repeated like the others. Runs that were
	// recorded without alone are repeated.
	Alone bool `yaml:"alone,omitempty"`
}

// UsesReference reports whether runs are compared with the optimum.
func (r Record) UsesReference() bool { return r.Reference != nil && *r.Reference }

// Defaults sets parameters of every algorithm that has them.
type Defaults struct {
	// Step holds the parameters of the step size.
	Step Step `yaml:"step,omitempty"`
	// With holds the other parameters by name.
	With map[string]Grid `yaml:"with,omitempty"`
}

// DatasetEntry is a dataset of an experiment, from a named source or a file.
type DatasetEntry struct {
	// ID is the name of the dataset in this experiment.
	ID string `yaml:"id" jsonschema:"pattern=^[a-z0-9][a-z0-9-]*$,maxLength=100"`
	// Title is the name of the dataset in figures; the default is its id.
	Title string `yaml:"title,omitempty"`
	// Group is a label for the facets of figures, which several datasets may share.
	Group string `yaml:"group,omitempty"`
	// Source is the name of a built-in dataset or generator. Set either source or path.
	Source string `yaml:"source,omitempty"`
	// Path is a file of your own, plain or compressed, relative to the working directory.
	Path string `yaml:"path,omitempty"`
	// Format is the format of the files of path and test. The default follows from the extension: .svm, .csv, .tsv,
	// .idx or .npy, optionally followed by that of the compression.
	Format string `yaml:"format,omitempty" jsonschema:"enum=libsvm,enum=csv,enum=idx,enum=npy"`
	// Features is the number of features, if the file does not determine it.
	Features int `yaml:"features,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// Label is the name or number of the column with the labels.
	Label Label `yaml:"label,omitempty"`
	// Test is a second file in the same format as path, with the test examples.
	Test string `yaml:"test,omitempty" jsonschema:"minLength=1"`
	// Positive is the label that becomes +1; all others become -1. By default the labels must be +1 and -1.
	Positive *float64 `yaml:"positive,omitempty"`
	// With holds the parameters of the source or of the file format.
	With map[string]any `yaml:"with,omitempty"`
	// Prepare lists the preparation steps in order.
	Prepare []string `yaml:"prepare,omitempty"`
	// Split holds the fractions of the examples in each split. By default the dataset is not split. In tasks with
	// labels, the published division into training and test examples is then kept. A split without a test fraction
	// divides the published training examples and keeps the published test examples.
	Split *Split `yaml:"split,omitempty"`
	// Subset keeps a random subset of each split, in tasks with labels.
	Subset *Subset `yaml:"subset,omitempty"`
	// Sample is the order of the training examples: "pass" (default), each example once per pass in random order, or
	// "uniform", independent samples with replacement.
	Sample string `yaml:"sample,omitempty" jsonschema:"enum=pass,enum=uniform"`
	// StandIn allows synthetic data if the data are not available: "allow" or "forbid" (default). Results on such a
	// stand-in are marked.
	StandIn string `yaml:"stand_in,omitempty" jsonschema:"enum=allow,enum=forbid"`
	// Problem holds parameters of the problem, such as k, for every algorithm on this dataset.
	Problem map[string]Grid `yaml:"problem,omitempty"`
	// Pos is the position of the entry.
	Pos Position `yaml:"-"`
}

// Split holds the fractions of the examples in each split; they sum to 1.
type Split struct {
	// Train is the fraction for training.
	Train float64 `yaml:"train,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Validation is the fraction for selecting parameters.
	Validation float64 `yaml:"validation,omitempty" jsonschema:"minimum=0,maximum=1"`
	// Test is the fraction for reporting results.
	Test float64 `yaml:"test,omitempty" jsonschema:"minimum=0,maximum=1"`
}

// Fractions returns the fractions in the order of SplitNames.
func (s *Split) Fractions() [3]float64 {
	return [3]float64{s.Train, s.Validation, s.Test}
}

// Subset holds the number of random examples that each split keeps; the default is all.
type Subset struct {
	// Train is the number of examples for training.
	Train int `yaml:"train,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// Validation is the number for selecting parameters.
	Validation int `yaml:"validation,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
	// Test is the number for reporting results.
	Test int `yaml:"test,omitempty" jsonschema:"minimum=1,maximum=2147483647"`
}

// Sizes returns the numbers of examples in the order of SplitNames; 0 means all.
func (s *Subset) Sizes() [3]int {
	if s == nil {
		return [3]int{}
	}
	return [3]int{s.Train, s.Validation, s.Test}
}

// SplitNames are the names of the splits.
var SplitNames = [3]string{"train", "validation", "test"}

// AlgorithmEntry is an algorithm of an experiment with its parameters.
type AlgorithmEntry struct {
	// ID is the name of the algorithm.
	ID string `yaml:"id"`
	// As is the name of the series, that is, of the entry's curves; the default is the id. It distinguishes two
	// entries of the same algorithm on the same dataset.
	As string `yaml:"as,omitempty" jsonschema:"pattern=^[A-Za-z0-9][A-Za-z0-9+_-]*$,maxLength=100"`
	// External is the program of an external algorithm. The id must differ from the ids of built-in algorithms. The
	// program is started only with --external allow.
	External *External `yaml:"external,omitempty"`
	// With holds the parameters by name. An external program declares its own parameters.
	With map[string]Grid `yaml:"with,omitempty"`
	// Step is the step size.
	Step Step `yaml:"step,omitempty"`
	// Datasets restricts the entry to these datasets; the default is all.
	Datasets []string `yaml:"datasets,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Budget is the length of the entry's runs; the default is the budget of the experiment.
	Budget *Budget `yaml:"budget,omitempty"`
	// Limit bounds the time and memory of each run, in the task svm-sparse. A run that exceeds the limit is recorded
	// as out of time or out of memory.
	Limit *Limit `yaml:"limit,omitempty"`
	// Pos is the position of the entry.
	Pos Position `yaml:"-"`
}

// BudgetOf returns the budget of the runs of an entry.
func (s *Spec) BudgetOf(a *AlgorithmEntry) Budget {
	return *cmp.Or(a.Budget, &s.Budget)
}

// Series returns the name of the entry's series.
func (a *AlgorithmEntry) Series() string { return cmp.Or(a.As, a.ID) }

// Deterministic reports whether all repeats of an entry on a dataset are equal: the algorithm uses no random numbers,
// and the dataset has no random split.
func (s *Spec) Deterministic(d *DatasetEntry, a *AlgorithmEntry) bool {
	return d.Split == nil && s.algorithm(a).Deterministic
}

// RunsOn reports whether the entry runs on the dataset.
func (a *AlgorithmEntry) RunsOn(dataset string) bool {
	return len(a.Datasets) == 0 || slices.Contains(a.Datasets, dataset)
}

// External is a program that implements an algorithm and the protocol of docs/external.md.
type External struct {
	// Command is the path of the program or its name in PATH, with arguments. Paths are relative to the working
	// directory.
	Command []string `yaml:"command" jsonschema:"minItems=1"`
	// Version is the version of the algorithm, which the program must also report. After a change the
	// runs are repeated.
	Version int `yaml:"version" jsonschema:"minimum=1,maximum=2147483647"`
	// Files lists the files of the program; the default is all words of the command that are files. After a change of
	// their contents the runs are repeated.
	Files []string `yaml:"files,omitempty" jsonschema:"minItems=1,uniqueItems=true"`
	// Env holds variables that are added to the minimal environment of the program. After a change the
	// runs are repeated.
	Env map[string]string `yaml:"env,omitempty"`
	// Timeout is the maximum number of seconds for an answer of the program; the default is 60.
	Timeout float64 `yaml:"timeout,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000000"`
}

// datasetIDs returns the ids of the datasets.
func (s *Spec) datasetIDs() []string {
	return names(s.Datasets, func(d DatasetEntry) string { return d.ID })
}

// dataset returns the dataset with the given id, or nil.
func (s *Spec) dataset(id string) *DatasetEntry {
	return find(s.Datasets, id, func(d DatasetEntry) string { return d.ID })
}

// seriesNames returns the series of the algorithm entries.
func (s *Spec) seriesNames() []string {
	return names(s.Algorithms, func(a AlgorithmEntry) string { return a.Series() })
}

// Local reports whether the dataset needs no download: it is the user's own file or generated.
func (s *Spec) Local(d *DatasetEntry) bool {
	source := s.catalog.source(d.Source)
	return d.Path != "" || source != nil && source.Simulated
}

// algorithm returns the algorithm of an entry, or an empty algorithm if it is unknown.
func (s *Spec) algorithm(a *AlgorithmEntry) *Algorithm {
	if a.External != nil {
		return s.task.external(s, a)
	}
	return s.task.Algorithm(a.ID)
}

// Step is the step size of an algorithm: the parameters "step.schedule" and "step.c".
type Step struct {
	// Schedule is the name of the step size as a function of the iteration.
	Schedule Grid `yaml:"schedule,omitempty"`
	// C is the constant of the schedule.
	C Grid `yaml:"c,omitempty"`
}

// Limit bounds the time and memory of a run. A run that reached its limit is repeated if the limit is raised.
type Limit struct {
	// Seconds bounds the CPU time of all steps of a run; outside Linux it bounds the elapsed time.
	Seconds float64 `yaml:"seconds,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1000000000"`
	// Memory bounds the memory of a run, excluding kernel rows: a number of bytes, or a size such as 2GiB or 512MiB.
	Memory Size `yaml:"memory,omitempty"`
}

// Rule returns the rule of selection, with the seed and the support sizes of the tables.
func (s *Spec) Rule() selection.Rule {
	r := s.Select
	r.Seed = s.Seed
	for _, t := range s.Tables {
		r.Sizes = append(r.Sizes, t.Sizes...)
	}
	return r
}

// Metric returns the default metric of claims.
func (s *Spec) Metric() string {
	return cmp.Or(s.Select.Metric, cmp.Or(observe.TaskMetrics(s.Task)...))
}

// fillDefaults sets absent keys that have a default.
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
			s.useAllParts(d)
		} else {
			fill(&d.Sample, "pass")
		}
	}
	fill(&s.Select.By, selection.ByNone)
	if s.Select.By != selection.ByNone {
		fill(&s.Select.Metric, cmp.Or(s.task.Metrics...))
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

// useAllParts sets the parameter "part" to "all" for a source that is published in parts, unless the entry sets it.
func (s *Spec) useAllParts(d *DatasetEntry) {
	if findParam(s.catalog.SourceParams(d.origin()), "part") == nil || d.Source == "" || d.With["part"] != nil {
		return
	}
	with := map[string]any{"part": "all"}
	maps.Copy(with, d.With)
	d.With = with
}

// fill sets a variable that is zero.
func fill[T comparable](v *T, value T) { *v = cmp.Or(*v, value) }
