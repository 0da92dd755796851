package registry

import (
	"math"

	"stochopt/algorithms/sparse"
	"stochopt/datasets"
)

// Work is what has to be done, as quantities by name that time is in proportion to, such as
// the number of steps, or of numbers that they read. Package forecast knows how many seconds
// one of each takes.
type Work map[string]float64

// add adds the quantities of another under a prefix.
func (w Work) add(prefix string, more Work) {
	for name, v := range more {
		w[prefix+"."+name] += v
	}
}

// Add adds more work.
func (w Work) Add(more Work) {
	for name, v := range more {
		w[name] += v
	}
}

// Size is what the work of a run depends on.
type Size struct {
	Shape
	// Entries is the mean number of entries of a row that are not zero. Bytes: rows are
	// laid out in full for kernel rows, a byte an entry.
	Entries float64
	Bytes   bool
	// Steps is the number of steps that the run takes, Ascent that which SMO takes to
	// solve its problem. Recorded is the number of recorded points, Splits that of the
	// splits that are measured on.
	Steps, Ascent, Recorded, Splits float64
}

// Work returns what a run has to do, but for kernel rows that others read as well: its
// steps and, apart, its measurements.
func (a *Algorithm) Work(p Params, s Size) (steps, measuring Work) {
	steps, measuring = Work{}, Work{}
	own := a.Task + "." + a.ID
	if a.work != nil {
		steps.add(own, a.work(p, s))
	}
	measuring.add(a.Task, Work{"run": 1})
	switch a.Task {
	case TaskPCA:
		if s.Train > 0 {
			steps.Add(Work{"pca.row": s.Steps * s.Entries})
		} else {
			steps.Add(Work{"pca.draw": s.Steps * float64(s.Features)})
		}
		measuring.add(a.Task+".measure", measuredPCA(a, p, s))
	case TaskSVM:
		measuring.add(a.Task+".measure", Work{"point": s.Recorded, "score": s.Recorded * float64(s.Points)})
	case TaskSparse:
		scores := s.Recorded * float64(s.Points)
		measuring.add(own+".measure", Work{"point": s.Recorded, "score": scores * math.Sqrt(float64(s.Train))})
	}
	if a.External() && a.Task != TaskPCA {
		// Nothing is read again of its kernel rows, and each support vector has one.
		evals := float64(s.Points) * math.Min(s.Ascent/2, float64(s.Train))
		measuring.Add(KernelWork(evals, s))
	}
	return steps, measuring
}

// KernelWork is that of so many kernel evaluations.
func KernelWork(evals float64, s Size) Work {
	if s.Bytes {
		return Work{"kernel.eval": evals, "kernel.byte": evals * float64(s.Features)}
	}
	return Work{"kernel.eval": evals, "kernel.entry": evals * s.Entries}
}

// SetupWork is what runs that share their data and its splits need once: kernel tasks
// their points laid out, PCA its second moments.
func SetupWork(task string, s Size) Work {
	w := Work{}
	rows := float64(s.Points)
	switch task {
	case TaskPCA:
		w.add(task+".setup", Work{"share": 1, "moment": rows * s.Entries * s.Entries})
	case TaskSVM, TaskSparse:
		w.add("kernel.setup", Work{"share": 1, "point": rows * (1 + s.Entries)})
	}
	return w
}

// OptimumWork is that of the certified optima of those runs: so many of kernel tasks, of PCA
// an eigendecomposition for each split.
func OptimumWork(task string, s Size, optima int) Work {
	switch task {
	case TaskPCA:
		d := float64(s.Features)
		return Work{task + ".optimum.decomposed": s.Splits * d * d, task + ".optimum.reduced": s.Splits * d * d * d}
	case TaskSVM, TaskSparse:
		return Work{task + ".optimum": float64(optima) * s.Ascent * float64(s.Train)}
	}
	return nil
}

// measuredPCA is what measuring the iterates of a run takes: the solution that they show,
// and what it captures.
func measuredPCA(a *Algorithm, p Params, s Size) Work {
	d, k, rank := float64(s.Features), float64(p.Int("k")), float64(rankOf(p, s))
	w := Work{"point": s.Recorded, "captured": s.Recorded * s.Splits * d * d * k, "state": s.Recorded * d * rank * rank}
	if a.ID == "saa" || p.Text("iterate") == "average" {
		// Of few samples so far it is that of a smaller matrix.
		few := math.Min(d, s.Steps)
		w["decomposed"], w["reduced"] = s.Recorded*few*few, s.Recorded*few*few*few
	}
	return w
}

// rankOf is the rank that the iterates of a PCA algorithm have as a rule: what it is where
// it is bounded, and else what runs of the thesis's experiments had on average, with step
// sizes around the best.
func rankOf(p Params, s Size) int {
	k := p.Int("k")
	if limit := p.Int("cap"); limit > 0 {
		return limit
	}
	return min(s.Features, 2*k+8)
}

// Outlined says what the time of kernel rows depends on in a table: the mean number of
// entries of a row that are not zero, and whether rows are laid out in bytes.
func Outlined(table *datasets.Table) (entries float64, bytes bool) {
	if table.N == 0 {
		return 0, false
	}
	if table.Sparse() {
		return float64(table.NNZ()) / float64(table.N), false
	}
	return float64(table.Nonzeros()) / float64(table.N), grey(table)
}

// workOfSteps is the work of steps that go through so many numbers each.
func workOfSteps(name string, numbers func(p Params, s Size) float64) func(Params, Size) Work {
	return func(p Params, s Size) Work {
		return Work{"step": s.Steps, name: s.Steps * numbers(p, s)}
	}
}

// workOfResponses is the work of steps that update so many responses each.
func workOfResponses(responses func(p Params, s Size) float64) func(Params, Size) Work {
	return func(p Params, s Size) Work { return Work{"response": s.Steps * responses(p, s)} }
}

// The work of the algorithms of streaming PCA: of those that keep a d x k matrix; of those
// that keep the eigenvectors of their iterate, whose coefficients they decompose; and of a
// matrix.
var (
	workOfSubspace = workOfSteps("basis", func(p Params, s Size) float64 { return float64(s.Features * p.Int("k")) })
	workOfMoment   = workOfSteps("matrix", func(_ Params, s Size) float64 { return float64(s.Features * s.Features) })
)

func workOfCapped(p Params, s Size) Work {
	k := p.Int("k")
	if limit := p.Int("cap"); limit > 0 {
		k = limit
	}
	return workOfBasis(s, float64(k))
}

// workOfBasis: of steps through the basis, of the secular equation, and of the coefficients.
func workOfBasis(s Size, rank float64) Work {
	return Work{
		"step": s.Steps, "basis": s.Steps * float64(s.Features) * rank,
		"secular": s.Steps * rank * rank, "inner": s.Steps * rank * rank * rank,
	}
}

func workOfRelaxed(p Params, s Size) Work {
	d, rank := float64(s.Features), float64(rankOf(p, s))
	if p.Text("form") == "naive" {
		return Work{"cube": s.Steps * d * d * d}
	}
	w := workOfBasis(s, rank)
	if p.Text("iterate") == "average" {
		w["average"] = s.Steps * d * d * rank
	}
	return w
}

// The work of kernel methods, by the responses that a step updates, and of linear ones.
var (
	workOfRow      = workOfResponses(func(_ Params, s Size) float64 { return float64(s.Points) + inNumbers })
	workOfLinear   = workOfSteps("entry", func(_ Params, s Size) float64 { return s.Entries })
	workOfSIMBA    = workOfSteps("number", func(_ Params, s Size) float64 { return float64(s.Train + s.Features) })
	workOfTraining = workOfResponses(func(_ Params, s Size) float64 { return float64(s.Train) + inNumbers })
)

// inNumbers is how many responses could be updated in the time of all else in a step of a
// kernel method, roughly.
const inNumbers = 500

// workOfRows is workOfRow of methods with a working set.
func workOfRows(rows func(p Params) int) func(Params, Size) Work {
	return workOfResponses(func(p Params, s Size) float64 { return float64(rows(p)) * (float64(s.Points) + inNumbers) })
}

// workOfFourier: features of all points, and their inner products with the directions; the
// linear problem in them.
func workOfFourier(p Params, s Size) Work {
	features := float64(s.Points) * float64(p.Int("pairs"))
	return Work{
		"step": s.Steps, "feature": features, "product": features * s.Entries,
		"solve": float64(s.Train) * float64(p.Int("pairs")),
	}
}

// workOfLIBSVM: of the rows that its steps take those that its cache does not hold are
// computed, over the training points.
func workOfLIBSVM(p Params, s Size) Work {
	n := float64(s.Train)
	rows := KernelRows(2*s.Ascent, chosen, n, p.Float("cache-mb")*(1<<20)/4/n) * n
	return Work{"run": 1, "update": s.Ascent * n, "eval": rows, "entry": rows * s.Entries}
}

// chosen is the share of the rows that a method reads which chooses them, such as those that
// violate the conditions of an optimum most, that would be as many different ones if they
// were drawn at random: such methods come back to the support vectors.
const chosen = 0.2

// Fresh is that share for an algorithm: 1 if it goes through the samples in an order.
func (a *Algorithm) Fresh(p Params) float64 {
	if p.has("order") {
		return 1
	}
	return chosen
}

// SolverRows is how many rows the solver of a certified optimum computes.
func SolverRows(s Size) float64 {
	n := float64(s.Train)
	return KernelRows(2*s.Ascent, chosen, n, n)
}

// KernelRows returns how many rows of a kernel matrix over n points are computed if so many
// are read and so many are kept, of which what is read again may be gone, the less as it
// was often read lately. Fresh is the share of those read that would be as many different ones
// if they were drawn at random.
func KernelRows(read, fresh, n, kept float64) float64 {
	if n == 0 {
		return 0
	}
	distinct := -n * math.Expm1(-fresh*read/n)
	if kept >= distinct {
		return distinct
	}
	gone := 1 - kept/distinct
	return distinct + max(read-distinct, 0)*gone*gone
}

// The work of the searches for sparse classifiers with a number of vectors of their own.

func workOfSpSVM(p Params, s Size) Work {
	n, basis := float64(s.Train), float64(min(p.Int("support"), s.Train))
	return Work{"candidate": n * basis * float64(p.Int("candidates")), "design": n * basis * basis}
}

func workOfRSVM(p Params, s Size) Work {
	n, basis := float64(s.Train), float64(sparse.RSVMPoints(s.Train, p.Float("ratio"), p.Int("support")))
	return Work{"design": n * basis * basis, "cube": basis * basis * basis}
}

func workOfCPSP(p Params, s Size) Work {
	n, basis := float64(s.Train), float64(min(p.Int("basis"), s.Train))
	return Work{"start": n * basis * float64(p.Int("starts")), "design": n * basis * basis}
}

func workOfReducedSet(p Params, s Size) Work {
	n, images := float64(s.Train), float64(min(p.Int("support"), s.Train))
	return Work{"image": n * images, "entry": n * images * s.Entries}
}

// workOfPairs: the reference's vectors, in proportion to the training points, by pairs.
func workOfPairs(_ Params, s Size) Work {
	n := float64(s.Train)
	return Work{"pair": n * n, "entry": n * n * s.Entries}
}

func workOfZhanShen(p Params, s Size) Work {
	w := workOfPairs(p, s)
	w["response"] = s.Steps * float64(s.Train)
	return w
}

// Pace returns what the number of steps of a run is in proportion to that stops of itself, by
// its parameters.
func (a *Algorithm) Pace(p Params) float64 {
	if a.pace == nil {
		return 1
	}
	return a.pace(p)
}

// External reports whether the algorithm is another program.
func (a *Algorithm) External() bool { return a.available != nil || a.Program != nil }
