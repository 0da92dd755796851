package objective

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms/svm"
)

// matrix is a full kernel matrix of N points, the first n of which are training points.
type matrix struct {
	n    int
	rows [][]float32
	diag []float64
}

func (m *matrix) Train() int          { return m.n }
func (m *matrix) Len() int            { return len(m.diag) }
func (m *matrix) Row(i int) []float32 { return m.rows[i] }
func (m *matrix) Diag() []float64     { return m.diag }

// cloud returns a problem of n training points and extra other points in the plane, a third of them
// positive, with the kernel exp(-|x-x'|^2/2). apart is the distance between the classes.
func cloud(seed uint64, n, extra int, apart float64) svm.Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	positive := n / 3
	x := make([][2]float64, n+extra)
	for i := range x {
		shift := 0.0
		if i < positive {
			shift = apart
		}
		x[i] = [2]float64{rng.NormFloat64() + shift, rng.NormFloat64()}
	}
	m := &matrix{n: n, diag: make([]float64, len(x))}
	for i := range x {
		row := make([]float32, len(x))
		for j := range x {
			a, b := x[i][0]-x[j][0], x[i][1]-x[j][1]
			row[j] = float32(1 + math.Expm1(-(a*a+b*b)/2))
		}
		m.rows = append(m.rows, row)
		m.diag[i] = float64(row[i])
	}
	return svm.Problem{Rows: m, Positive: positive}
}

// oracle solves the regularised problem by cyclic coordinate ascent on the dual. With a bias it finds b
// by golden section search.
type oracle struct {
	p      svm.Problem
	lambda float64
	alpha  []float64
}

// fixed returns the optimum for a given bias.
func (o *oracle) fixed(b float64) (primal, norm, hinge float64) {
	n := o.p.Rows.Train()
	o.alpha = make([]float64, n)
	u := make([]float64, n)
	upper := 1 / (o.lambda * float64(n))
	for range 200000 {
		most := 0.0
		for i := range n {
			row := o.p.Rows.Row(i)
			y := o.p.Label(i)
			a := math.Max(0, math.Min(upper, o.alpha[i]+(1-y*(u[i]+b))/float64(row[i])))
			if delta := a - o.alpha[i]; delta != 0 {
				o.alpha[i] = a
				for j := range n {
					u[j] += delta * y * float64(row[j])
				}
				most = math.Max(most, math.Abs(delta))
			}
		}
		if most <= 1e-13*upper {
			break
		}
	}
	var normSq float64
	for i, a := range o.alpha {
		normSq += a * o.p.Label(i) * u[i]
		hinge += math.Max(0, 1-o.p.Label(i)*(u[i]+b)) / float64(n)
	}
	return o.lambda/2*normSq + hinge, math.Sqrt(normSq), hinge
}

func (o *oracle) solve(bias bool) (primal, norm, hinge float64) {
	if !bias {
		return o.fixed(0)
	}
	lo, hi := -3.0, 3.0
	at := func(b float64) float64 { p, _, _ := o.fixed(b); return p }
	for hi-lo > 1e-7 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if at(a) < at(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return o.fixed((lo + hi) / 2)
}
