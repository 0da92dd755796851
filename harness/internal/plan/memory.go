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

// Memory estimates the memory of the run's algorithm in bytes. Limit.Memory bounds it.
func (it *Item) Memory() int64 {
	pr := it.Problem
	shape := registry.Shape{Train: pr.TrainRows, Points: pr.points, Features: pr.dim, Iterations: it.Budget}
	return it.Algorithm.Memory(it.Params, shape)
}

// CheckLimit returns an error if the run's algorithm needs more memory than its limit.
func (it *Item) CheckLimit() error {
	if need := spec.Size(it.Memory()); it.Limit.Memory > 0 && need > it.Limit.Memory {
		return fmt.Errorf("needs %s of memory; the limit is %s", need, it.Limit.Memory)
	}
	return nil
}

// Need estimates the memory of a run in bytes, without the data. It includes what the run shares with
// other runs on the same data.
type Need struct {
	// Kernel is the size of two rows of each kernel matrix, the minimum for a run.
	Kernel int64
	// Algorithm is for the algorithm, Measure for the points or second moments that its iterates are
	// measured on, and Record for the record.
	Algorithm, Measure, Record int64
}

// Own returns the sum without the kernel rows, in bytes. It is at most 1 << 62, so that callers can add
// to it without overflow.
func (n Need) Own() int64 {
	return int64(whole.Within(float64(n.Algorithm)+float64(n.Measure)+float64(n.Record), 0, 1<<62))
}

// Need estimates the memory of the run.
func (it *Item) Need() Need {
	pr, r := it.Problem, it.Problem.Spec.Record
	n := Need{Algorithm: it.Memory()}
	if it.ReadsKernel() {
		n.Kernel = 2 * registry.KernelRowBytes(pr.points)
	}
	var measure float64
	switch {
	case pr.task.Sparse:
		// There are two kernel matrices: one over the training points, one over the other points.
		n.Kernel = 2 * (registry.KernelRowBytes(pr.TrainRows) + registry.KernelRowBytes(pr.points-pr.TrainRows))
		measure = pr.pointBytes * float64(pr.points)
		if !it.Algorithm.Needs(it.Params).Inputs {
			measure += objective.BatchBytes(pr.TrainRows, pr.points)
		}
	case pr.task.Supervised:
		measure = pr.pointBytes * float64(pr.points)
	case pr.wide():
		measure = objective.RowMomentBytes(pr.measuredRows, pr.dim)
	default:
		moment, optimum := objective.MomentBytes(pr.dim)
		measure = 2*moment + optimum // one second moment for each measured split
	}
	n.Measure = registry.RoundBytes(measure)
	// Each number is stored twice while its column grows, and once as text.
	const columns, number = 20, 48
	width := columns
	if r.Spectrum {
		width += pr.dim
	}
	n.Record = registry.RoundBytes(number * float64(width) * float64(min(int64(r.Points), it.Budget)))
	return n
}

// Fits returns an *Error if the run and the data, both in bytes, do not fit in memory. A run that
// exceeds its own limit fits, because it is not performed.
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
		"use smaller data or parameters, or set --memory %dMiB or more",
		it.Series, entry.ID, entry.Pos, record.Params(it.Params), spec.Size(need), most, spec.Size(memory), need>>20+1)}
}

// DataBytes returns the size of the plan's data in bytes. Data used by several entries count once.
func (p *Plan) DataBytes() (bytes int64) {
	seen := make(map[string]bool)
	for _, pr := range p.Problems {
		if table := pr.Data.Table; table != nil && !seen[pr.Data.Hash] {
			seen[pr.Data.Hash] = true
			bytes += registry.RoundBytes(float64(table.Bytes()))
		}
	}
	return bytes
}

// Shortages returns an error for each algorithm and dataset with runs that do not fit in memory
// together with the data, in plan order.
func (p *Plan) Shortages(memory int64) (short []error) {
	data := p.DataBytes()
	reported := make(map[record.Labels]bool)
	for _, it := range p.Items {
		if err := it.Fits(memory, data); err != nil && !reported[it.ID.Labels] {
			reported[it.ID.Labels] = true
			short = append(short, err)
		}
	}
	return short
}
