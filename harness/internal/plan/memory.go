package plan

import (
	"fmt"
	"math"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"

	"github.com/dustin/go-humanize"
)

// Need is what a run takes of the memory, in bytes, before it allocates it. What is
// small (below a MiB) is not counted, but for kernel rows, features and what searches for
// sparse classifiers keep.
type Need struct {
	// Rows is the least that rows of its kernel matrix take.
	Rows int64
	// Shared is what the runs on the same rows of a problem share, Making what they
	// take besides while it is made.
	Shared, Making int64
	// Learner is what its algorithm takes, Measure what its classifiers take that are
	// measured together, Curve what is recorded of it.
	Learner, Measure, Curve int64
}

// Own is what a run gives back when it ends.
func (n Need) Own() int64 { return total(n.Learner, n.Measure, n.Curve) }

// All is what a run takes by itself, besides kernel rows.
func (n Need) All() int64 { return total(n.Shared, n.Making, n.Learner, n.Measure, n.Curve) }

// total adds numbers of bytes up to math.MaxInt64.
func total(parts ...int64) int64 {
	sum := int64(0)
	for _, n := range parts {
		if n > math.MaxInt64-sum {
			return math.MaxInt64
		}
		sum += n
	}
	return sum
}

// Memory returns the number of bytes that the algorithm of a run takes, which its
// limit bounds.
func (it *Item) Memory() int64 { return it.memoryAt(0) }

func (it *Item) memoryAt(rank int) int64 {
	pr := it.Problem
	return it.Algorithm.Memory(it.Params, registry.Shape{Train: pr.TrainRows, Points: pr.points, Features: pr.dim, Rank: rank})
}

// Need returns what a run of the plan takes.
func (p *Plan) Need(it *Item) Need { return p.NeedAt(it, 0) }

// NeedAt returns what it takes once its iterate has a rank.
func (p *Plan) NeedAt(it *Item, rank int) Need {
	pr := it.Problem
	n := Need{Learner: it.memoryAt(rank)}
	if it.ReadsKernel(p.Spec.Record.UsesReference()) {
		n.Rows = rowBytes(pr.points)
		if pr.sparse {
			n.Rows = rowBytes(pr.TrainRows) + rowBytes(pr.points-pr.TrainRows)
		}
	}
	if pr.supervised {
		n.Shared = pr.layoutBytes()
	} else {
		n.Shared, n.Making = pr.momentBytes()
	}
	if pr.sparse && !it.Algorithm.Needs(it.Params).Inputs {
		n.Measure = registry.Counted(objective.TogetherBytes(pr.TrainRows, pr.points))
	}
	n.Curve = p.curveBytes(it)
	return n
}

// rowBytes returns the number of bytes of two rows of so many columns: two rows of a
// matrix are in use at a time. Searches for sparse
// classifiers have the columns of the points trained on and of the others in matrices
// of their own.
func rowBytes(columns int) int64 { return 2 * registry.KernelRowBytes(columns) }

// layoutBytes bounds what the points of a split take.
func (pr *Problem) layoutBytes() int64 {
	return registry.Counted(pr.pointBytes * float64(pr.points))
}

// momentBytes returns what the second moments that iterates are measured on take, and
// their optimum while it is sought.
func (pr *Problem) momentBytes() (held, making int64) {
	if pr.wide() {
		return 0, registry.Counted(objective.RowMomentBytes(pr.measuredRows, pr.dim))
	}
	splits := 1.0
	if s := pr.Entry.Split; s != nil && s.Validation > 0 && s.Test > 0 {
		splits = 2
	}
	moment, optimum := objective.MomentBytes(pr.dim)
	return registry.Counted(splits * moment), registry.Counted(optimum)
}

// curveBytes bounds what a run records before it is written: some columns of
// numbers, twice while they grow and once as text, and the spectra.
func (p *Plan) curveBytes(it *Item) int64 {
	const columns, number = 20, 48
	a := number * float64(columns)
	if p.Spec.Record.Spectrum {
		a += number * float64(it.Problem.dim)
	}
	points := min(float64(p.Spec.Record.Points), float64(it.Budget))
	return registry.Counted(points * a)
}

// Budget is the memory that the runs of a plan share.
type Budget struct {
	// Bytes is all that there is, Data what the data take of it.
	Bytes, Data int64
	// Rows is put aside for rows of kernel matrices.
	Rows int64
}

// Budget divides memory: kernel rows have at least what the problem needs whose rows
// are longest, of those that fit.
func (p *Plan) Budget(bytes, data int64) Budget {
	b := Budget{Bytes: bytes, Data: data}
	for _, it := range p.Items {
		if rows := p.Need(it).Rows; rows <= bytes-data {
			b.Rows = max(b.Rows, rows)
		}
	}
	return b
}

// Left is what there is beside the data.
func (b Budget) Left() int64 { return max(b.Bytes-b.Data, 0) }

// Room is what a run may take by itself.
func (b Budget) Room() int64 { return b.Left() - b.Rows }

// DataBytes returns what the data of plans take, together.
func DataBytes(plans []*Plan) int64 {
	seen := make(map[string]bool)
	var bytes int64
	for _, p := range plans {
		for _, pr := range p.Problems {
			if pr.Data != nil && !seen[pr.Data.Hash] {
				seen[pr.Data.Hash] = true
				bytes = total(bytes, pr.bytes)
			}
		}
	}
	return bytes
}

// Fits returns an *Error that says what to do if a run has no room. One that exceeds
// its own limit is not made, and no mistake.
func (p *Plan) Fits(it *Item, b Budget) error {
	pr, n := it.Problem, p.Need(it)
	if it.Limit.Memory > 0 && it.Memory() > int64(it.Limit.Memory) {
		return nil
	}
	switch {
	case n.Rows > b.Left():
		what := fmt.Sprintf("two rows of the kernel matrix over its %d points take", pr.points)
		return pr.errorf("%s", b.lacks(n.Rows, 0, what, ""))
	case n.All() <= b.Room():
		return nil
	case total(n.Shared, n.Making) > n.Own():
		what, cure := pr.sharedAdvice()
		return pr.errorf("%s", b.lacks(n.All(), b.Rows, what, cure))
	}
	what, cure := p.advice(it, n, b.Room())
	return &Error{it.pos, fmt.Errorf("algorithm %q on dataset %q (%s): %s", it.Series, pr.Entry.ID, pr.Entry.Pos,
		b.lacks(n.All(), b.Rows, what, cure))}
}

// lacks says that what takes so many bytes has no room beside kernel rows, and the cure.
func (b Budget) lacks(need, rows int64, what, cure string) string {
	beside := ""
	if b.Data > 0 {
		beside = fmt.Sprintf(" beside %s of data", humanize.IBytes(uint64(b.Data)))
	}
	if rows > 0 {
		beside += fmt.Sprintf(" beside %d B of kernel rows", rows)
	}
	if least := total(need, rows, b.Data); least < math.MaxInt64 {
		if cure != "" {
			cure += ", or "
		}
		cure += fmt.Sprintf("give --memory %d or more", least)
	}
	return fmt.Sprintf("%s %s (%d B), more than --memory %s has room for%s; %s",
		what, humanize.IBytes(uint64(need)), need, humanize.IBytes(uint64(b.Bytes)), beside, cure)
}

// sharedAdvice says what of a problem takes memory, and how it would fit.
func (pr *Problem) sharedAdvice() (what, cure string) {
	if pr.supervised {
		return fmt.Sprintf("its %d points, laid out for kernel rows, take", pr.points), "use fewer rows"
	}
	if pr.wide() {
		return fmt.Sprintf("the optimum of its %d rows of %d features, while it is solved, takes", pr.measuredRows, pr.dim), "use fewer rows"
	}
	return fmt.Sprintf("the second moments of its %d features, on which runs are measured, with their optimum, take", pr.dim),
		"use data of fewer features"
}

// advice says what of a run takes its memory, and how it would fit in so many bytes.
func (p *Plan) advice(it *Item, n Need, bytes int64) (what, cure string) {
	pr, points := it.Problem, it.Problem.points
	_, features := it.Params["pairs"]
	switch {
	case n.Curve > n.Learner:
		return fmt.Sprintf("record.points = %d: the record of a run takes", p.Spec.Record.Points), "lower record.points"
	case pr.sparse:
		return fmt.Sprintf("%s: a run takes", record.Params(it.Params)),
			"use fewer rows or other parameters, or set limit: {memory: …} to have such runs recorded as out of memory"
	case !features:
		return fmt.Sprintf("%s, d = %d: a run takes", record.Params(it.Params), pr.dim), "use data of fewer features"
	}
	pairs := it.Params.Int("pairs")
	most := registry.MostPairs(points, bytes-n.All()+n.Learner)
	switch {
	case most >= pairs:
		return fmt.Sprintf("d = %d: the directions of random Fourier features take", pr.dim), "use data of fewer features"
	case most < 1:
		cure = "use fewer rows"
	default:
		cure = fmt.Sprintf("lower pairs to %d or less", most)
	}
	return fmt.Sprintf("pairs = %d: the features of its %d points take", pairs, points), cure
}

// Shortages returns an error for each dataset, and each algorithm on one, of which runs
// do not fit, in plan order, and whether none fits.
func (p *Plan) Shortages(b Budget) (short []error, none bool) {
	type place struct{ dataset, series string }
	seen := make(map[place]bool)
	none = true
	for _, it := range p.Items {
		if it.Repeat > 0 && seen[place{it.Problem.Entry.ID, it.Series}] {
			continue
		}
		err := p.Fits(it, b)
		if err == nil {
			none = false
			continue
		}
		at := place{it.Problem.Entry.ID, it.Series}
		if located := err.(*Error); located.Pos == it.Problem.Entry.Pos {
			at.series = ""
		}
		if !seen[at] {
			seen[at] = true
			short = append(short, err)
		}
	}
	return short, none && len(short) > 0
}
