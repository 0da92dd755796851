package objective

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// failureProbability bounds the probability that the Lanczos iteration has missed
	// an eigenvalue that it says it has not, over its random starts.
	failureProbability = 1e-6
	// missed is how far above the least eigenvalue found one may be that was missed,
	// relative to the largest. It is part of the error bound.
	missed = 8e-10
	// confirmations is the number of independent starts that must find nothing. That
	// all of them fail is less probable than that one does, by as many powers.
	confirmations = 4
	// confirmProducts bounds the products of one of them.
	confirmProducts = 20_000
)

// confirm reports whether no eigenvalue outside the span of what was found is above the
// least of the most largest, or above 0 if that many were not found, by more than
// missed. The phase, from 1 on, counts those of the solver: that any phase fails has at
// most failureProbability.
func (l *lanczos) confirm(most, phase int) (bool, error) {
	limit := missed * l.largest()
	if len(l.values) == most {
		limit += l.values[most-1]
	}
	// The sum of 1/(phase (phase+1)) over all phases is 1.
	allowed := failureProbability / float64(phase*(phase+1))
	share := shareOf(math.Sqrt(math.Sqrt(allowed)), l.op.size()-l.found.Rows)
	for range confirmations {
		ok, err := l.below(limit, share)
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// shareOf returns a length that the component along a fixed direction of a uniformly
// random unit vector of dimension m falls short of with probability eta at most. The
// density of the component is at most sqrt(m/(2 pi)) for m > 2.
func shareOf(eta float64, m int) float64 {
	return eta / max(1, math.Sqrt(2*float64(m)/math.Pi))
}

// below reports whether a random start shows that the matrix B, which is A outside the
// span of what was found, has no eigenvalue above limit, given that the start has a
// component of length share or more along the leading eigenvector v of B.
//
// With Q the vectors of the Lanczos iteration, T their tridiagonal matrix and F what
// rounding leaves, B Q = Q T + beta_j q_{j+1} e_j^T + F. For an eigenvalue lambda of
// B above those of T,
//
//	v^T q_1 = beta_j (v^T q_{j+1}) [(lambda - T)^-1]_1j + e_1^T (lambda - T)^-1 F^T v,
//
// and so
//
//	|v^T q_1| <= 1/p_j(lambda) + |F|/(lambda - theta),
//
// where p_j is the jth Lanczos polynomial, which increases from theta, the largest
// eigenvalue of T, on: the quotient of the pivots of lambda - T by beta_1 … beta_j.
// An eigenvalue above limit thus leaves the start a component below share as soon as
// both terms at limit are share/2 at most. The vectors need not be orthogonal, so that
// none but the last two are kept.
//
// For p_j alone the bound is that of van Dorsselaer, Hochstenbach & van der Vorst 2000,
// "Computing probabilistic bounds for extreme eigenvalues of symmetric matrices with the
// Lanczos method"; Kuczynski & Wozniakowski 1992, "Estimating the largest eigenvalue by
// the power and Lanczos algorithms with a random start", bound the same before the
// iteration is run.
func (l *lanczos) below(limit, share float64) (bool, error) {
	m := l.op.size()
	q, before, w := make([]float64, m), make([]float64, m), make([]float64, m)
	if !l.start(q) {
		return true, nil
	}
	var t tridiagonal
	scale, beta := l.largest(), 0.0
	for j := 1; j <= confirmProducts; j++ {
		l.op.multiply(w, q)
		project(l.found, w, nil)
		floats.AddScaled(w, -beta, before)
		alpha := floats.Dot(q, w)
		floats.AddScaled(w, -alpha, q)
		beta = math.Sqrt(floats.Dot(w, w))
		scale = max(scale, math.Hypot(alpha, beta))
		t.add(alpha, beta)
		rounding := roundoff * scale * math.Sqrt(float64(j))
		theta := limit - 2*rounding/share
		if _, above := t.growth(theta); !above {
			return false, nil
		}
		if growth, _ := t.growth(limit); growth >= math.Log(2/share) {
			return true, nil
		}
		if beta <= roundoff*scale {
			return false, nil
		}
		before, q, w = q, w, before
		floats.Scale(1/beta, q)
	}
	return false, fmt.Errorf("objective: the Lanczos iteration cannot tell after %d products "+
		"whether it has missed an eigenvalue: use fewer rows, or another k", confirmProducts)
}

// tridiagonal is the symmetric matrix of a Lanczos iteration.
type tridiagonal struct{ alpha, beta []float64 }

// add appends a column: its entry on the diagonal and the one below it.
func (t *tridiagonal) add(alpha, beta float64) {
	t.alpha, t.beta = append(t.alpha, alpha), append(t.beta, beta)
}

// growth returns ln p_j(lambda), the logarithm of the product of pivot/beta, and
// whether lambda is above all eigenvalues: all pivots of lambda - T are positive.
func (t *tridiagonal) growth(lambda float64) (ln float64, above bool) {
	var off float64 // beta^2/pivot of the column before
	for i, alpha := range t.alpha {
		pivot := lambda - alpha - off
		if !(pivot > 0) {
			return math.Inf(-1), false
		}
		beta := t.beta[i]
		ln += math.Log(pivot / beta)
		off = beta * (beta / pivot)
	}
	return ln, true
}
