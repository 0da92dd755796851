package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// powerLaw draws points of y = c_g x^slope with multiplicative noise shared by a
// cluster and noise of each point.
func powerLaw(rng *rand.Rand, slope, shared, own float64, clusters int) []PowerPoint {
	var points []PowerPoint
	for c := range clusters {
		common := shared * rng.NormFloat64()
		for j, x := range []float64{1, 2, 4, 8, 16} {
			for _, group := range []string{"a", "b"} {
				factor := 3.0
				if group == "b" {
					factor = 500
				}
				// The shared noise tilts the cluster, so that it matters.
				noise := common*float64(j-2) + own*rng.NormFloat64()
				points = append(points, PowerPoint{X: x, Y: factor * math.Pow(x, slope) * math.Exp(noise), Group: group, Cluster: fmt.Sprint(c)})
			}
		}
	}
	return points
}

func TestFitPowerIsExactWithoutNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, slope := range []float64{-3, -0.5, 0, 1, 4} {
		f, err := FitPower(powerLaw(rng, slope, 0, 0, 3), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(f.Slope-slope) > 1e-12 || f.Hi-f.Lo > 1e-10 || f.Lo > f.Slope || f.Hi < f.Slope {
			t.Errorf("slope %v fitted as %v in [%v, %v]", slope, f.Slope, f.Lo, f.Hi)
		}
		if f.Points != 30 || f.Groups != 2 || f.Clusters != 3 || f.Level != 0.95 {
			t.Errorf("%+v", f)
		}
	}
}

// Of many samples with dependence within clusters the intervals hold the slope
// about as often as they say.
func TestFitPowerCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const samples = 2000
	for _, shared := range []float64{0, 0.3} {
		covered := 0
		for range samples {
			f, err := FitPower(powerLaw(rng, 2, shared, 0.2, 10), 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if f.Lo <= 2 && 2 <= f.Hi {
				covered++
			}
		}
		if share := float64(covered) / samples; share < 0.93 || share > 0.97 {
			t.Errorf("shared noise %v: %v of the 95 %% intervals hold the slope", shared, share)
		}
	}
}

// With one point a cluster and one group the slope is that of simple regression,
// and the standard error is White's with the correction of HC1, computed here
// from its definition.
func TestFitPowerAgreesWithSimpleRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var points []PowerPoint
	var xs, ys []float64
	for i := range 12 {
		x, y := math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())
		points = append(points, PowerPoint{X: x, Y: y, Cluster: fmt.Sprint(i)})
		xs, ys = append(xs, math.Log(x)), append(ys, math.Log(y))
	}
	n := float64(len(xs))
	mx, my := mean(xs), mean(ys)
	var sxx, sxy float64
	for i := range xs {
		sxx += (xs[i] - mx) * (xs[i] - mx)
		sxy += (xs[i] - mx) * (ys[i] - my)
	}
	slope := sxy / sxx
	var white float64
	for i := range xs {
		e := ys[i] - my - slope*(xs[i]-mx)
		white += (xs[i] - mx) * (xs[i] - mx) * e * e
	}
	const t975with11 = 2.2009851600916
	half := t975with11 * math.Sqrt(n/(n-1)*(n-1)/(n-2)*white) / sxx
	f, err := FitPower(points, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Slope-slope) > 1e-12 || math.Abs(f.Hi-slope-half) > 1e-8 || math.Abs(slope-f.Lo-half) > 1e-8 {
		t.Errorf("got %+v, want %v ± %v", f, slope, half)
	}
}

func TestFitPowerErrors(t *testing.T) {
	good := powerLaw(rand.New(rand.NewPCG(7, 8)), 1, 0.1, 0.1, 4)
	zero := append([]PowerPoint{{X: 0, Y: 1}}, good...)
	infinite := append([]PowerPoint{{X: 1, Y: math.Inf(1)}}, good...)
	var flat []PowerPoint
	for i := range 9 {
		flat = append(flat, PowerPoint{X: float64(1 + i%3), Y: 1, Group: fmt.Sprint(i % 3), Cluster: fmt.Sprint(i)})
	}
	for _, c := range []struct {
		name   string
		points []PowerPoint
		level  float64
		want   string
	}{
		{"level", good, 1, "between 0 and 1"},
		{"zero", zero, 0.9, "not positive and finite"},
		{"infinite", infinite, 0.9, "not positive and finite"},
		{"no points", nil, 0.9, "more than one value of x"},
		{"x varies between groups only", flat, 0.9, "more than one value of x"},
		{"few clusters", good[:20], 0.9, "too few"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := FitPower(c.points, c.level)
			wantError(t, err, c.want)
		})
	}
}

func TestTargets(t *testing.T) {
	x, y := []float64{1, 10, 100, 1000}, []float64{0.5, 0.2, 0.3, 0.1}
	for _, c := range []struct {
		target, at float64
		ok         bool
	}{{0.6, 1, true}, {0.5, 1, true}, {0.4, 10, true}, {0.2, 10, true}, {0.15, 1000, true}, {0.05, 0, false}} {
		if at, ok := FirstAt(x, y, c.target); at != c.at || ok != c.ok {
			t.Errorf("FirstAt %v = %v, %v", c.target, at, ok)
		}
	}
	for _, c := range []struct {
		x, y float64
		ok   bool
	}{{0.5, 0, false}, {1, 0.5, true}, {9, 0.5, true}, {10, 0.2, true}, {5000, 0.1, true}} {
		if got, ok := ValueAt(x, y, c.x); got != c.y || ok != c.ok {
			t.Errorf("ValueAt %v = %v, %v", c.x, got, ok)
		}
	}
	r := withCost(curveRun([]int64{1, 2, 3}, 0.5, 0.2, 0.1), 7, 8, 9)
	if c, o := CostToTarget(r, "sum_kt2", "test", "m", 0.2); c != 8 || o != Reached {
		t.Errorf("cost %v, %v", c, o)
	}
	if c, o := CostToTarget(r, "sum_kt2", "test", "m", 0.5); c != 7 || o != AtOnce {
		t.Errorf("cost %v, %v", c, o)
	}
	failed := r
	failed.Status = StatusFailed
	for _, c := range []struct {
		run                    Run
		counter, split, metric string
		target                 float64
	}{
		{r, "sum_kt2", "test", "m", 0.01}, {failed, "sum_kt2", "test", "m", 0.2},
		{r, "kernel_evals", "test", "m", 0.2}, {r, "sum_kt2", "train", "m", 0.2}, {r, "sum_kt2", "test", "n", 0.2},
	} {
		if v, o := CostToTarget(c.run, c.counter, c.split, c.metric, c.target); o != NotReached {
			t.Errorf("%s %s %s at %v costs %v", c.counter, c.split, c.metric, c.target, v)
		}
	}
}
