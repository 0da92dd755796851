package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scriptedSource is a source with which successive IntN(n) return chosen numbers.
type scriptedSource struct{ next []uint64 }

func (s *scriptedSource) Uint64() uint64 {
	v := s.next[0]
	s.next = s.next[1:]
	return v
}

// say makes the following IntN(n) return r.
func (s *scriptedSource) say(r, n int) {
	// Of a power of two IntN takes the low bits, of others the high ones.
	s.next = append(s.next, uint64((float64(r)+0.5)/float64(n)*(1<<32))<<32|uint64(r))
}

func TestScriptedSource(t *testing.T) {
	s := &scriptedSource{}
	rng := rand.New(s)
	for n := 1; n < 60; n++ {
		for r := range n {
			s.next = nil
			s.say(r, n)
			if got := rng.IntN(n); got != r {
				t.Fatalf("IntN(%d) = %d, want %d", n, got, r)
			}
		}
	}
}

// TestSBPPairUnbiased: over all pairs that may be drawn, the mean of what is added
// to w is eta sum_i p*_i y_i Phi(x_i), whose p* is computed afresh here.
func TestSBPPairUnbiased(t *testing.T) {
	const n, np = 21, 8
	shared := 0
	for _, nu := range []float64{0, 0.03, 0.3, 4} {
		for _, before := range []int{0, 1, 9, 60} {
			fresh := func() *SBP {
				p, _ := newGaussianProblem(6, n, np, n)
				a, err := NewSBP(SBPConfig{Nu: nu, Bias: true, Pair: true}, p, rand.New(rand.NewPCG(5, 5)))
				if err != nil {
					t.Fatal(err)
				}
				steps(t, a, before)
				return a
			}
			a := fresh()
			start := slices.Clone(a.alpha)
			c := make([]float64, n)
			for i := range c {
				c[i] = a.response(i)
			}
			gamma, b, under := WaterLevelBias(c[:np], c[np:], n*nu)
			want := make([]float64, n) // p*
			for class, level := range [2]float64{gamma - b, gamma + b} {
				var at []int
				left := 1.0
				for i := range c {
					switch {
					case (i >= np) != (class == 1):
					case c[i] < level-1e-12:
						want[i] = 0.5 / float64(under)
						left -= 1 / float64(under)
					case c[i] <= level+1e-12:
						at = append(at, i)
					}
				}
				for _, i := range at {
					want[i] = 0.5 * left / float64(len(at))
				}
				if len(at) > 0 && left > 0 {
					shared++
				}
			}

			// The draws: of each class the r-th of m, and one of those at the
			// surface if r is none below it.
			w := &a.levels
			w.find(a.volume / a.scale)
			m := w.spread()
			type choice struct {
				values, of []int
				p          float64
			}
			var choices [2][]choice
			for class := range choices {
				below := w.under[class]
				touching := surface(w.c[class], w.level[class], below)
				for r := range m {
					if r < below {
						choices[class] = append(choices[class], choice{[]int{r}, []int{m}, 1 / float64(m)})
						continue
					}
					for s := range touching {
						choices[class] = append(choices[class], choice{[]int{r, s}, []int{m, touching}, 1 / float64(m*touching)})
					}
				}
			}
			eta := a.eta0 / math.Sqrt(float64(before+1))
			got := make([]float64, n)
			for _, x := range choices[0] {
				for _, y := range choices[1] {
					a := fresh()
					s := &scriptedSource{}
					for _, c := range []choice{x, y} {
						for k, v := range c.values {
							s.say(v, c.of[k])
						}
					}
					a.rng = rand.New(s)
					scale := a.scale
					steps(t, a, 1)
					if len(s.next) != 0 {
						t.Fatal("not all that the script has to say was asked for")
					}
					for i := range got {
						got[i] += x.p * y.p * (a.alpha[i] - start[i]) * scale / eta
					}
				}
			}
			if !allClose(got, want, 1e-12) {
				t.Errorf("nu = %g, after %d steps: mean move / eta\n%v, want p*\n%v", nu, before, got, want)
			}
		}
	}
	if shared == 0 {
		t.Error("no points at the surface had a share of p*")
	}
}

// highGaussian returns a problem whose kernel values are all at least 0.9: the
// images are close to each other and far from the origin.
func highGaussian(seed uint64, n, np int) (Problem, *fakeGram) {
	p, g := newGaussianProblem(seed, n, np, n)
	for i, row := range g.K {
		for j, v := range row {
			row[j] = float32(0.9 + 0.1*float64(v))
		}
		g.D[i] = float64(row[i])
	}
	return p, g
}

// TestSBPPairBalance: the coefficients of the two classes stay equal, so that w
// has no part along the mean of Phi that the bias would have to make up for; a
// single draw does not keep them, and is the worse for it.
func TestSBPPairBalance(t *testing.T) {
	t.Parallel()
	const lambda = 0.002
	p, g := highGaussian(3, 40, 13)
	primal, normSq, hinge, _ := optimum(t, p, g, lambda, true)
	excess := map[bool]float64{}
	imbalance := map[bool]float64{}
	for _, pair := range []bool{false, true} {
		const runs = 10
		for seed := range uint64(runs) {
			a, err := NewSBP(SBPConfig{Nu: hinge / math.Sqrt(normSq), Bias: true, Pair: pair}, p, rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			var s Solution
			for a.Cost().KernelEvals < int64(4000*g.n) {
				steps(t, a, 1)
				if a.Cost().Iterations%100 != 0 {
					continue
				}
				a.SolutionTo(&s)
				var sum, balance float64
				for i, v := range s.Alpha {
					sum += v
					balance += p.Label(i) * v
				}
				imbalance[pair] = max(imbalance[pair], math.Abs(balance)/sum)
			}
			excess[pair] += (lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal) / runs
		}
	}
	t.Logf("suboptimality %v of %g, imbalance %v", excess, primal, imbalance)
	if imbalance[true] > 1e-12 || imbalance[false] < 1e-3 {
		t.Errorf("|sum y alpha| / sum alpha came to %v, want 0 for pairs alone", imbalance)
	}
	if !(excess[true] < excess[false]/3) {
		t.Errorf("after equal numbers of kernel evaluations suboptimal by %v; pairs should be well ahead", excess)
	}
}
