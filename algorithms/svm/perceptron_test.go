package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
)

func TestPerceptronAgainstPlain(t *testing.T) {
	for _, conversion := range []string{"", "last", "average"} {
		p, g := newGaussianProblem(5, 25, 12, 31)
		again := newUniformOrder(3, 25)
		a, err := NewPerceptron(PerceptronConfig{Conversion: conversion}, p, newUniformOrder(3, 25), nil)
		if err != nil {
			t.Fatal(err)
		}
		plain := newDenseIterate(p, g)
		var want algorithms.Cost
		average := conversion == "average"
		plain.check(t, a, average)
		for plain.t = 1; plain.t <= 1000; plain.t++ {
			steps(t, a, 1)
			i := again.Next()
			var support int64
			for _, x := range plain.alpha {
				if x != 0 {
					support++
				}
			}
			want.Iterations++
			want.KernelEvals += support
			want.InnerProducts += support
			plain.average()
			if plain.response(i) <= 0 {
				plain.add(i, 1)
				want.KernelEvalsMoved += support
			}
			plain.check(t, a, average)
		}
		if a.Cost() != want || g.calls != int64(plain.moved) {
			t.Errorf("cost %+v after %d rows, want %+v", a.Cost(), g.calls, want)
		}
		if plain.moved < 20 || plain.moved > 900 {
			t.Errorf("%d mistakes are not much of a test", plain.moved)
		}
	}
}

// TestPerceptronMistakes: against every u the number of mistakes M satisfies
// M <= L + |u| sqrt(M), L the sum of u's hinge losses on the sequence.
func TestPerceptronMistakes(t *testing.T) {
	p, g := newGaussianProblem(6, 30, 15, 30)
	a, err := NewPerceptron(PerceptronConfig{}, p, newUniformOrder(1, 30), nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 3000
	steps(t, a, n)
	mistakes := float64(g.calls)
	rng := rand.New(rand.NewPCG(1, 1))
	closest := math.Inf(1)
	for k := range 200 {
		alpha := make([]float64, 30)
		for i := range alpha {
			alpha[i] = math.Ldexp(rng.Float64(), k%12-4)
		}
		u := g.responses(p, alpha)
		var normSq, loss float64
		for i, c := range alpha {
			normSq += c * p.Label(i) * u[i]
		}
		order := newUniformOrder(1, 30)
		for range n {
			i := order.Next()
			loss += max(0, 1-p.Label(i)*u[i])
		}
		bound := loss + math.Sqrt(normSq*mistakes)
		closest = min(closest, bound/mistakes)
		if mistakes > bound {
			t.Errorf("%g mistakes, at most %g possible", mistakes, bound)
		}
	}
	if closest > 10 {
		t.Errorf("the least bound is %g times the number of mistakes; the test says little", closest)
	}
}

// TestPerceptronSample: every iterate of a pass is drawn equally often, and none
// of the pass before.
func TestPerceptronSample(t *testing.T) {
	t.Parallel()
	const n, repeats = 6, 6000
	p, _ := newGaussianProblem(12, n, 3, 8)
	order := []int{3, 1, 4, 0, 5, 2}
	// The iterates that the examples of two passes were classified with.
	var iterates []Solution
	a, err := NewPerceptron(PerceptronConfig{}, p, &listOrder{list: order}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * n {
		var s Solution
		a.SolutionTo(&s)
		iterates = append(iterates, s)
		steps(t, a, 1)
	}
	for _, looked := range []int{1, 4, 6, 9, 12} {
		first := (looked - 1) / n * n
		expected := make(map[string]float64)
		seen := make(map[string]float64)
		name := func(s Solution) string {
			var b strings.Builder
			for _, v := range s.Alpha {
				b.WriteByte(byte('0' + int(v)))
			}
			return b.String()
		}
		for _, s := range iterates[first:looked] {
			expected[name(s)] += repeats / float64(looked-first)
		}
		for seed := range uint64(repeats) {
			b, err := NewPerceptron(PerceptronConfig{Conversion: "sample"}, p, &listOrder{list: order}, rand.New(rand.NewPCG(seed, 4)))
			if err != nil {
				t.Fatal(err)
			}
			steps(t, b, looked)
			var s Solution
			b.SolutionTo(&s)
			k := name(s)
			seen[k]++
			i := slices.IndexFunc(iterates, func(x Solution) bool { return name(x) == k })
			if i < 0 || !allClose(s.Scores, iterates[i].Scores, 0) || s.NormSq != iterates[i].NormSq {
				t.Fatalf("the sample is not an iterate")
			}
		}
		for k, want := range expected {
			if got := seen[k]; math.Abs(got-want) > 5*math.Sqrt(want)+1 {
				t.Errorf("after %d examples an iterate was drawn %g times, want about %g", looked, got, want)
			}
			delete(seen, k)
		}
		if len(seen) > 0 {
			t.Errorf("after %d examples iterates of another pass were drawn", looked)
		}
	}
}

func TestPerceptronArguments(t *testing.T) {
	p := coin()
	order := newUniformOrder(1, 2)
	for _, test := range []struct {
		cfg   PerceptronConfig
		order Order
		want  string
	}{
		{PerceptronConfig{Conversion: "vote"}, order, `"vote"`},
		{PerceptronConfig{}, nil, "order"},
		{PerceptronConfig{Conversion: "sample"}, order, "random"},
	} {
		if _, err := NewPerceptron(test.cfg, p, test.order, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one about %q", test.cfg, err, test.want)
		}
	}
	if _, err := NewPerceptron(PerceptronConfig{}, Problem{}, order, nil); err == nil {
		t.Error("no error for a problem without rows")
	}
}

func TestPerceptronDiverges(t *testing.T) {
	p := coin()
	a, err := NewPerceptron(PerceptronConfig{}, p, &listOrder{list: []int{0, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Rows.(*fakeGram).K[1][0] = float32(math.NaN())
	steps(t, a, 1)
	if s := a.Step(); s.State != algorithms.Diverged || !strings.Contains(s.Reason, "perceptron") {
		t.Errorf("a NaN in the kernel: status %+v", s)
	}
}
