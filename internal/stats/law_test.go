package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// lawPoints draws points of y = 7 x1^a x2^b on a nearly rectangular grid. Each point has its own
// multiplicative noise, and points with equal x1 share further noise.
func lawPoints(rng *rand.Rand, a, b, own, shared float64) []Point {
	var points []Point
	for i, x1 := range []float64{2, 3, 4, 6, 8} {
		common, tilt := shared*rng.NormFloat64(), shared/4*rng.NormFloat64()
		for _, x2 := range []float64{5, 7, 10, 14, 20, 28}[:6-i%2] {
			noise := common + tilt*math.Log(x2/12) + own*rng.NormFloat64()
			y := 7 * math.Pow(x1, a) * math.Pow(x2, b) * math.Exp(noise)
			points = append(points, Point{X: []float64{x1, x2}, Y: y, Cluster: fmt.Sprint(x1)})
		}
	}
	return points
}

// The estimated difference of two exponents is the difference of the estimates. Common effects of a
// problem cancel in its interval, whose coverage is nominal for common effects of any size.
func TestFitDifference(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 10))
	const samples = 500
	for _, common := range []float64{0, 0.5} {
		var covered [2]int
		var joint, apart float64
		for range samples {
			a := lawPoints(rng, 4, 1, 0.2, common)
			b := lawPoints(rng, 0, 0, 0.2, 0)
			for i := range b { // the same problems: shares the noise of a
				b[i].Y *= a[i].Y / math.Pow(a[i].X[0], 1) / math.Pow(a[i].X[1], 0.5)
			}
			law, err := FitPowerLaw(2, a, b)
			if err != nil {
				t.Fatal(err)
			}
			for j, truth := range []float64{1, 0.5} {
				if e := law.Exponents[j]; e.Lo <= truth && truth <= e.Hi {
					covered[j]++
				}
			}
			one, _ := FitPowerLaw(2, a)
			two, _ := FitPowerLaw(2, b)
			if got, want := law.Exponents[0].Value, one.Exponents[0].Value-two.Exponents[0].Value; math.Abs(got-want) > 1e-12 {
				t.Fatalf("the difference is %v, but %v for the estimates", got, want)
			}
			joint += law.Exponents[0].Hi - law.Exponents[0].Lo
			apart += one.Exponents[0].Hi - one.Exponents[0].Lo
		}
		for j, n := range covered {
			if share := float64(n) / samples; share < 0.94 || share > 0.995 {
				t.Errorf("common noise %v: %v of the 95 %% intervals hold difference %d", common, share, j)
			}
		}
		if common > 0 && joint > apart/2 {
			t.Errorf("mean width of intervals: %v for the difference, %v for one exponent", joint/samples, apart/samples)
		}
	}
}

// In one variable, with a cluster for each point, the slope and its change on deletion of a point have
// closed forms (Miller 1974).
func TestFitLawAgreesWithSimpleRegression(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 12
	var points []Point
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range n {
		xs[i], ys[i] = rng.NormFloat64(), rng.NormFloat64()
		points = append(points, Point{X: []float64{math.Exp(xs[i])}, Y: math.Exp(ys[i]), Cluster: fmt.Sprint(i)})
	}
	mx, my := Mean(xs), Mean(ys)
	var sxx, sxy float64
	for i := range xs {
		sxx += (xs[i] - mx) * (xs[i] - mx)
		sxy += (xs[i] - mx) * (ys[i] - my)
	}
	slope := sxy / sxx
	var jackknife float64
	for i := range xs {
		dx := xs[i] - mx
		e := ys[i] - my - slope*dx
		change := dx * e / (1 - 1.0/n - dx*dx/sxx) / sxx
		jackknife += (n - 1.0) / n * change * change
	}
	const t975with11 = 2.2009851600916
	half := t975with11 * math.Sqrt(jackknife)
	law, err := FitPowerLaw(1, points)
	if err != nil {
		t.Fatal(err)
	}
	if e := law.Exponents[0]; math.Abs(e.Value-slope) > 1e-12 || math.Abs(e.Hi-slope-half) > 1e-8 || math.Abs(slope-e.Lo-half) > 1e-8 {
		t.Errorf("got %+v, want %v ± %v", e, slope, half)
	}
}

// In several variables, the exponents agree with a QR decomposition by gonum.
func TestFitLawAgreesWithQR(t *testing.T) {
	t.Parallel()
	points := lawPoints(rand.New(rand.NewPCG(7, 8)), 3, 2, 0.5, 0.2)
	x, y := mat.NewDense(len(points), 3, nil), mat.NewDense(len(points), 1, nil)
	for i, p := range points {
		x.SetRow(i, []float64{1, math.Log(p.X[0]), math.Log(p.X[1])})
		y.Set(i, 0, math.Log(p.Y))
	}
	var want mat.Dense
	law, err := FitPowerLaw(2, points)
	if err := errors.Join(err, want.Solve(x, y)); err != nil {
		t.Fatal(err)
	}
	for j, e := range law.Exponents {
		if math.Abs(e.Value-want.At(j+1, 0)) > 1e-12 || law.Clusters != 5 {
			t.Errorf("exponent %d of %+v, want %v", j, law, want.At(j+1, 0))
		}
	}
}

func TestFitLawErrors(t *testing.T) {
	t.Parallel()
	good := lawPoints(rand.New(rand.NewPCG(9, 10)), 1, 1, 0.1, 0)
	with := func(p Point) []Point { return append([]Point{p}, good...) }
	var same, tied, single []Point
	for i := range 9 {
		x, c := float64(1+i), fmt.Sprint(i)
		same = append(same, Point{X: []float64{x, 3}, Y: x, Cluster: c})
		tied = append(tied, Point{X: []float64{x, 5 * x * x}, Y: x, Cluster: c})
		single = append(single, Point{X: []float64{x, float64(i*i%7 + 1)}, Y: x, Cluster: "a"})
	}
	for _, c := range []struct {
		points    []Point
		collinear bool
	}{
		{with(Point{X: []float64{0, 1}, Y: 1}), false}, {with(Point{X: []float64{1, 1}, Y: math.Inf(1)}), false},
		{nil, false}, {good[:3], false}, {single, false},
		{good[:11], true}, // two clusters, each with a single value of x1
		{same, true}, {tied, true},
	} {
		for _, laws := range [][][]Point{{c.points}, {good, c.points}} {
			if law, err := FitPowerLaw(2, laws...); err == nil || errors.Is(err, errCollinear) != c.collinear {
				t.Errorf("%v: %+v, %v", c.points, law, err)
			}
		}
	}
}
