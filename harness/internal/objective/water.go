package objective

import (
	"math"
	"slices"

	"stochopt/algorithms/svm"
)

// Responses holds the responses of a classifier with |w| = 1 (or w = 0) by class:
// c_i = y_i <w, Phi(x_i)> of the training points, without the bias.
type Responses struct {
	Positive, Negative []float64
}

// Water is the water level at which a volume of slack covers the responses: the
// slack-constrained objective of Cotter 2013, section 2.1.
type Water struct {
	// Level is the common level gamma = f(w/|w|), Bias the b at which it is
	// reached, 0 if the problem has no bias.
	Level, Bias float64
	// Volume is n nu.
	Volume float64
}

// Responses returns the responses of a solution, each class in increasing order.
func (m *SVM) Responses(s *svm.Solution) Responses {
	var b Responses
	m.pour(&b, s)
	slices.Sort(b.Positive)
	slices.Sort(b.Negative)
	return b
}

// pour writes the responses of a solution to b, reusing its storage.
func (m *SVM) pour(b *Responses, s *svm.Solution) {
	scale := 1.0
	if s.NormSq > 0 {
		scale = 1 / math.Sqrt(s.NormSq)
	}
	b.Positive, b.Negative = b.Positive[:0], b.Negative[:0]
	for i, score := range s.Scores[:m.points.Train] {
		u := (score - s.Bias) * scale
		if i < m.points.Positive {
			b.Positive = append(b.Positive, u)
		} else {
			b.Negative = append(b.Negative, -u)
		}
	}
}

// Water returns the water level of a solution scaled to |w| = 1. The problem's
// nu must be known, and with a bias both classes must have training points.
func (m *SVM) Water(s *svm.Solution) Water {
	m.pour(&m.responses, s)
	w := Water{Volume: m.reg.Nu * float64(m.points.Train)}
	if m.reg.Bias {
		w.Level, w.Bias, _ = svm.WaterLevelBias(m.responses.Positive, m.responses.Negative, w.Volume)
		return w
	}
	m.all = append(append(m.all[:0], m.responses.Positive...), m.responses.Negative...)
	w.Level, _ = svm.WaterLevel(m.all, w.Volume)
	return w
}
