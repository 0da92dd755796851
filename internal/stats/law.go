package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/words"
)

// confidence is the level of the intervals of exponents.
const confidence = 0.95

// lawPoint is one observation for fitLaw: Y at the values X. All are positive.
type Point struct {
	X []float64
	Y float64
	// Cluster names the points that are not independent of each other, such as
	// those that come from the same runs.
	Cluster string
}

// Law is a power law y = a x1^e1 x2^e2 … that least squares on the logarithms found.
type Law struct {
	// Exponents holds e1, e2, … in the order of the variables.
	Exponents []Interval
	// Level is the confidence level of the intervals.
	Level float64
	// Clusters counts what was left out in turn for them.
	Clusters int
}

// fitLaw fits a power law in the given number of variables by ordinary least
// squares of log y on log x. The intervals are those of Student's t with the
// standard error of the jackknife that leaves out one cluster at a time, and one
// degree of freedom less than there are clusters. So they allow for dependence
// within a cluster, for scatter that varies, and for misfit as far as it differs
// between clusters; with few clusters they are wide rather than narrow
// (MacKinnon, Nielsen & Webb 2023). The result does not depend on anything but
// the points and their order.
//
// It is an error if a point is not positive and finite, or the points do not tell
// the exponents apart, all of them or all but those of a cluster.
func FitPowerLaw(points []Point, variables int) (Law, error) {
	clusters, err := clustersOf(points, variables)
	if err != nil {
		return Law{}, err
	}
	return jackknife(clusters, func(without ...string) ([]float64, error) { return leastSquares(outside(points, without), variables) })
}

// fitDifference fits two power laws in the same variables, and returns the exponents of
// the first less those of the second. For the intervals a cluster is left out of both
// at once, so that what makes both steep on a problem, or both flat, cancels.
func FitDifference(a, b []Point, variables int) (Law, error) {
	var clusters []string
	for _, points := range [][]Point{a, b} {
		own, err := clustersOf(points, variables)
		if err != nil {
			return Law{}, err
		}
		for _, c := range own {
			if !slices.Contains(clusters, c) {
				clusters = append(clusters, c)
			}
		}
	}
	return jackknife(clusters, func(without ...string) ([]float64, error) {
		first, err := leastSquares(outside(a, without), variables)
		if err != nil {
			return nil, err
		}
		second, err := leastSquares(outside(b, without), variables)
		for j, v := range second {
			first[j] -= v
		}
		return first, err
	})
}

// clustersOf lists the clusters of points, in the order in which they occur. It is an
// error if the points are none to fit a law to.
func clustersOf(points []Point, variables int) ([]string, error) {
	var clusters []string
	for _, p := range points {
		if err := p.check(); err != nil {
			return nil, err
		}
		if !slices.Contains(clusters, p.Cluster) {
			clusters = append(clusters, p.Cluster)
		}
	}
	if len(points) < variables+2 || len(clusters) < 2 {
		return nil, fmt.Errorf("%s of %s are too few for a power law in %s with confidence intervals",
			words.Count(len(points), "observation"), words.Count(len(clusters), "problem"), words.Count(variables, "variable"))
	}
	return clusters, nil
}

// outside returns the points that are in none of the clusters given.
func outside(points []Point, clusters []string) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return slices.Contains(clusters, p.Cluster) })
}

// jackknife returns statistics with their intervals, which come of leaving out each of the clusters in turn.
func jackknife(clusters []string, statistics func(without ...string) ([]float64, error)) (Law, error) {
	value, err := statistics()
	if err != nil {
		return Law{}, err
	}
	Variance := make([]float64, len(value))
	g := float64(len(clusters))
	for _, c := range clusters {
		without, err := statistics(c)
		if err != nil {
			return Law{}, err
		}
		for j, v := range without {
			Variance[j] += (g - 1) / g * (v - value[j]) * (v - value[j])
		}
	}
	law := Law{Level: confidence, Clusters: len(clusters)}
	t := Student(g - 1).Quantile(0.5 + confidence/2)
	for j, v := range value {
		half := t * math.Sqrt(Variance[j])
		law.Exponents = append(law.Exponents, Interval{v, v - half, v + half})
	}
	return law, nil
}

func (p Point) check() error {
	for _, v := range append(slices.Clone(p.X), p.Y) {
		if !(v > 0) || !finite.Is(v) {
			return fmt.Errorf("the observation %v at %v is not positive and finite, as a power law needs", p.Y, p.X)
		}
	}
	return nil
}

// errCollinear: the exponents cannot be told apart.
var errCollinear = errors.New("the variables of a power law must vary independently, also when any one problem is left out")

// leastSquares returns the exponents. It solves the normal equations of the few
// variables, for QR and Cholesky of gonum's round in another order, which shows in
// the last digits of tables as CSV.
func leastSquares(points []Point, variables int) ([]float64, error) {
	if len(points) == 0 {
		return nil, errCollinear
	}
	logs := func(value func(Point) float64) []float64 {
		v := make([]float64, len(points))
		for i, p := range points {
			v[i] = math.Log(value(p))
		}
		m := Mean(v)
		for i := range v {
			v[i] -= m
		}
		return v
	}
	y, x := logs(func(p Point) float64 { return p.Y }), make([][]float64, variables)
	exponents := make([]float64, variables)
	for j := range x {
		x[j] = logs(func(p Point) float64 { return p.X[j] })
		exponents[j] = dot(x[j], y)
	}
	root, err := cholesky(x)
	if err != nil {
		return nil, err
	}
	solve(root, exponents)
	return exponents, nil
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
