package observe

import (
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/record"
)

// Metric is a metric of runs or a cost of curves: a row of one of the tables below. A new metric needs a row and a
// column in the task that measures it.
type Metric struct {
	// Name is the name in records. Label is the text on axes and columns.
	Name, Label string
	// Unit is Fraction, or "" for a number without a unit.
	Unit string
	// Tasks lists the tasks whose runs record it.
	Tasks []string
	// MoreIsBetter marks a metric to maximise. For all others, less is better, or neither is.
	MoreIsBetter bool
	// Above is the name of another metric, if this one is the distance of the other from its optimum, else "". The
	// distance is known up to the certified gap of the optimum.
	Above string
}

// Fraction is the unit of a metric that is a fraction of the rows of a split.
const Fraction = "fraction of rows"

// Spectrum names the axis of spectra, which are not a metric; see record.Curve.
const Spectrum = "spectrum"

// metrics is the table of metrics, in the order in which messages list them. By default, parameters are selected by the
// first metric of the task.
var metrics = []Metric{
	{Name: record.MetricError, Label: "Error", Unit: Fraction, Tasks: kernelTasks},
	{Name: record.MetricHinge, Label: "Hinge loss", Tasks: kernelTasks},
	{Name: "slant", Label: "Slant", Tasks: sparseTask},
	{Name: record.MetricObjective, Label: "Objective", Tasks: svmTask},
	{Name: "dual", Label: "Dual objective", Tasks: svmTask, MoreIsBetter: true},
	{Name: "gap", Label: "Duality gap", Tasks: svmTask},
	{
		Name: record.MetricSuboptimality, Label: "Suboptimality", Tasks: svmTask,
		Above: record.MetricObjective,
	},
	{Name: record.MetricSuboptimality, Label: "Suboptimality", Tasks: pcaTask, Above: record.MetricObjective},
	{Name: record.MetricObjective, Label: "Objective", Tasks: pcaTask, MoreIsBetter: true},
	{Name: record.MetricRank, Label: "Rank k′ₜ", Tasks: pcaTask},
	{Name: "orthonormality", Label: "Orthonormality error", Tasks: pcaTask},
	{Name: "value", Label: "Value", Tasks: []string{record.TaskSparse, record.TaskLoss}},
	{Name: record.MetricNorm, Label: "Norm |w|", Tasks: kernelTasks},
	{Name: record.MetricSupport, Label: "Support vectors", Tasks: kernelTasks},
	{Name: "slack", Label: "Slack-constrained objective", Tasks: svmTask},
	{Name: "bias", Label: "Bias", Tasks: sparseTask},
	{Name: Spectrum, Label: "Eigenvalue"},
}

// Values of Metric.Tasks.
var (
	pcaTask     = []string{record.TaskPCA}
	svmTask     = []string{record.TaskSVM}
	sparseTask  = []string{record.TaskSparse}
	kernelTasks = []string{record.TaskSVM, record.TaskSparse}
)

// costs is the table of costs, in the order in which messages list them. Tasks lists the tasks whose curves count the
// cost.
var costs = []Metric{
	{
		Name: record.CostIterations, Label: "Iterations",
		Tasks: []string{record.TaskPCA, record.TaskSVM, record.TaskSparse, record.TaskLoss},
	},
	{Name: record.CostKernelEvals, Label: "Kernel evaluations", Tasks: kernelTasks},
	{Name: record.CostKernelEvalsMoved, Label: "Kernel evaluations (moved coefficients)", Tasks: svmTask},
	{Name: record.CostInnerProducts, Label: "Inner products", Tasks: kernelTasks},
	{Name: record.CostSumKT, Label: "Sum of ranks Σ k′ₜ", Tasks: pcaTask},
	{Name: record.CostSumKT2, Label: "Estimated runtime Σ (k′ₜ)²", Tasks: pcaTask},
	{Name: record.CostSeconds, Label: "Seconds in the algorithm"},
	{Name: record.CostCPUSeconds, Label: "CPU seconds in the algorithm"},
}

// TaskMetrics returns the names of the metrics of a task. The first is the default for selection.
func TaskMetrics(task string) []string { return namesOf(metrics, task) }

// TaskCosts returns the names of the costs that curves of a task count.
func TaskCosts(task string) []string { return namesOf(costs, task) }

func namesOf(table []Metric, task string) (names []string) {
	for _, m := range table {
		if slices.Contains(m.Tasks, task) {
			names = append(names, m.Name)
		}
	}
	return names
}

// MetricOf returns the row of a metric for a task. If the task does not have the metric, it returns the first row
// with that name. If there is no such row, it returns a Metric with only the name.
func MetricOf(task, name string) Metric {
	found := Metric{Name: name}
	for _, m := range slices.Backward(metrics) {
		if m.Name != name {
			continue
		}
		if slices.Contains(m.Tasks, task) {
			return m
		}
		found = m
	}
	return found
}

// Label returns the label of a cost or a metric. For other names, it returns the name with a capital letter and spaces.
func Label(name string) string {
	all := slices.Concat(costs, metrics)
	if i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return all[i].Label
	}
	label := strings.ReplaceAll(name, "_", " ")
	if label == "" || label[0] >= utf8.RuneSelf { // a symbol, such as a Greek letter
		return label
	}
	return strings.ToUpper(label[:1]) + label[1:]
}

// Rounding is the rounding error of a difference that should be 0: absolute for a suboptimality, relative for other
// quantities.
const Rounding = 1e-12

// Resolution returns the smallest value of a metric that a record distinguishes from 0: half a row for a fraction,
// or the certified gap for a distance from an optimum. It is 0 for other metrics or if the record lacks the number.
func Resolution(r *record.Run, split, metric string) float64 {
	m := MetricOf(r.Task, metric)
	switch n := r.Rows[split]; {
	case m.Unit == Fraction && n > 0:
		return 0.5 / float64(n)
	case m.Above != "":
		primal, hasPrimal := r.Facts["reference_primal"]
		dual, hasDual := r.Facts["reference_dual"]
		if hasPrimal && hasDual {
			return max(primal-dual, 0)
		}
	}
	return 0
}

// Floor returns the smallest value of a metric that counts as different from 0 in statements about one curve: its
// Resolution, and for a distance from an optimum at least Rounding. Comparisons of two experiments use a rounding
// error relative to the values instead, so that their outcome does not depend on units.
func Floor(r *record.Run, split, metric string) float64 {
	floor := Resolution(r, split, metric)
	if MetricOf(r.Task, metric).Above != "" {
		floor = max(Rounding, floor)
	}
	return floor
}

// The splits on which a metric is looked up, in this order, if none is named. SplitState has the metrics of the
// algorithm's state.
var (
	// unseenSplits are used neither for training nor for selection. Figures and tables show only these, so that they
	// can write "test error" without reading the records.
	unseenSplits = []string{record.SplitTest, record.SplitPopulation, record.SplitState}
	// AllSplits are for claims and comparisons, which name the split that they find.
	AllSplits = slices.Concat(unseenSplits, []string{record.SplitValidation, record.SplitTrain})
)

// UnseenSplit returns the split on which a run has a metric: want, or if want is "" the test split or the
// population. A metric of the state is found for any want.
func UnseenSplit(r *record.Run, want, metric string) (split string, ok bool) {
	return findSplit(r, want, metric, unseenSplits)
}

// AnySplit is like UnseenSplit but also looks in the validation and training splits.
func AnySplit(r *record.Run, want, metric string) (split string, ok bool) {
	return findSplit(r, want, metric, AllSplits)
}

func findSplit(r *record.Run, want, metric string, splits []string) (string, bool) {
	if want != "" {
		splits = []string{want, record.SplitState}
	}
	i := slices.IndexFunc(splits, func(s string) bool { return r.Records(s, metric) })
	if i < 0 {
		return "", false
	}
	return splits[i], true
}
