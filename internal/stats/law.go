package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"stochopt/internal/finite"
	"stochopt/internal/words"

	"gonum.org/v1/gonum/floats"
)

// confidence is the level of the intervals of exponents.
const confidence = 0.95

// Point is an observation for FitPowerLaw: the value Y at X. All numbers must be positive.
type Point struct {
	X []float64
	Y float64
	// Cluster identifies points that are not independent, such as points of the same runs.
	Cluster string
}

// Law is a fitted power law y = a x1^e1 x2^e2 ….
type Law struct {
	// Exponents holds e1, e2, … in the order of the variables, with intervals of level 95 %.
	Exponents []Interval
	// Clusters is the number of clusters.
	Clusters int
}

// FitPowerLaw fits a power law in the given number of variables by ordinary least squares of log y on
// log x. The intervals are Student's, with the standard error of a jackknife over clusters and one
// degree of freedom less than there are clusters. They account for dependence within a cluster, for
// heteroscedasticity, and for misfit that differs between clusters. With few clusters they are
// conservative (MacKinnon, Nielsen & Webb 2023). The result depends only on the points and their order.
//
// With the points of two laws, the result is the difference of their exponents, first minus second. The
// jackknife deletes a cluster from both laws at once, so common effects of a problem cancel.
//
// FitPowerLaw returns an error if a point is not positive and finite, or if the exponents are not
// identifiable, with or without any one cluster.
func FitPowerLaw(variables int, laws ...[]Point) (Law, error) {
	var clusters []string
	for _, points := range laws {
		own, err := clustersOf(points, variables)
		if err != nil {
			return Law{}, err
		}
		for _, c := range own {
			clusters = words.AddOnce(clusters, c)
		}
	}
	value, err := exponentsWithout(nil, variables, laws)
	if err != nil {
		return Law{}, err
	}
	g := float64(len(clusters))
	variance := make([]float64, variables)
	for _, c := range clusters {
		without, err := exponentsWithout([]string{c}, variables, laws)
		if err != nil {
			return Law{}, err
		}
		for j, v := range without {
			variance[j] += (g - 1) / g * (v - value[j]) * (v - value[j])
		}
	}
	law := Law{Clusters: len(clusters)}
	t := Student(g - 1).Quantile(0.5 + confidence/2)
	for j, v := range value {
		half := t * math.Sqrt(variance[j])
		law.Exponents = append(law.Exponents, Interval{v, v - half, v + half})
	}
	return law, nil
}

// exponentsWithout returns the exponents of a law, or the difference of those of two laws, fitted to the
// points outside the given clusters.
func exponentsWithout(clusters []string, variables int, laws [][]Point) (exponents []float64, err error) {
	for i, points := range laws {
		points = slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return slices.Contains(clusters, p.Cluster) })
		of, err := leastSquares(points, variables)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			exponents = of
		} else {
			floats.Sub(exponents, of)
		}
	}
	return exponents, nil
}

// clustersOf lists the clusters of points in order of first appearance. It returns an error if no law
// can be fitted.
func clustersOf(points []Point, variables int) (clusters []string, err error) {
	for _, p := range points {
		if all := append(slices.Clone(p.X), p.Y); finite.Index(all) >= 0 || slices.Min(all) <= 0 {
			return nil, fmt.Errorf("the observation %v at %v is not positive and finite, which a power law requires", p.Y, p.X)
		}
		clusters = words.AddOnce(clusters, p.Cluster)
	}
	if len(points) < variables+2 || len(clusters) < 2 {
		return nil, fmt.Errorf("%s of %s are too few for a power law in %s with confidence intervals",
			words.Count(len(points), "observation"), words.Count(len(clusters), "problem"), words.Count(variables, "variable"))
	}
	return clusters, nil
}

// errCollinear reports that the exponents are not identifiable.
var errCollinear = errors.New("the variables of a power law must vary independently, even without any one problem")

// leastSquares returns the exponents from the normal equations. The QR and Cholesky decompositions of
// gonum would change the last digits in CSV tables.
func leastSquares(points []Point, variables int) ([]float64, error) {
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

// cholesky returns the lower triangular Cholesky factor of the Gram matrix of columns.
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
			// A smaller remainder is a rounding error.
			if v <= 1e-12*square || square <= 1e-18*float64(len(c)) {
				return nil, errCollinear
			}
			root[j][j] = math.Sqrt(v)
		}
	}
	return root, nil
}

// solve overwrites b with the solution of root root' x = b.
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
