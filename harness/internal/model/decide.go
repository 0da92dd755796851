package model

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"stochopt/algorithms/kernel"
	"stochopt/datasets"
	"stochopt/internal/finite"
)

// scorer evaluates a model: an inverted index of its vectors.
type scorer struct {
	kernel kernel.Kernel
	coef   []float64
	bias   float64
	norms  []float64
	// The features that any vector has are numbered by column, so that what is kept grows
	// with their entries and not with the largest of them. Column c has the values
	// value[start[c]:start[c+1]] in the vectors vector[start[c]:start[c+1]].
	column map[int32]int
	start  []int
	vector []int32
	value  []float64
}

func newScorer(m *Model) (*scorer, error) {
	k, err := m.Kernel.open()
	if err != nil {
		return nil, err
	}
	s := &scorer{kernel: k, coef: m.Coefficients, bias: m.Bias, norms: make([]float64, m.Support()), column: make(map[int32]int)}
	var count []int
	for _, v := range m.Vectors {
		for _, j := range v.Indices {
			c, known := s.column[j-1]
			if !known {
				c = len(count)
				s.column[j-1], count = c, append(count, 0)
			}
			count[c]++
		}
	}
	s.start = make([]int, len(count)+1)
	for c, n := range count {
		s.start[c+1] = s.start[c] + n
	}
	s.vector, s.value = make([]int32, s.start[len(count)]), make([]float64, s.start[len(count)])
	next := slices.Clone(s.start)
	for k, v := range m.Vectors {
		for i, j := range v.Indices {
			x, c := v.Values[i], s.column[j-1]
			at := next[c]
			next[c]++
			s.vector[at], s.value[at] = int32(k), x
			s.norms[k] += float64(x * x)
		}
	}
	return s, nil
}

// Decisions returns g(x) of each row x of the table, in 64-bit arithmetic; in
// training kernel values are rounded to 32 bits. The time it takes is in
// proportion to the rows, and to the vectors that share features with them.
//
// It returns an error if the table has more features than the model, if a result
// is not finite, or if the context ends.
func (m *Model) Decisions(ctx context.Context, t *datasets.Table) ([]float64, error) {
	if t.D > m.Features {
		return nil, fmt.Errorf("the data have %d features, but the model %d; name data that the model is for", t.D, m.Features)
	}
	s, err := newScorer(m)
	if err != nil {
		return nil, err
	}
	const chunk = 64
	out := make([]float64, t.N)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (t.N+chunk-1)/chunk) {
		wg.Go(func() {
			dots := make([]float64, m.Support())
			var row []float64
			if !t.Sparse() {
				row = make([]float64, t.D)
			}
			for ctx.Err() == nil {
				hi := int(next.Add(chunk))
				if hi-chunk >= t.N {
					return
				}
				for i := hi - chunk; i < min(hi, t.N); i++ {
					out[i] = s.decide(t, i, dots, row)
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, g := range out {
		if !finite.Is(g) {
			return nil, fmt.Errorf("the decision value of row %d is %v: its features are too large for the kernel %s", i+1, g, s.kernel)
		}
	}
	return out, nil
}

// decide returns g of row i; dots has a place for each vector, and buf one for each entry of
// a dense row.
func (s *scorer) decide(t *datasets.Table, i int, dots, buf []float64) float64 {
	clear(dots)
	xx := 0.0
	add := func(j int32, x float64) {
		xx += float64(x * x)
		c, known := s.column[j]
		if !known {
			return
		}
		lo, hi := s.start[c], s.start[c+1]
		value := s.value[lo:hi]
		for at, k := range s.vector[lo:hi] {
			dots[k] += float64(x * value[at])
		}
	}
	if t.Sparse() {
		indices, values := t.RowNonZero(i)
		for at, j := range indices {
			add(j, values[at])
		}
	} else {
		for j, x := range t.Row(i, buf) {
			if x != 0 {
				add(int32(j), x)
			}
		}
	}
	g := 0.0
	for k, c := range s.coef {
		g += float64(c * s.kernel.Eval(dots[k], xx, s.norms[k]))
	}
	return g + s.bias
}

// Label returns the label of the class that a decision value says. Where -1 stands
// for all labels but one, the classes are called 1 and -1. A value of 0 says the
// negative class.
func (m *Model) Label(g float64) float64 {
	switch {
	case m.Labels.Negative == nil && g > 0:
		return 1
	case m.Labels.Negative == nil:
		return -1
	case g > 0:
		return m.Labels.Positive
	}
	return *m.Labels.Negative
}

// LabelText returns what Label says, as a file of the data has it: the text of the class,
// such as "dog", or "not dog" where -1 stands for several; ok is false if labels are numbers.
func (m *Model) LabelText(g float64) (text string, ok bool) {
	if m.Input == nil {
		return "", false
	}
	if !(g > 0) && m.Labels.Negative != nil {
		return m.Input.Class(*m.Labels.Negative)
	}
	text, ok = m.Input.Class(m.Labels.Positive)
	if !(g > 0) {
		text = "not " + text
	}
	return text, ok
}

// Signs returns +1 and -1 for labels of the data as the model has learned them.
// It returns an error for a label that it knows nothing of.
func (m *Model) Signs(labels []float64) ([]float64, error) {
	out := make([]float64, len(labels))
	for i, y := range labels {
		switch {
		case y == m.Labels.Positive:
			out[i] = 1
		case m.Labels.Negative == nil || y == *m.Labels.Negative:
			out[i] = -1
		default:
			return nil, fmt.Errorf("row %d has the label %v, but the model knows only %v and %v", i+1, y, m.Labels.Positive, *m.Labels.Negative)
		}
	}
	return out, nil
}
