// Package model keeps trained kernel classifiers in files: what they are, how
// they decide, where they come from. FORMAT.md beside it describes the file.
package model

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"stochopt/algorithms/kernel"
	"stochopt/datasets"
	"stochopt/internal/finite"
)

// Format and Version name the latest file format that this package writes.
const (
	Format  = "stochopt-model"
	Version = 2
)

// Model is the classifier
//
//	g(x) = sum_k Coefficients[k] K(Vectors[k], x) + Bias,
//
// which says Labels.Positive where g(x) > 0.
type Model struct {
	Kernel Kernel `json:"kernel"`
	// Features is the number d of features of the vectors, and of the data.
	Features int    `json:"features"`
	Labels   Labels `json:"labels"`
	// Input says how rows are read and prepared; nil if there is nothing to say, and in files
	// of version 1.
	Input *datasets.Recipe `json:"input,omitempty"`
	// Provenance says where the classifier comes from.
	Provenance Provenance `json:"provenance"`
	Bias       float64    `json:"bias"`
	// Coefficients and Vectors have equal length, the support size.
	Coefficients []float64 `json:"coefficients"`
	Vectors      []Vector  `json:"vectors"`
}

// Kernel names a kernel and gives its parameters: of "gaussian",
// exp(-Gamma |x-x'|^2), Gamma alone; of "linear", <x, x'>, none; of
// "polynomial", (Gamma <x, x'> + Coef0)^Degree, all three.
type Kernel struct {
	Name   string   `json:"name"`
	Gamma  *float64 `json:"gamma,omitempty"`
	Degree *int     `json:"degree,omitempty"`
	Coef0  *float64 `json:"coef0,omitempty"`
}

// Vector is a sparse vector: Values at the 1-based features Indices, which
// increase, and 0 elsewhere.
type Vector struct {
	Indices []int32   `json:"indices"`
	Values  []float64 `json:"values"`
}

// Labels says which labels of the data +1 and -1 stand for. Without Negative,
// -1 stands for every label but Positive.
type Labels struct {
	Positive float64  `json:"positive"`
	Negative *float64 `json:"negative,omitempty"`
}

// Provenance says how a classifier was made.
type Provenance struct {
	// Tool is the program that wrote the file, with its version.
	Tool string `json:"tool,omitempty"`
	// Spec is the experiment's name, Model the model's id there.
	Spec  string `json:"spec,omitempty"`
	Model string `json:"model,omitempty"`
	// Dataset is the dataset's id in the experiment, DatasetTitle its title and
	// DatasetHash the hash of its content. StandIn marks made-up data.
	Dataset      string `json:"dataset,omitempty"`
	DatasetTitle string `json:"dataset_title,omitempty"`
	DatasetHash  string `json:"dataset_hash,omitempty"`
	// Source is the known dataset that it is, "" for files, with its Variant, ""
	// for the first, and the Part that was read.
	Source  string `json:"source,omitempty"`
	Variant string `json:"variant,omitempty"`
	Part    string `json:"part,omitempty"`
	StandIn bool   `json:"stand_in,omitempty"`
	// Split is the canonical text of the split that was trained on, "" for the
	// publisher's, and Train the number of training points.
	Split string `json:"split,omitempty"`
	Train int    `json:"train,omitempty"`
	// Prepare lists the preparation steps of the data, in order.
	Prepare []string `json:"prepare,omitempty"`
	// Series is the label of the experiment's entry, Algorithm what it runs.
	Series           string         `json:"series,omitempty"`
	Algorithm        string         `json:"algorithm,omitempty"`
	AlgorithmVersion int            `json:"algorithm_version,omitempty"`
	Params           map[string]any `json:"params,omitempty"`
	Seed             uint64         `json:"seed"`
	Repeat           int            `json:"repeat"`
	// Key and Extent are those of the run, Iterations how many it had made.
	Key        string `json:"key,omitempty"`
	Extent     string `json:"extent,omitempty"`
	Iterations int64  `json:"iterations,omitempty"`
	// Asked is the most expansion vectors that were asked for, 0 for the reference.
	Asked int `json:"asked,omitempty"`
	// TestError is the classifier's error on the test split, by which it may
	// have been chosen: then it is no estimate of that on other data. It is one, of so many
	// TestRows, where there is a ValidationError: that on the validation split, which the
	// choice was made by.
	TestError       *float64 `json:"test_error,omitempty"`
	TestRows        int64    `json:"test_rows,omitempty"`
	ValidationError *float64 `json:"validation_error,omitempty"`
}

// Version returns that of the format of the model's file, the least that holds it.
func (m *Model) Version() int {
	if m.Input == nil && m.Provenance.TestRows == 0 && m.Provenance.ValidationError == nil {
		return 1
	}
	return Version
}

// ReadsLike reports whether the model takes rows as r says; nil says nothing.
func (m *Model) ReadsLike(r *datasets.Recipe) bool {
	a, errA := compact(m.Input)
	b, errB := compact(r)
	return errA == nil && errB == nil && string(a) == string(b)
}

// Equal reports whether two classifiers were made in the same way, whatever
// version of the program made them.
func (p Provenance) Equal(q Provenance) bool {
	p.Tool, q.Tool = "", ""
	a, errA := compact(p)
	b, errB := compact(q)
	return errA == nil && errB == nil && string(a) == string(b)
}

// NewKernel describes a kernel. It returns an error for one that a file cannot
// hold.
func NewKernel(k kernel.Kernel) (Kernel, error) {
	switch k := k.(type) {
	case kernel.Gaussian:
		return Kernel{Name: "gaussian", Gamma: &k.Gamma}, nil
	case kernel.Linear:
		return Kernel{Name: "linear"}, nil
	case kernel.Polynomial:
		return Kernel{Name: "polynomial", Gamma: &k.Gamma, Degree: &k.Degree, Coef0: &k.Coef0}, nil
	}
	return Kernel{}, fmt.Errorf("model: the file format cannot hold the kernel %v", k)
}

// kernelNames lists the kernels of the format.
var kernelNames = []string{"gaussian", "linear", "polynomial"}

// open returns the kernel described.
func (k Kernel) open() (kernel.Kernel, error) {
	var want [3]bool // gamma, degree, coef0
	switch k.Name {
	case "gaussian":
		want[0] = true
	case "linear":
	case "polynomial":
		want = [3]bool{true, true, true}
	default:
		return nil, fmt.Errorf("unknown kernel %q (known: %s)", k.Name, strings.Join(kernelNames, ", "))
	}
	for i, given := range [...]bool{k.Gamma != nil, k.Degree != nil, k.Coef0 != nil} {
		name := [...]string{"gamma", "degree", "coef0"}[i]
		switch {
		case want[i] && !given:
			return nil, fmt.Errorf("the %s kernel has no %s", k.Name, name)
		case given && !want[i]:
			return nil, fmt.Errorf("the %s kernel takes no %s", k.Name, name)
		}
	}
	switch k.Name {
	case "gaussian":
		g := kernel.Gaussian{Gamma: *k.Gamma}
		return g, g.Check()
	case "polynomial":
		p := kernel.Polynomial{Degree: *k.Degree, Gamma: *k.Gamma, Coef0: *k.Coef0}
		return p, p.Check()
	}
	return kernel.Linear{}, nil
}

// String names the kernel with its parameters.
func (k Kernel) String() string {
	opened, err := k.open()
	if err != nil {
		return k.Name
	}
	return opened.String()
}

// Support returns the number of expansion vectors.
func (m *Model) Support() int { return len(m.Coefficients) }

// Check returns an error if the parts of a model do not fit together, or a
// number is not finite.
func (m *Model) Check() error {
	if _, err := m.Kernel.open(); err != nil {
		return err
	}
	switch {
	case m.Features < 1 || m.Features > math.MaxInt32:
		return fmt.Errorf("the number of features is %d; it must be between 1 and %d", m.Features, math.MaxInt32)
	case len(m.Coefficients) != len(m.Vectors):
		return fmt.Errorf("there are %d coefficients and %d vectors; each vector needs one", len(m.Coefficients), len(m.Vectors))
	case !finite.Is(m.Bias):
		return fmt.Errorf("the bias is %v; it must be finite", m.Bias)
	case !finite.Is(m.Labels.Positive) || m.Labels.Negative != nil && !finite.Is(*m.Labels.Negative):
		return errors.New("a label is not finite")
	case m.Labels.Negative != nil && *m.Labels.Negative == m.Labels.Positive:
		return fmt.Errorf("both classes have the label %v", m.Labels.Positive)
	case m.Provenance.ValidationError != nil && !(0 <= *m.Provenance.ValidationError && *m.Provenance.ValidationError <= 1):
		return fmt.Errorf("the validation error is %v; it is a fraction", *m.Provenance.ValidationError)
	case m.Provenance.TestError != nil && !(0 <= *m.Provenance.TestError && *m.Provenance.TestError <= 1):
		return fmt.Errorf("the test error is %v; it is a fraction", *m.Provenance.TestError)
	}
	if m.Input != nil {
		m.Input.Features = m.Features
		if err := m.Input.Check(); err != nil {
			return fmt.Errorf("input: %w", err)
		}
		if have, want := len(m.Input.Prepare), len(m.Provenance.Prepare); have != want {
			return fmt.Errorf("input: there are numbers of %d preparation steps for %d", have, want)
		}
	}
	for k, c := range m.Coefficients {
		if !finite.Is(c) {
			return fmt.Errorf("coefficient %d is %v; it must be finite", k+1, c)
		}
		if err := m.Vectors[k].check(m.Features); err != nil {
			return fmt.Errorf("vector %d: %w", k+1, err)
		}
	}
	return nil
}

func (v Vector) check(features int) error {
	if len(v.Indices) != len(v.Values) {
		return fmt.Errorf("it has %d indices and %d values", len(v.Indices), len(v.Values))
	}
	last := int32(0)
	for i, j := range v.Indices {
		switch {
		case j < 1 || int(j) > features:
			return fmt.Errorf("the index %d is outside 1, …, %d", j, features)
		case j <= last:
			return fmt.Errorf("the index %d follows %d; indices increase", j, last)
		case !finite.Is(v.Values[i]):
			return fmt.Errorf("the value of feature %d is %v; it must be finite", j, v.Values[i])
		}
		last = j
	}
	return nil
}

// listed returns the vector with lists that are not nil.
func (v Vector) listed() Vector {
	return Vector{append([]int32{}, v.Indices...), append([]float64{}, v.Values...)}
}
