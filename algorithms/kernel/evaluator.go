package kernel

import "stochopt/algorithms/internal/exp"

// evaluator computes rows of a kernel matrix. It is for one goroutine.
type evaluator struct {
	kernel   Kernel
	norms    []float64
	query    query
	from, to int       // rows span the points from <= j < to
	table    []float32 // Gaussian kernel of bit sets by distance, else nil
}

// newEvaluator returns an evaluator of rows over the points from <= j < to.
func newEvaluator(k Kernel, p *Points, from, to int) *evaluator {
	e := &evaluator{kernel: k, norms: p.norms, query: p.layout.query(from, to), from: from, to: to}
	if l, ok := p.layout.(*bitLayout); ok {
		if g, ok := k.(Gaussian); ok {
			e.table = l.gaussian(g)
		}
	}
	return e
}

// row sets dst to the kernel values of point i and the points that a row spans.
func (e *evaluator) row(dst []float32, i int) {
	e.query.set(i)
	for lo := e.from; lo < e.to; lo += block {
		hi := min(lo+block, e.to)
		part := dst[lo-e.from : hi-e.from]
		if e.table != nil {
			lookUp(part, e.table, e.query.(*bitQuery).hamming(lo, hi))
			continue
		}
		apply(e.kernel, part, e.query.dots(lo, hi), e.norms[lo:hi], e.norms[i])
	}
}

// apply sets dst[j] to the kernel value for the inner product dots[j] and the squared norms xx and
// norms[j]. It overwrites dots.
func apply(k Kernel, dst []float32, dots, norms []float64, xx float64) {
	if g, ok := k.(Gaussian); ok {
		norms = norms[:len(dots)]
		for j, dot := range dots {
			dots[j] = float64(g.Gamma * squaredDistance(dot, xx, norms[j]))
		}
		exp.NegTo(dst, dots)
		return
	}
	for j, dot := range dots {
		dst[j] = float32(k.Eval(dot, xx, norms[j]))
	}
}
