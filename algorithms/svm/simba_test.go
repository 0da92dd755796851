package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
)

// slackReference returns the nu equivalent to lambda, and the optimal value of the slack-constrained
// problem. For the optimum w* for lambda, nu is its mean hinge loss divided by |w*|, and the value is
// 1/|w*| (Cotter 2013, lemma 2.1).
func slackReference(t *testing.T, p LinearProblem, lambda float64) (nu, value float64) {
	t.Helper()
	ref, err := NewLinearSDCA(LinearSDCAConfig{Lambda: lambda, Tolerance: 1e-9}, p, newLinearOrder(7, p.Features.Train()))
	if err != nil {
		t.Fatal(err)
	}
	if st := runLinear(t, ref, 4_000_000); !st.Stop() {
		t.Fatal("the reference did not converge")
	}
	var s Solution
	ref.SolutionTo(&s)
	norm := math.Sqrt(s.NormSq)
	nu, value = (linearPrimal(p, lambda, &s)-lambda/2*s.NormSq)/norm, 1/norm
	if got := simbaValue(p, nu, &s); math.Abs(got-value) > 1e-9*value {
		t.Fatalf("the objective at the reference is %v, want 1/|w*| = %v", got, value)
	}
	return nu, value
}

// simbaValue returns the objective of the slack-constrained problem for s scaled to norm 1.
func simbaValue(p LinearProblem, nu float64, s *Solution) float64 {
	c := make([]float64, p.Features.Train())
	for i := range c {
		c[i] = p.Label(i) * s.Scores[i] / math.Sqrt(s.NormSq)
	}
	level, _ := WaterLevel(c, nu*float64(len(c)))
	return level
}

func TestSIMBAApproachesTheSlackConstrainedOptimum(t *testing.T) {
	t.Parallel()
	const n, d = 120, 6
	p, _ := linearProblem(t, 21, n, d)
	nu, best := slackReference(t, p, 0.02)
	a, err := NewSIMBA(SIMBAConfig{Nu: nu}, p, rand.New(rand.NewPCG(4, 4)))
	if err != nil {
		t.Fatal(err)
	}
	var s Solution
	var gap [2]float64
	for stage, steps := range []int{1000, 59_000} {
		runLinear(t, a, steps)
		a.SolutionTo(&s)
		gap[stage] = 1 - simbaValue(p, nu, &s)/best
	}
	if gap[1] < -1e-6 || gap[1] > 0.02 || gap[1] > gap[0]/2 && gap[0] > 0.01 {
		t.Errorf("suboptimality %.3g after 1,000 and %.3g after 60,000 steps; the optimum is %v", gap[0], gap[1], best)
	}
	// After the division by the level the objective is 1, and the slack is the hinge
	// loss, with mean nu/level.
	hinge := 0.0
	for i := range n {
		hinge += max(0, 1-p.Label(i)*s.Scores[i]) / n
	}
	level := math.Sqrt(linearNormSq(a.average)) / float64(a.Cost().Iterations) / math.Sqrt(s.NormSq)
	if math.Abs(hinge-nu/level) > 1e-9*hinge {
		t.Errorf("mean hinge loss %v, want nu/level = %v", hinge, nu/level)
	}
	t.Logf("suboptimality %.3g", gap)
}

// TestSIMBAEqualsThePlainForm compares with a plain form of the algorithm in the paper, which draws the
// same numbers.
func TestSIMBAEqualsThePlainForm(t *testing.T) {
	const n, d, nu, steps = 9, 3, 0.3, 400
	p, data := linearProblem(t, 24, n, d)
	r := 0.0
	for i := range n {
		r = max(r, math.Sqrt(p.Features.NormSq(i)))
	}
	a, err := NewSIMBA(SIMBAConfig{Nu: nu}, p, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	q, u, sum := make([]float64, n), make([]float64, d), make([]float64, d)
	for i := range q {
		q[i] = 1
	}
	for step := 1; step <= steps; step++ {
		total, left, drawn := 0.0, rng.Float64(), -1
		for _, v := range q {
			total += v
		}
		for drawn < 0 || left >= 0 {
			drawn++
			left -= q[drawn] / total
		}
		norm := 0.0
		for k := range d {
			u[k] += p.Label(drawn) * data[drawn*d+k] / r
			norm += u[k] * u[k]
		}
		w, ww := make([]float64, d), 0.0
		for k := range d {
			// u is the sum of the drawn points.
			v := u[k] / math.Sqrt(2*float64(step))
			w[k] = v / max(1, math.Sqrt(norm)/math.Sqrt(2*float64(step)))
			sum[k] += w[k]
			ww += w[k] * w[k]
		}
		j, left := -1, rng.Float64()
		for j < 0 || left >= 0 {
			j++
			left -= w[j] * w[j] / ww
		}
		xi, budget := make([]float64, n), nu/r*n
		for budget > 0 {
			best := -1
			for i := range q {
				if xi[i] == 0 && (best < 0 || q[i] > q[best]) {
					best = i
				}
			}
			xi[best] = min(2, budget)
			budget -= xi[best]
		}
		eta := math.Sqrt(math.Log(n) / float64(step))
		for i := range q {
			v := p.Label(i)*data[i*d+j]/r*ww/w[j] + xi[i]
			v = min(max(v, -1/eta), 1/eta)
			q[i] *= 1 - eta*v + eta*eta*v*v
		}
		a.Step()
		if got, want := a.Cost(), (algorithms.Cost{Iterations: int64(step), InnerProducts: int64(step + step*n/d)}); got != want {
			t.Fatalf("step %d: cost %+v, want %+v", step, got, want)
		}
	}
	for k := range d {
		if math.Abs(a.average[k]-sum[k]) > 1e-8*steps {
			t.Errorf("the sum of the iterates is %v, want %v", a.average, sum)
			break
		}
	}
}

// TestMostProbable compares mostProbable with sorting, with ties.
func TestMostProbable(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 2000 {
		n := 1 + rng.IntN(12)
		order, weight := make([]int, n), make([]float64, n)
		for i := range weight {
			order[i], weight[i] = i, float64(1+rng.IntN(4))
		}
		budget := float64(rng.IntN(10*n)) / 4
		slices.SortStableFunc(order, func(a, b int) int { return int(weight[b] - weight[a]) })
		want, left := make([]float64, n), budget
		for _, i := range order {
			want[i] = min(2, left)
			left -= want[i]
		}
		got := make([]float64, n)
		if mostProbable(got, weight, make([]float64, n), budget); !allClose(got, want, 1e-12) {
			t.Fatalf("weights %v, budget %v: %v, want %v", weight, budget, got, want)
		}
	}
}
