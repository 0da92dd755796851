package sparse

import (
	"context"
	"math"

	"stochopt/algorithms/internal/vec"

	"gonum.org/v1/gonum/floats"
)

// Truncated Newton (Dembo, Eisenstat & Steihaug 1982; Eisenstat & Walker 1996):
// the residual of the Newton equations, relative to their right hand side, falls
// with the gradient, so that the steps converge superlinearly, and none is solved
// more exactly than it is worth.
const (
	loosest  = 0.1
	tightest = 1e-4
)

// conjugateGradients returns -H^-1 g, found without H by conjugate gradients with the
// diagonal of H as preconditioner. An iteration costs two passes over the rows.
func (q *primal) conjugateGradients(g []float64) ([]float64, error) {
	m := len(g)
	inverse := q.inverseDiagonal()
	delta, r, z := make([]float64, m), make([]float64, m), make([]float64, m)
	d, hd := make([]float64, m), make([]float64, m)
	for k, v := range g {
		r[k] = -v
		z[k] = float64(inverse[k] * r[k])
		d[k] = z[k]
	}
	rz := floats.Dot(r, z)
	if q.first == 0 {
		q.first = rz
	}
	forcing := min(loosest, max(tightest, math.Sqrt(rz/q.first)))
	enough := float64(forcing * forcing * rz)
	for range 10*m + 10 {
		if !(rz > enough) {
			break
		}
		if q.ctx.Err() != nil {
			return nil, context.Cause(q.ctx)
		}
		q.multiply(hd, d)
		step := rz / floats.Dot(d, hd)
		for k := range d {
			delta[k] += float64(step * d[k])
			r[k] -= float64(step * hd[k])
			z[k] = float64(inverse[k] * r[k])
		}
		next := floats.Dot(r, z)
		ratio := next / rz
		rz = next
		for k := range d {
			d[k] = z[k] + float64(ratio*d[k])
		}
	}
	return delta, nil
}

// multiply sets dst = H x for A = I.
func (q *primal) multiply(dst, x []float64) {
	s := q.margins(x, q.rows...)
	for i, on := range q.active {
		if !on {
			s[i] = 0
		}
		s[i] = float64(q.p.Label(i) * q.c * s[i])
	}
	for k, v := range x {
		dst[k] = v + vec.Dot32(s, q.rows[k])
	}
}

// inverseDiagonal returns 1/(1 + C sum_{i in I} R_ki^2) for all k.
func (q *primal) inverseDiagonal() []float64 {
	d := make([]float64, len(q.rows))
	for k, row := range q.rows {
		for i, v := range row {
			if q.active[i] {
				d[k] += float64(float64(v) * float64(v))
			}
		}
		d[k] = 1 / (1 + float64(q.c*d[k]))
	}
	return d
}
