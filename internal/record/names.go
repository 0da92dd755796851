package record

// Tasks, the kinds of problems that runs are of.
const (
	// TaskPCA is the task of Cotter 2013, part II.
	TaskPCA = "pca"
	// TaskSVM is the task of Cotter 2013, part I, chapters 1 and 2.
	TaskSVM = "svm"
	// TaskSparse is the task of Cotter 2013, chapter 3.
	TaskSparse = "svm-sparse"
	// TaskLoss records loss functions of the margin, for illustrations.
	TaskLoss = "loss"
)

// Splits that metrics are measured on, which are keys of Curve.Metrics.
const (
	SplitTrain      = "train"
	SplitValidation = "validation"
	SplitTest       = "test"
	// SplitPopulation is the distribution itself, where it is known.
	SplitPopulation = "population"
	// SplitState is of the algorithm's own state, such as the number of support vectors.
	SplitState = "state"
)

// Metrics that code asks for by name. What each is, and all others, is in the table of metrics of
// package analysis.
const (
	MetricError         = "error"
	MetricHinge         = "hinge"
	MetricNorm          = "norm"
	MetricObjective     = "objective"
	MetricRank          = "rank"
	MetricSuboptimality = "suboptimality"
	MetricSupport       = "support"
)

// Costs that code asks for by name; see the table of costs of package analysis.
const (
	CostIterations       = "iterations"
	CostInnerProducts    = "inner_products"
	CostKernelEvals      = "kernel_evals"
	CostKernelEvalsMoved = "kernel_evals_moved"
	CostSumKT            = "sum_kt"
	CostSumKT2           = "sum_kt2"
	// CostSeconds is the time of the recorded points, which is in Timings.
	CostSeconds = "seconds"
	// CostCPUSeconds is the processor's time of the recorded points, which is there too.
	CostCPUSeconds = "cpu_seconds"
	// CostSupportSize is what trade-offs are curves along: the number of support vectors.
	CostSupportSize = "support_size"
)
