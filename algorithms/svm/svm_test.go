package svm

import (
	"math"
	"slices"
	"testing"
)

func TestPositiveFirst(t *testing.T) {
	for _, c := range []struct {
		y        []float64
		order    []int
		positive int
		bad      bool
	}{
		{},
		{y: []float64{-1, 1, -1, 1}, order: []int{1, 3, 0, 2}, positive: 2},
		{y: []float64{1, 0}, bad: true},
		{y: []float64{math.NaN()}, bad: true},
	} {
		order, positive, err := PositiveFirst(c.y)
		if (err != nil) != c.bad || positive != c.positive {
			t.Errorf("%v: %d positive points, error %v", c.y, positive, err)
		}
		if !slices.Equal(order, c.order) {
			t.Errorf("%v: order %v, want %v", c.y, order, c.order)
		}
	}
}

// The score of a training point from its kernel row is what SolutionTo says.
func TestScore(t *testing.T) {
	p, _ := newGaussianProblem(1, 6, 3, 6)
	a, err := NewSMO(SMOConfig{Lambda: 0.1, Bias: true}, p)
	if err != nil {
		t.Fatal(err)
	}
	for !a.Step().Stop() {
	}
	var s Solution
	a.SolutionTo(&s)
	for i := range p.Rows.Train() {
		if got := p.Score(&s, p.Rows.Row(i)[:p.Rows.Train()]); math.Abs(got-s.Scores[i]) > 1e-6 {
			t.Errorf("point %d: score %v, want %v", i, got, s.Scores[i])
		}
	}
}
