package sparse

import (
	"context"
	"math"
)

// Truncated Newton (Dembo, Eisenstat & Steihaug 1982; Eisenstat & Walker 1996):
// the residual of the Newton equations, relative to their right hand side, falls
// with the gradient, so that the steps converge superlinearly, and none is solved
// more exactly than it is worth.
const (
	loosest  = 0.1
	tightest = 1e-4
)

// conjugateGradients solves H delta = -g without H, by conjugate gradients with
// the diagonal of H as preconditioner. An iteration costs a pass over the
// points of I.
func (q *primal) conjugateGradients() error {
	m := q.r.m
	inverse := q.inverseDiagonal()
	r, z, d, hd := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	q.sum = make([]float64, q.r.width())
	clear(q.delta)
	for k, v := range q.g {
		r[k] = -v
		z[k] = float64(inverse[k] * r[k])
		d[k] = z[k]
	}
	rz := inner(r, z)
	if q.first == 0 {
		q.first = rz
	}
	forcing := min(loosest, max(tightest, math.Sqrt(rz/q.first)))
	enough := float64(forcing * forcing * rz)
	for range 10*m + 10 {
		if rz <= enough {
			break
		}
		if q.ctx.Err() != nil {
			return context.Cause(q.ctx)
		}
		q.multiply(hd, d)
		step := rz / inner(d, hd)
		for k := range d {
			q.delta[k] += float64(step * d[k])
			r[k] -= float64(step * hd[k])
			z[k] = float64(inverse[k] * r[k])
		}
		next := inner(r, z)
		ratio := next / rz
		rz = next
		for k := range d {
			d[k] = z[k] + float64(ratio*d[k])
		}
	}
	return nil
}

// multiply sets dst = H x for A = I, in one pass over the points of I.
func (q *primal) multiply(dst, x []float64) {
	copy(q.wide, x)
	q.r.normalTo(q.sum, q.wide, q.active)
	for k, v := range x {
		dst[k] = v + float64(q.c*q.sum[k])
	}
	clear(q.wide)
}

// inverseDiagonal returns 1/(1 + C sum_{i in I} R_ki^2) for all k.
func (q *primal) inverseDiagonal() []float64 {
	d := make([]float64, q.r.m)
	for i, on := range q.active {
		if !on {
			continue
		}
		for k, v := range q.r.point(i)[:len(d)] {
			d[k] += float64(float64(v) * float64(v))
		}
	}
	for k, v := range d {
		d[k] = 1 / (1 + float64(q.c*v))
	}
	return d
}
