package registry

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/pca/pcatest"
	"stochopt/internal/record"

	"gonum.org/v1/gonum/mat"
)

// variances have an eigengap after the second value.
var variances = []float64{0.5, 0.25, 0.06, 0.05, 0.04, 0.03}

// pcaDefaults returns the resolved parameters of an algorithm in a spec that sets k and c.
func pcaDefaults(id string) Params {
	p := Params{"k": int64(2)}
	for _, q := range of(record.TaskPCA, id).Params {
		switch {
		case q.Name == "step.c":
			p["step.c"] = 0.5
		case q.Default != nil:
			p[q.Name] = q.Default
		}
	}
	return p
}

// newPCA constructs an algorithm on samples of a small Gaussian.
func newPCA(id string, p Params) (pca.Learner, error) {
	var std []float64
	for _, v := range variances {
		std = append(std, math.Sqrt(v))
	}
	return NewPCA(of(record.TaskPCA, id), Env{
		Source:  pcatest.NewGaussian(std, rand.New(rand.NewPCG(1, 2))),
		Horizon: 60,
		Rand:    func(role string) *rand.Rand { return rand.New(rand.NewPCG(3, uint64(len(role)))) },
	}, p)
}

// runPCA returns the iterate after the given number of steps, the largest rank so far, and the learner.
func runPCA(t *testing.T, id string, p Params, steps int) (s pca.State, most int, l pca.Learner) {
	t.Helper()
	l, err := newPCA(id, p)
	if err != nil {
		t.Fatalf("%s %v: %v", id, p, err)
	}
	for i := range steps {
		if s := l.Step(); s.Stop() {
			t.Fatalf("%s %v: step %d: %v", id, p, i, s)
		}
		most = max(most, l.Rank())
	}
	l.StateTo(&s)
	return s, most, l
}

// projection returns the projection onto the k leading directions of an iterate.
func projection(s pca.State) *mat.Dense {
	top, p := s.TopK(2), new(mat.Dense)
	p.Mul(top, top.T())
	return p
}

func same(a, b pca.State) bool {
	return mat.Equal(projection(a), projection(b)) && slices.Equal(a.Sigma, b.Sigma) && a.Bulk == b.Bulk
}

// Every algorithm works with its defaults and with every choice of a parameter, does not change the
// parameters, and finds the subspace. Each choice gives other iterates, except that the values of form
// are the same algorithm. Constructors reject values that the catalog cannot check.
func TestEveryPCAAlgorithm(t *testing.T) {
	t.Parallel()
	for _, e := range Algorithms(record.TaskPCA) {
		full := pcaDefaults(e.ID)
		full["k"] = int64(6)
		if l, err := newPCA(e.ID, full); err == nil || l != nil {
			t.Errorf("%s accepts k = d", e.ID)
		}
		base, _, _ := runPCA(t, e.ID, pcaDefaults(e.ID), 60)
		for i, p := range settings(pcaDefaults(e.ID), e.Params) {
			if err := check(record.TaskPCA, e.ID, p); err != nil {
				t.Errorf("%s %v: %v", e.ID, p, err)
			}
			before := fmt.Sprint(p)
			got, _, l := runPCA(t, e.ID, p, 60)
			if fmt.Sprint(p) != before {
				t.Errorf("%s changed its parameters to %v", e.ID, p)
			}
			if d, k := l.Dims(); d != 6 || k != 2 || l.Cost().Iterations != 60 {
				t.Errorf("%s %v: dimensions %d and %d, cost %+v", e.ID, p, d, k, l.Cost())
			}
			var captured float64
			for j, v := range variances {
				captured += v * projection(got).At(j, j)
			}
			// The maximum is 0.75, and a random subspace captures 0.31 on average. A sampled iterate may be
			// early, and a decomposition is random.
			least := 0.45
			if p.Text("iterate") == "sample" || p.Text("unrelax") == "decompose" {
				least = 0.1
			}
			if captured < least || captured > 0.75+1e-9 {
				t.Errorf("%s %v: captures %v of 0.75 after 60 steps", e.ID, p, captured)
			}
			naive := p.Text("form") == "naive"
			alike := i == 0 || naive || p["ties"] != nil || // there are no ties
				e.ID == "capped-msg" && p.Text("start") == "random-low-rank"
			if !naive && same(got, base) != alike || naive && !mat.EqualApprox(projection(got), projection(base), 1e-6) {
				t.Errorf("%s %v: the result equals that of the defaults: %v", e.ID, p, !alike)
			}
		}
	}
}

// Numeric parameters reach the algorithm.
func TestNumbersReachThePCAAlgorithm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		change Params
		rank   int
	}{
		{nil, 3}, // k+1
		{Params{"cap": int64(5)}, 5},
		{Params{"cap": int64(2)}, 2},
		{Params{"raise-when-stuck": int64(1)}, 6},
	} {
		p := pcaDefaults("capped-msg")
		p["step.c"] = 0.05
		maps.Copy(p, test.change)
		if _, got, _ := runPCA(t, "capped-msg", p, 200); got != test.rank {
			t.Errorf("with %v the rank reaches %d, want %d", test.change, got, test.rank)
		}
	}
	for schedule, want := range map[string]float64{"inverse-sqrt": 0.25, "inverse": 0.125, "constant": 0.5} {
		s, err := Env{}.schedule(Params{"step.schedule": schedule, "step.c": 0.5}, nil)
		if err != nil || s.At(4) != want {
			t.Errorf("%s: eta_4 = %v, %v, want %v", schedule, s, err, want)
		}
	}
	// The step size of the theory is 2 c sqrt(k/T) for the horizon T.
	env := Env{Source: pcatest.NewGaussian(variances, nil), Horizon: 800}
	for _, test := range []struct {
		p    Params
		want float64
	}{
		{Params{"step.schedule": "theory", "k": int64(2)}, 0.1},
		{Params{"step.schedule": "theory", "k": int64(2), "step.c": 2.0}, 0.2},
	} {
		s, err := env.schedule(test.p, msgTheory)
		if err != nil || math.Abs(s.At(1)-test.want) > 1e-15 {
			t.Errorf("%v: the theory's step is %v, %v, want %v", test.p, s, err, test.want)
		}
	}
}
