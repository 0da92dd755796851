package record

// Tasks, the kinds of problems.
const (
	// TaskPCA is the task of Cotter 2013, part II.
	TaskPCA = "pca"
	// TaskSVM is the task of Cotter 2013, part I, chapters 1 and 2.
	TaskSVM = "svm"
	// TaskSparse is the task of Cotter 2013, chapter 3.
	TaskSparse = "svm-sparse"
	// TaskLoss records loss functions of the margin, for illustration.
	TaskLoss = "loss"
)

// Splits on which metrics are measured, the keys of Curve.Metrics.
const (
	SplitTrain      = "train"
	SplitValidation = "validation"
	SplitTest       = "test"
	// SplitPopulation is the distribution itself, if it is known.
	SplitPopulation = "population"
	// SplitState holds properties of the algorithm's state, such as the number of support vectors.
	SplitState = "state"
)

// Metrics used by name. The table of metrics in package observe describes all metrics.
const (
	MetricError         = "error"
	MetricHinge         = "hinge"
	MetricNorm          = "norm"
	MetricObjective     = "objective"
	MetricRank          = "rank"
	MetricSuboptimality = "suboptimality"
	MetricSupport       = "support"
)

// Costs used by name. The table of costs in package observe describes all costs.
const (
	CostIterations       = "iterations"
	CostInnerProducts    = "inner_products"
	CostKernelEvals      = "kernel_evals"
	CostKernelEvalsMoved = "kernel_evals_moved"
	CostSumKT            = "sum_kt"
	CostSumKT2           = "sum_kt2"
	// CostSeconds is the time at the recorded points, from Timing.
	CostSeconds = "seconds"
	// CostCPUSeconds is the CPU time at the recorded points, from Timing.
	CostCPUSeconds = "cpu_seconds"
	// CostSupportSize is the number of support vectors, the horizontal axis of trade-off curves.
	CostSupportSize = "support_size"
)
