package objective

import (
	"math"
	"slices"

	"stochopt/algorithms/svm"
)

// Responses holds the responses c_i = y_i <w, Phi(x_i)> of the training points by class, without the
// bias. The classifier is scaled to |w| = 1 unless w = 0.
type Responses struct {
	Positive, Negative []float64
}

// Water is the water level of the slack-constrained objective: the level to which a volume of slack
// fills the responses. See Cotter 2013, section 2.1.
type Water struct {
	// Level is gamma = f(w/|w|). Bias is the b that attains it, 0 if the problem has no bias.
	Level, Bias float64
	// Volume is n nu.
	Volume float64
}

// Responses returns the responses of a solution, each class in increasing order.
func (m *SVM) Responses(s *svm.Solution) Responses {
	var b Responses
	m.responsesTo(&b, s)
	slices.Sort(b.Positive)
	slices.Sort(b.Negative)
	return b
}

// responsesTo stores the unsorted responses of a solution in b and reuses its slices.
func (m *SVM) responsesTo(b *Responses, s *svm.Solution) {
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

// Water returns the water level of a solution, scaled to |w| = 1. The problem's nu must be known. With a
// bias, both classes must have training points.
func (m *SVM) Water(s *svm.Solution) Water {
	m.responsesTo(&m.responses, s)
	w := Water{Volume: m.reg.Nu * float64(m.points.Train)}
	if m.reg.Bias {
		w.Level, w.Bias, _ = svm.WaterLevelBias(m.responses.Positive, m.responses.Negative, w.Volume)
		return w
	}
	m.all = append(append(m.all[:0], m.responses.Positive...), m.responses.Negative...)
	w.Level, _ = svm.WaterLevel(m.all, w.Volume)
	return w
}
