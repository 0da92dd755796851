package registry

// Demands says what a run asks of the machinery around it, whatever its task.
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
	// Steady: iterations are of much the same cost, so that those done foretell the
	// time of the others.
	Steady bool
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
}

// DemandsOf returns what a run asks for; of an unknown algorithm nothing is known.
func DemandsOf(task, id string, p Params) Demands {
	m, err := find(task, id)
	if err != nil {
		return Demands{WorkingSet: 1}
	}
	if demands := lookupTask(task).demands; demands != nil {
		return demands(m, p)
	}
	return Demands{WorkingSet: 1, Steady: true}
}

// MemoryOf returns how many bytes a run takes by itself, besides kernel rows and
// what is in proportion to its data. It is math.MaxInt64 if it is that or more.
func MemoryOf(task, id string, p Params, s Shape) int64 {
	if m, err := find(task, id); err == nil && m.memory != nil {
		return m.memory(p, s)
	}
	return 0
}

// demandsOfSVM are those of the task svm.
func demandsOfSVM(m *method, p Params) Demands {
	n := m.needed(p)
	d := Demands{
		Steps: n.Steps, WorkingSet: n.WorkingSet, Steady: n.Steps == 0,
		Kernel: n.Kernel || m.converts(p), Compared: m.compares(p),
	}
	if n.CountsKernelEvals() {
		d.KernelRows = n.WorkingSet
	}
	if m.converts(p) {
		d.Reference = int64(ReferenceVersion)
	}
	return d
}

// demandsOfSparse are those of the task svm-sparse. Iterations take longer as the
// classifier grows.
func demandsOfSparse(m *method, p Params) Demands {
	n := m.needed(p)
	d := Demands{WorkingSet: n.WorkingSet, KernelRows: n.WorkingSet, Kernel: true, Recording: sparseRecording}
	if m.dependsOnReference(p) {
		d.Reference = map[string]any{"version": int64(ReferenceVersion), "gap": SparseReferenceGap}
	}
	return d
}
