package observe

import (
	"slices"
	"strings"
	"unicode/utf8"

	"stochopt/internal/record"
)

// Metric is what runs are measured by, or a cost that curves are along: a row of one of the tables.
// A new one takes a row here and a column where it is measured; all else follows.
type Metric struct {
	// Name is that of the records, Label what axes and columns call it.
	Name, Label string
	// Unit is Fraction, or empty for a number without one.
	Unit string
	// Tasks lists the tasks whose runs record it.
	Tasks []string
	// MoreIsBetter marks a metric to maximise. Of all others less is better, or neither.
	MoreIsBetter bool
	// Above names the metric that this one is the distance of from its optimum, if it is
	// one. It is known up to what the optimum is certified to.
	Above string
}

// Fraction is the unit of a metric that is a share of the rows of a split. It goes in steps of one of them.
const Fraction = "fraction of rows"

// Spectrum is no metric, but has an axis as they have: see record.Curve.
const Spectrum = "spectrum"

// metrics is the table. Its order is that in which specifications are told of them;
// parameters are selected by the first of their task.
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

// The tasks of rows.
var (
	pcaTask     = []string{record.TaskPCA}
	svmTask     = []string{record.TaskSVM}
	sparseTask  = []string{record.TaskSparse}
	kernelTasks = []string{record.TaskSVM, record.TaskSparse}
)

// costs is the table of costs, in the order of messages. Tasks are those whose runs count the cost
// along their curves.
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

// TaskMetrics returns the names of the metrics that runs of a task record, the one that
// parameters are selected by first.
func TaskMetrics(task string) []string { return namesOf(metrics, task) }

// TaskCosts returns the names of the costs that runs of a task count along their curves.
func TaskCosts(task string) []string { return namesOf(costs, task) }

func namesOf(table []Metric, task string) (names []string) {
	for _, m := range table {
		if slices.Contains(m.Tasks, task) {
			names = append(names, m.Name)
		}
	}
	return names
}

// MetricOf returns the row of a metric as runs of a task record it; of another task the
// first row of the name; of a name that is not in the table nothing but that.
func MetricOf(task, name string) Metric {
	found := Metric{Name: name}
	for _, m := range slices.Backward(metrics) {
		if m.Name == name && !slices.Contains(found.Tasks, task) {
			found = m
		}
	}
	return found
}

// Label returns what axes and columns call a cost or a metric: its name, made readable, if it is in no table.
func Label(name string) string {
	all := slices.Concat(costs, metrics)
	if i := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name }); i >= 0 {
		return all[i].Label
	}
	l := strings.ReplaceAll(name, "_", " ")
	if l == "" || l[0] >= utf8.RuneSelf { // a symbol, such as a Greek letter
		return l
	}
	return strings.ToUpper(l[:1]) + l[1:]
}

// Rounding is what arithmetic leaves of a difference that is 0: of a suboptimality as it
// is, of other quantities relative to their size.
const Rounding = 1e-12

// Resolution returns the least value of a metric on a split that the record of a run
// tells from 0: of a fraction half a row, of a distance from an optimum the gap that
// encloses that. It is 0 of other metrics, and where that is not on record.
func Resolution(r *record.Run, split, metric string) float64 {
	m := MetricOf(r.Task, metric)
	switch n := r.Rows[split]; {
	case m.Unit == Fraction && n > 0:
		return 0.5 / float64(n)
	case m.Above != "":
		primal, certified := r.Facts["reference_primal"]
		dual, bounded := r.Facts["reference_dual"]
		if certified && bounded {
			return max(primal-dual, 0)
		}
	}
	return 0
}

// Floor returns the least value of a metric that is told from 0 in statements about one
// curve: what its record resolves, but of a distance from an optimum no less than
// rounding. Comparisons of two experiments set rounding relative to the size of what they
// compare, so that their outcome does not depend on its unit.
func Floor(r *record.Run, split, metric string) float64 {
	floor := Resolution(r, split, metric)
	if MetricOf(r.Task, metric).Above != "" {
		floor = max(Rounding, floor)
	}
	return floor
}

// Where a metric is looked for, in this order, if no split is named. The state is none of
// the data, and has metrics of its own.
var (
	// unseenSplits are of what the algorithm did not learn from or was chosen by: what
	// figures and tables show, which may say "test error" without a look at the records.
	unseenSplits = []string{record.SplitTest, record.SplitPopulation, record.SplitState}
	// allSplits go on: what claims and comparisons read, which name the split they found.
	allSplits = slices.Concat(unseenSplits, []string{record.SplitValidation, record.SplitTrain})
)

// AllSplits returns the splits in the order in which a metric is looked for.
func AllSplits() []string { return slices.Clone(allSplits) }

// UnseenSplit returns the split on which a run has a metric: want, or if that is empty
// test, else the population. Properties of the state are found whatever the split.
func UnseenSplit(r *record.Run, want, metric string) (split string, ok bool) {
	return findSplit(r, want, metric, unseenSplits)
}

// AnySplit is UnseenSplit, but goes on to the validation and the training rows.
func AnySplit(r *record.Run, want, metric string) (split string, ok bool) {
	return findSplit(r, want, metric, allSplits)
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
