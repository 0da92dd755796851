package external

import (
	"context"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
)

// Kernel is a training problem as programs are served it. A function that the program does
// not ask for is not called.
type Kernel struct {
	svm.Problem
	// Order draws training indices.
	Order svm.Order
	// Points are in the order of the rows, the training points first.
	Points kernel.Vectors
	Kern   kernel.Kernel
	// C, Lambda, Nu and R are the regularisation in the forms that it is given in, NaN in the
	// others.
	C, Lambda, Nu, R float64
	Bias             bool
}

// kernelRun is a run of a kernel task.
type kernelRun struct {
	run
	problem Kernel
	// n is the number of training points.
	n int
	// counts: kernel rows are counted.
	counts bool
	order  []int64
}

// orderBlock is how many training indices are served at a time.
const orderBlock = 1 << 14

// newKernelRun tells a program of its problem.
func newKernelRun(ctx context.Context, p *Process, i Init, k Kernel) (_ kernelRun, err error) {
	r := kernelRun{problem: k, n: k.Rows.Train()}
	x := k.Points
	_, i.D = x.Dims()
	i.N, i.Positive, i.Bias = r.n, k.Positive, k.Bias
	i.Kernel = describe(k.Kern)
	for _, form := range []struct {
		to *(*float64)
		v  float64
	}{{&i.C, k.C}, {&i.Lambda, k.Lambda}, {&i.Nu, k.Nu}, {&i.R, k.R}} {
		if !math.IsNaN(form.v) {
			*form.to = &form.v
		}
	}
	i.Arrays = make(map[string]any)
	labels := make([]float64, r.n)
	for j := range labels {
		labels[j] = k.Label(j)
	}
	f := &p.files
	if i.Arrays["y"], err = writeArray(f, "y", []int{r.n}, labels); err != nil {
		return r, err
	}
	if p.Hello.Serves(ServeRows) {
		if i.Arrays["diagonal"], err = writeArray(f, "diagonal", []int{r.n}, k.Rows.Diag()[:r.n]); err != nil {
			return r, err
		}
	}
	if p.Hello.Serves(ServeData) {
		if i.Arrays["X"], err = writeVectors(f, x, r.n, i.D); err != nil {
			return r, err
		}
	}
	// Rows are counted, unless the program can compute them itself.
	var counted []string
	if r.counts = p.Hello.Serves(ServeRows) && !p.Hello.Serves(ServeData); r.counts {
		counted = []string{"kernel_evals", "inner_products"}
	}
	r.run, err = newRun(ctx, p, i, counted...)
	return r, err
}

// describe names a kernel and its parameters.
func describe(k kernel.Kernel) map[string]any {
	switch k := k.(type) {
	case kernel.Gaussian:
		return map[string]any{"name": "gaussian", "gamma": k.Gamma}
	case kernel.Polynomial:
		return map[string]any{"name": "polynomial", "degree": k.Degree, "gamma": k.Gamma, "coef0": k.Coef0}
	}
	return map[string]any{"name": "linear"}
}

// writeVectors writes the first n points, as a dense or as a sparse matrix.
func writeVectors(f *files, x kernel.Vectors, n, d int) (any, error) {
	if !x.Sparse() {
		buf := make([]float64, d)
		return writeRows(f, "X", []int{n, d}, n, func(i int) ([]float64, error) { return x.Row(i, buf), nil })
	}
	indptr := make([]int64, n+1)
	for i := range n {
		indices, _ := x.RowNonZero(i)
		indptr[i+1] = indptr[i] + int64(len(indices))
	}
	m := CSR{Format: "csr", Shape: []int{n, d}}
	var err error
	if m.Indptr, err = writeArray(f, "X.indptr", []int{n + 1}, indptr); err != nil {
		return nil, err
	}
	entries := []int{int(indptr[n])}
	if m.Indices, err = writeRows(f, "X.indices", entries, n, func(i int) ([]int32, error) {
		indices, _ := x.RowNonZero(i)
		return indices, nil
	}); err != nil {
		return nil, err
	}
	m.Values, err = writeRows(f, "X.values", entries, n, func(i int) ([]float64, error) {
		_, values := x.RowNonZero(i)
		return values, nil
	})
	return m, err
}

// mostRows bounds the kernel rows that are asked for at a time, mostRowBytes what they take.
const (
	mostRows     = 1 << 12
	mostRowBytes = 256 << 20
)

// serve writes kernel rows over the training points, and charges for them.
func (r *kernelRun) serve(indices []int64) (Array, error) {
	if len(indices) > mostRows || len(indices)*4*r.n > mostRowBytes {
		return Array{}, r.process.fail("it asks for %d kernel rows at once, more than %d, or than %d bytes hold", len(indices), mostRows, mostRowBytes)
	}
	rows, err := writeRows(&r.process.files, "rows", []int{len(indices), r.n}, len(indices), func(k int) ([]float32, error) {
		if i := indices[k]; i < 0 || i >= int64(r.n) {
			return nil, r.process.fail("it asks for the kernel row of training point %d of %d", i, r.n)
		}
		return r.problem.Rows.Row(int(indices[k]))[:r.n], nil
	})
	if err == nil && r.counts {
		evals := int64(len(indices)) * int64(r.n)
		r.cost.KernelEvals += evals
		r.cost.InnerProducts += evals
	}
	return rows, err
}

// stepTo has the program go on to an iteration.
func (r *kernelRun) stepTo(t int64) (status algorithms.Status) {
	serve := r.serve
	if !r.process.Hello.Serves(ServeRows) {
		serve = nil
	}
	for r.cost.Iterations < t {
		a := Advance{To: t}
		if r.process.Hello.Serves(ServeOrder) {
			a.To = min(t, r.cost.Iterations+orderBlock)
			r.order = r.order[:0]
			for range a.To - r.cost.Iterations {
				r.order = append(r.order, int64(r.problem.Order.Next()))
			}
			order, err := writeArray(&r.process.files, "order", []int{len(r.order)}, r.order)
			if err != nil {
				return r.broke(err)
			}
			a.Order = &order
		}
		if status = r.advance(a, serve); status.Stop() {
			return status
		}
	}
	return status
}
