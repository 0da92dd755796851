package objective

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"stochopt/algorithms/svm"
)

// made returns 9 + 4 + 5 points in three splits and a solution on them: the classifier of random alpha,
// 0 <= alpha_i < |most|, with the kernel of cloud.
func made(seed uint64, most float64) (*SVMPoints, *svm.Solution) {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := &SVMPoints{Train: 9, Validation: 4, Test: 5, Positive: 4}
	for i := range 18 {
		y := 1.0
		if i >= 4 && i < 9 || i >= 9 && rng.IntN(2) == 0 {
			y = -1
		}
		p.Labels = append(p.Labels, y)
	}
	k := cloud(seed, 9, 9, 1).Rows
	s := &svm.Solution{Scores: make([]float64, 18), Bias: rng.NormFloat64(), Alpha: make([]float64, 9)}
	for i := range s.Alpha {
		if i%3 > 0 {
			s.Alpha[i] = most * rng.Float64()
		}
		for j, v := range k.Row(i) {
			s.Scores[j] += s.Alpha[i] * p.Labels[i] * float64(v)
		}
	}
	for i, a := range s.Alpha {
		s.NormSq += a * p.Labels[i] * s.Scores[i]
	}
	for j := range s.Scores {
		s.Scores[j] += s.Bias
	}
	return p, s
}

func unknown() Regularisation {
	return Regularisation{Lambda: math.NaN(), Nu: math.NaN(), R: math.NaN()}
}

func TestMeasuresAreTheirDefinitions(t *testing.T) {
	const lambda, nu = 0.05, 0.3
	for seed := range uint64(10) {
		p, s := made(seed, 1/(lambda*9))
		s.Scores[2] = 0 // a score of 0 is an error
		reg := Regularisation{Lambda: lambda, Nu: nu, R: math.NaN()}
		v, err := NewSVM(p, reg).Measure(s)
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for i, n := range []int{9, 4, 5} {
			var wrong, hinge float64
			for j := from; j < from+n; j++ {
				if p.Labels[j]*s.Scores[j] <= 0 {
					wrong++
				}
				hinge += math.Max(0, 1-p.Labels[j]*s.Scores[j])
			}
			if v.Error[i] != wrong/float64(n) || math.Abs(v.Hinge[i]-hinge/float64(n)) > 1e-12 {
				t.Errorf("split %d: %v and %v, want %v and %v", i, v.Error[i], v.Hinge[i], wrong/float64(n), hinge/float64(n))
			}
			from += n
		}
		var sum float64
		for _, a := range s.Alpha {
			sum += a
		}
		if v.Norm != math.Sqrt(s.NormSq) || v.Support != 6 {
			t.Errorf("norm %v and support %v, want %v and 6", v.Norm, v.Support, math.Sqrt(s.NormSq))
		}
		if want := lambda/2*s.NormSq + v.Hinge[0]; math.Abs(v.Objective-want) > 1e-12 {
			t.Errorf("objective %v, want %v", v.Objective, want)
		}
		if want := lambda * (sum - s.NormSq/2); math.Abs(v.Dual-want) > 1e-12 {
			t.Errorf("dual objective %v, want %v", v.Dual, want)
		}
		c := make([]float64, 9)
		for i := range c {
			c[i] = p.Labels[i] * (s.Scores[i] - s.Bias) / v.Norm
		}
		if want := sortedWater(c, 9*nu); math.Abs(v.Slack-want) > 1e-12 {
			t.Errorf("slack-constrained objective %v, want %v", v.Slack, want)
		}
	}
}

// sortedWater computes the water level by sorting.
func sortedWater(c []float64, volume float64) float64 {
	c = slices.Clone(c)
	sort.Float64s(c)
	sum := 0.0
	for k, v := range c {
		sum += v
		level := (volume + sum) / float64(k+1)
		if k+1 == len(c) || level <= c[k+1] {
			return level
		}
	}
	return math.NaN()
}

// With a bias, the water level is the maximum over b.
func TestWaterWithABias(t *testing.T) {
	for seed := range uint64(6) {
		p, s := made(seed, 2)
		m := NewSVM(p, Regularisation{Lambda: math.NaN(), Nu: 0.2, R: math.NaN(), Bias: true})
		w := m.Water(s)
		at := func(b float64) float64 {
			c := make([]float64, 9)
			for i := range c {
				c[i] = p.Labels[i] * ((s.Scores[i]-s.Bias)/math.Sqrt(s.NormSq) + b)
			}
			return sortedWater(c, 9*0.2)
		}
		if math.Abs(at(w.Bias)-w.Level) > 1e-12 || math.Abs(w.Volume-1.8) > 1e-15 {
			t.Errorf("level %v and volume %v, want %v and 1.8", w.Level, w.Volume, at(w.Bias))
		}
		for b := -4.0; b <= 4; b += 0.01 {
			if at(b) > w.Level+1e-12 {
				t.Fatalf("level %v at b = %v, but %v at %v", w.Level, w.Bias, at(b), b)
			}
		}
		responses := m.Responses(s)
		if len(responses.Positive) != 4 || len(responses.Negative) != 5 || !slices.IsSorted(responses.Positive) || !slices.IsSorted(responses.Negative) {
			t.Errorf("responses are %+v", responses)
		}
		if got, _, _ := svm.WaterLevelBias(responses.Positive, responses.Negative, w.Volume); math.Abs(got-w.Level) > 1e-12 {
			t.Errorf("the water level of the responses is %v, want %v", got, w.Level)
		}
	}
}

func TestUnknownValuesAreNaN(t *testing.T) {
	p, s := made(1, 1)
	v, err := NewSVM(p, unknown()).Measure(s)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(v.Objective) || !math.IsNaN(v.Dual) || !math.IsNaN(v.Slack) || math.IsNaN(v.Support) {
		t.Errorf("%+v", v)
	}
	s.Alpha = nil
	reg := unknown()
	reg.Lambda = 0.1
	if v, err = NewSVM(p, reg).Measure(s); err != nil || math.IsNaN(v.Objective) || !math.IsNaN(v.Dual) || !math.IsNaN(v.Support) {
		t.Errorf("%+v, %v", v, err)
	}
}

// A dual objective is a bound only at a feasible point.
func TestDualOfInfeasibleCoefficients(t *testing.T) {
	const lambda = 0.05
	upper := 1 / (lambda * 9)
	for _, test := range []struct {
		name     string
		bias     bool
		change   func(alpha []float64)
		feasible bool
	}{
		{"unchanged", false, func([]float64) {}, true},
		{"at the bound", false, func(a []float64) { a[1] = upper }, true},
		{"rounded beyond it", false, func(a []float64) { a[1] = upper * (1 + 1e-12) }, true},
		{"beyond it", false, func(a []float64) { a[1] = upper * 1.001 }, false},
		{"negative", false, func(a []float64) { a[1] = -1e-3 * upper }, false},
		{"out of balance", true, func([]float64) {}, false},
		{"balanced", true, func(a []float64) {
			for i := range a {
				a[i] = 0.2
				if i < 4 {
					a[i] = 0.25
				}
			}
		}, true},
	} {
		p, s := made(1, upper/2)
		test.change(s.Alpha)
		v, err := NewSVM(p, Regularisation{Lambda: lambda, Nu: math.NaN(), R: math.NaN(), Bias: test.bias}).Measure(s)
		if err != nil || math.IsNaN(v.Dual) == test.feasible {
			t.Errorf("%s: the dual objective is %v, %v", test.name, v.Dual, err)
		}
	}
}

func TestMeasureReportsNumbersThatAreNotFinite(t *testing.T) {
	for i, change := range []func(*svm.Solution){
		func(s *svm.Solution) { s.Scores[10] = math.NaN() },
		func(s *svm.Solution) { s.Scores[0] = math.Inf(1) },
		func(s *svm.Solution) { s.NormSq = math.NaN() },
		func(s *svm.Solution) { s.Bias = math.Inf(-1) },
		func(s *svm.Solution) { s.Alpha[3] = math.NaN() },
	} {
		p, s := made(1, 1)
		change(s)
		if _, err := NewSVM(p, unknown()).Measure(s); !errors.As(err, new(NotFiniteError)) {
			t.Errorf("change %d: error is %v", i, err)
		}
	}
}

func TestSplitsWithoutPointsAreOmitted(t *testing.T) {
	p := &SVMPoints{Train: 3, Test: 2, Labels: make([]float64, 5)}
	if got := p.Splits(); !slices.Equal(got, []Split{{"train", 0, 3}, {"test", 3, 5}}) {
		t.Errorf("splits are %v", got)
	}
}
