package results

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PowerPoint is one observation for FitPower. X and Y are positive.
type PowerPoint struct {
	X, Y float64
	// Group names the points that share a constant factor, Cluster those that
	// come from one run and so are not independent.
	Group, Cluster string
}

// PowerFit is the power law y = a_g x^Slope with a factor a_g for each group g.
type PowerFit struct {
	Slope float64
	// Lo and Hi bound the interval of the slope at the confidence level Level.
	Lo, Hi, Level float64
	// Points, Groups and Clusters count what the fit was made from.
	Points, Groups, Clusters int
}

// FitPower fits a power law by ordinary least squares of log y on log x, with an
// intercept for each group. The interval is that of Student's t with the
// standard error that allows for any dependence within a cluster (Liang & Zeger
// 1986) with the usual correction for small samples, and as many degrees of
// freedom as there are clusters less one. The result does not depend on anything
// but the points and their order.
//
// It is an error if the level is not within (0, 1), a point is not positive and
// finite, x does not vary within any group, or there are fewer than 3 clusters
// or too few points to tell their scatter.
func FitPower(points []PowerPoint, level float64) (PowerFit, error) {
	if !(0 < level && level < 1) {
		return PowerFit{}, fmt.Errorf("results: confidence level is %v; it must be between 0 and 1", level)
	}
	fit := PowerFit{Level: level, Points: len(points)}
	groups, clusters := map[string]int{}, map[string]int{}
	index := func(m map[string]int, name string) int {
		i, ok := m[name]
		if !ok {
			i = len(m)
			m[name] = i
		}
		return i
	}
	group, cluster := make([]int, len(points)), make([]int, len(points))
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		if !(p.X > 0 && p.Y > 0) || !finite(p.X) || !finite(p.Y) {
			return PowerFit{}, fmt.Errorf("results: point (%v, %v) is not positive and finite, so that it has no place in a power law", p.X, p.Y)
		}
		group[i], cluster[i] = index(groups, p.Group), index(clusters, p.Cluster)
		x[i], y[i] = math.Log(p.X), math.Log(p.Y)
	}
	fit.Groups, fit.Clusters = len(groups), len(clusters)
	centre(x, group, fit.Groups)
	centre(y, group, fit.Groups)
	var sxx, sxy, largest float64
	for i := range x {
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
		largest = max(largest, math.Abs(x[i]))
	}
	free := fit.Points - fit.Groups - 1
	switch {
	case largest < 1e-9:
		return PowerFit{}, errors.New("results: a power law needs points with more than one value of x in a group")
	case fit.Clusters < 3 || free < 1:
		return PowerFit{}, fmt.Errorf("results: %d points of %d runs are too few for the interval of an exponent", fit.Points, fit.Clusters)
	}
	fit.Slope = sxy / sxx
	scores := make([]float64, fit.Clusters)
	for i := range x {
		scores[cluster[i]] += x[i] * (y[i] - fit.Slope*x[i])
	}
	var meat float64
	for _, s := range scores {
		meat += s * s
	}
	g := float64(fit.Clusters)
	correction := g / (g - 1) * float64(fit.Points-1) / float64(free)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: g - 1}.Quantile(0.5 + level/2)
	half := t * math.Sqrt(correction*meat) / sxx
	fit.Lo, fit.Hi = fit.Slope-half, fit.Slope+half
	return fit, nil
}

// centre subtracts from each value the mean of its group.
func centre(v []float64, group []int, groups int) {
	sum, n := make([]float64, groups), make([]float64, groups)
	for i, g := range group {
		sum[g] += v[i]
		n[g]++
	}
	for i, g := range group {
		v[i] -= sum[g] / n[g]
	}
}
