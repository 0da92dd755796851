package registry

// Demands says what a run needs from the engine, whatever its task.
type Demands struct {
	// Steps is the number of iterations that the method takes whatever the budget,
	// 0 if it heeds that.
	Steps int64
	// WorkingSet is the number of training examples that an iteration looks at, at
	// least 1: it says how long a pass is.
	WorkingSet int
	// KernelRows is the number of kernel rows over the training points that an
	// iteration is charged, as a rule; 0 if its kernel evaluations are not known,
	// or it has none.
	KernelRows int
	// Kernel: the run reads rows of a kernel matrix, for itself or for the optimum
	// that it depends on. Compared: it is compared with an optimum on which it does
	// not depend, where records are to say the suboptimality.
	Kernel, Compared bool
	// Recording is the version of what records hold of a run where it has changed
	// since the first, 0 otherwise: which points, which metrics and facts.
	Recording int
	// Reference says which solution the bits of the run depend on, as part of its
	// key; nil if they depend on none.
	Reference any
}

// sparseRecording is the version of what is recorded in the task svm-sparse. Raise
// it when records hold other points, metrics or facts than before of runs whose
// bits are the same: it is part of their extents, and they are made anew.
const sparseRecording = 2

// Shape is the size of a run's problem.
type Shape struct {
	// Train is the number of training points, Points that of all splits, Features
	// the dimension.
	Train, Points, Features int
	// Rank is that which the iterate of a PCA algorithm has, 0 before its first.
	Rank int
}

// Demands returns what a run asks for.
func (a *Algorithm) Demands(p Params) Demands {
	if demands := lookupTask(a.Task).demands; demands != nil {
		return demands(a, p)
	}
	return Demands{WorkingSet: 1}
}

// Memory returns how many bytes a run takes by itself, besides kernel rows and
// what is in proportion to its data. It is math.MaxInt64 if it is that or more.
func (a *Algorithm) Memory(p Params, s Shape) int64 {
	if a.memory == nil {
		return 0
	}
	return a.memory(p, s)
}

// demandsOfSVM are those of the task svm.
func demandsOfSVM(a *Algorithm, p Params) Demands {
	n := a.Needs(p)
	d := Demands{
		Steps: n.Steps, WorkingSet: n.WorkingSet,
		Kernel: n.Kernel || a.Converts(p), Compared: a.Compares(p),
	}
	if n.CountsKernelEvals() {
		d.KernelRows = n.WorkingSet
	}
	if a.Converts(p) {
		d.Reference = int64(ReferenceVersion)
	}
	return d
}

// demandsOfSparse are those of the task svm-sparse.
func demandsOfSparse(a *Algorithm, p Params) Demands {
	n := a.Needs(p)
	d := Demands{WorkingSet: n.WorkingSet, KernelRows: n.WorkingSet, Kernel: true, Recording: sparseRecording}
	if a.DependsOnReference(p) {
		d.Reference = map[string]any{"version": int64(ReferenceVersion), "gap": SparseReferenceGap}
	}
	return d
}
