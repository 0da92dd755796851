package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/results/record"
)

// LawPoint is one observation for FitLaw: Y at the values X. All are positive.
type LawPoint struct {
	X []float64
	Y float64
	// Cluster names the points that are not independent of each other, such as
	// those that come from the same runs.
	Cluster string
}

// Law is a power law y = a x1^e1 x2^e2 … that least squares on the logarithms
// found.
type Law struct {
	// Exponents holds e1, e2, … in the order of LawPoint.X.
	Exponents []Interval
	// Level is the confidence level of the intervals.
	Level float64
	// Points and Clusters count what the law was fitted to.
	Points, Clusters int
	// Scatter is the residual standard deviation in log y.
	Scatter float64
}

// Interval is an estimate with its confidence interval [Lo, Hi].
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// FitLaw fits a power law in the given number of variables by ordinary least
// squares of log y on log x. The intervals are those of Student's t with the
// standard error of the jackknife that leaves out one cluster at a time, and one
// degree of freedom less than there are clusters. So they allow for dependence
// within a cluster, for scatter that varies, and for misfit as far as it differs
// between clusters; with few clusters they are wide rather than narrow
// (MacKinnon, Nielsen & Webb 2023). The result does not depend on anything but
// the points and their order.
//
// It is an error if the level is not within (0, 1), a point has another number
// of variables or is not positive and finite, or the points do not tell the
// exponents apart, all of them or all but those of a cluster.
func FitLaw(points []LawPoint, variables int, level float64) (Law, error) {
	if !(0 < level && level < 1) {
		return Law{}, fmt.Errorf("results: confidence level is %v; it must be between 0 and 1", level)
	}
	for _, p := range points {
		if err := p.check(variables); err != nil {
			return Law{}, err
		}
	}
	var clusters []string
	for _, p := range points {
		if !slices.Contains(clusters, p.Cluster) {
			clusters = append(clusters, p.Cluster)
		}
	}
	law := Law{Exponents: make([]Interval, variables), Level: level, Points: len(points), Clusters: len(clusters)}
	if len(points) < variables+2 || len(clusters) < 2 {
		return Law{}, fmt.Errorf("results: %d observations in %d clusters are too few for a power law in %d variables and its intervals", len(points), len(clusters), variables)
	}
	value, rss, err := leastSquares(points, variables)
	if err != nil {
		return Law{}, err
	}
	law.Scatter = math.Sqrt(rss / float64(len(points)-variables-1))
	variance := make([]float64, variables)
	g := float64(len(clusters))
	for _, c := range clusters {
		rest := slices.DeleteFunc(slices.Clone(points), func(p LawPoint) bool { return p.Cluster == c })
		without, _, err := leastSquares(rest, variables)
		if err != nil {
			return Law{}, err
		}
		for j, v := range without {
			variance[j] += (g - 1) / g * (v - value[j]) * (v - value[j])
		}
	}
	t := Student(g - 1).Quantile(0.5 + level/2)
	for j, v := range value {
		half := t * math.Sqrt(variance[j])
		law.Exponents[j] = Interval{v, v - half, v + half}
	}
	return law, nil
}

func (p LawPoint) check(variables int) error {
	if len(p.X) != variables {
		return fmt.Errorf("results: an observation has %d variables, not %d", len(p.X), variables)
	}
	for _, v := range append(slices.Clone(p.X), p.Y) {
		if !(v > 0) || !record.Finite(v) {
			return fmt.Errorf("results: the observation of %v at %v is not positive and finite, so that it has no place in a power law", p.Y, p.X)
		}
	}
	return nil
}

// errCollinear: the exponents cannot be told apart.
var errCollinear = errors.New("results: the variables of a power law must vary, each on its own, whatever cluster is left out")

// leastSquares returns the exponents and the sum of the squared residuals.
func leastSquares(points []LawPoint, variables int) (exponents []float64, rss float64, err error) {
	if len(points) == 0 {
		return nil, 0, errCollinear
	}
	x, y := make([][]float64, variables), make([]float64, len(points))
	for i, p := range points {
		y[i] = math.Log(p.Y)
	}
	centre(y)
	for j := range x {
		x[j] = make([]float64, len(points))
		for i, p := range points {
			x[j][i] = math.Log(p.X[j])
		}
		centre(x[j])
	}
	root, err := cholesky(x)
	if err != nil {
		return nil, 0, err
	}
	exponents = make([]float64, variables)
	for j := range exponents {
		exponents[j] = dot(x[j], y)
	}
	solve(root, exponents)
	for i := range y {
		e := y[i]
		for j, s := range exponents {
			e -= s * x[j][i]
		}
		rss += e * e
	}
	return exponents, rss, nil
}

// centre subtracts from each value their mean.
func centre(v []float64) {
	m := Mean(v)
	for i := range v {
		v[i] -= m
	}
}

// cholesky returns the lower triangular root of the Gram matrix of columns.
func cholesky(columns [][]float64) ([][]float64, error) {
	root := make([][]float64, len(columns))
	for j, c := range columns {
		root[j] = make([]float64, j+1)
		square := dot(c, c)
		for k := range j + 1 {
			v := dot(c, columns[k]) - dot(root[j][:k], root[k][:k])
			if k < j {
				root[j][k] = v / root[k][k]
				continue
			}
			// What is left of the column is rounding if it is this small.
			if v <= 1e-12*square || square <= 1e-18*float64(len(c)) {
				return nil, errCollinear
			}
			root[j][j] = math.Sqrt(v)
		}
	}
	return root, nil
}

// solve replaces b by the solution of root root' x = b.
func solve(root [][]float64, b []float64) {
	for j := range b {
		b[j] = (b[j] - dot(root[j][:j], b[:j])) / root[j][j]
	}
	for j := len(b) - 1; j >= 0; j-- {
		for k := j + 1; k < len(b); k++ {
			b[j] -= root[k][j] * b[k]
		}
		b[j] /= root[j][j]
	}
}

func dot(a, b []float64) float64 {
	var s float64
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
