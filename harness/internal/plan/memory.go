package plan

import (
	"fmt"
	"slices"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// Memory estimates the bytes that the algorithm of a run takes, which its limit bounds.
func (it *Item) Memory() int64 {
	pr := it.Problem
	shape := registry.Shape{Train: pr.TrainRows, Points: pr.points, Features: pr.dim, Iterations: it.Budget}
	return it.Algorithm.Memory(it.Params, shape)
}

// CheckLimit returns an error if the algorithm of a run takes more memory than its limit.
func (it *Item) CheckLimit() error {
	if need := spec.Size(it.Memory()); it.Limit.Memory > 0 && need > it.Limit.Memory {
		return fmt.Errorf("needs %s of memory; the limit is %s", need, it.Limit.Memory)
	}
	return nil
}

// Need estimates the bytes that a run takes besides the data. A run counts what it shares with
// other runs on the same data.
type Need struct {
	// Kernel is two rows of each kernel matrix, the fewest that a run can work with.
	Kernel int64
	// Algorithm is what its method takes, Measure what its iterates are measured on,
	// Record what is recorded of it.
	Algorithm, Measure, Record int64
}

// Own is the sum without the kernel rows; at most 1 << 62, so that a caller can add to it.
func (n Need) Own() int64 {
	return int64(whole.Within(float64(n.Algorithm)+float64(n.Measure)+float64(n.Record), 0, 1<<62))
}

// Need estimates what a run takes.
func (it *Item) Need() Need {
	pr, r := it.Problem, it.Problem.Spec.Record
	n := Need{Algorithm: it.Memory()}
	if it.ReadsKernel() {
		n.Kernel = 2 * registry.KernelRowBytes(pr.points)
	}
	var measure float64
	switch {
	case pr.task.Sparse:
		// The points trained on and the others are columns of two matrices.
		n.Kernel = 2 * (registry.KernelRowBytes(pr.TrainRows) + registry.KernelRowBytes(pr.points-pr.TrainRows))
		measure = pr.pointBytes * float64(pr.points)
		if !it.Algorithm.Needs(it.Params).Inputs {
			measure += objective.TogetherBytes(pr.TrainRows, pr.points)
		}
	case pr.task.Supervised:
		measure = pr.pointBytes * float64(pr.points)
	case pr.wide():
		measure = objective.RowMomentBytes(pr.measuredRows, pr.dim)
	default:
		moment, optimum := objective.MomentBytes(pr.dim)
		measure = 2*moment + optimum // a moment for each split that is measured
	}
	n.Measure = registry.Counted(measure)
	// Columns of numbers, twice while they grow and once as text, and spectra.
	const columns, number = 20, 48
	width := columns
	if r.Spectrum {
		width += pr.dim
	}
	n.Record = registry.Counted(number * float64(width) * float64(min(int64(r.Points), it.Budget)))
	return n
}

// Fits returns an *Error that says what to do if a run does not fit in memory together with
// the data. A run beyond its own limit fits, because it is not performed.
func (it *Item) Fits(memory, data int64) error {
	n := it.Need()
	need := n.Own() + n.Kernel + data
	if need <= memory || it.CheckLimit() != nil {
		return nil
	}
	parts := []int64{n.Algorithm, n.Kernel, n.Measure, n.Record, data}
	names := []string{"its algorithm", "kernel rows", "its points or second moments", "record.points", "data"}
	most := names[slices.Index(parts, slices.Max(parts))]
	entry := it.Problem.Entry
	return &Error{it.pos, fmt.Errorf("algorithm %q on dataset %q (%s): a run with %s needs %s, most of it for %s, and --memory is %s; "+
		"use smaller data or parameters, or give --memory %dMiB or more",
		it.Series, entry.ID, entry.Pos, record.Params(it.Params), spec.Size(need), most, spec.Size(memory), need>>20+1)}
}

// DataBytes returns the size of the data of a plan. Equal data count once.
func (p *Plan) DataBytes() (bytes int64) {
	seen := make(map[string]bool)
	for _, pr := range p.Problems {
		if !seen[pr.Data.Hash] {
			seen[pr.Data.Hash] = true
			bytes += pr.bytes
		}
	}
	return bytes
}

// Shortages returns an error for each algorithm on a dataset of which runs do not fit in
// memory together with the data, in plan order.
func (p *Plan) Shortages(memory, data int64) (short []error) {
	reported := make(map[record.Labels]bool)
	for _, it := range p.Items {
		if err := it.Fits(memory, data); err != nil && !reported[it.ID.Labels] {
			reported[it.ID.Labels] = true
			short = append(short, err)
		}
	}
	return short
}
