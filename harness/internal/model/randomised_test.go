package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The error of many randomised predictions is the one expected.
func TestRandomised(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var decisions, signs []float64
	for range 200000 {
		decisions = append(decisions, rng.NormFloat64()/2)
		signs = append(signs, float64(2*rng.IntN(2)-1))
	}
	wrong := 0
	for i, g := range Randomised(decisions, rng) {
		if d := g - decisions[i]; d < -0.5 || d > 0.5 {
			t.Fatalf("%v is added", d)
		}
		if signs[i]*g <= 0 {
			wrong++
		}
	}
	got, want := float64(wrong)/float64(len(signs)), RandomisedError(signs, decisions)
	if math.Abs(got-want) > 5/math.Sqrt(float64(len(signs))) {
		t.Errorf("the error is %v, expected was %v", got, want)
	}
	if e := RandomisedError([]float64{1, 1, -1, -1}, []float64{0.25, 2, 0, 3}); e != (0.25+0+0.5+1)/4 {
		t.Errorf("the expected error is %v", e)
	}
}
