package sparse_test

import (
	"math"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
)

// TestSparsifyAgainstTheDefinition compares the three methods with direct implementations
// of their definitions, and checks the reported values.
func TestSparsifyAgainstTheDefinition(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		for _, bias := range []bool{false, true} {
			x := newExample(t, seed, bias)
			for _, cfg := range []sparse.SparsifyConfig{
				{Eta: 0.5, Epsilon: 0.3}, {Eta: 0.07, Epsilon: 0.05}, {Eta: 2, Epsilon: 0.2},
				{Eta: 0.5, Epsilon: 0.3, Relearn: true}, {Eta: 0.07, Epsilon: 0.05, Relearn: true}, {Eta: 2, Epsilon: 0.2, Relearn: true},
			} {
				if cfg.Relearn && !bias {
					continue
				}
				for _, m := range thesisMethods {
					l := suite.Must(m.make(cfg, x.problem(), x.ref))
					want := newDefinition(x, cfg, m.name)
					for step := range 150 {
						more := want.step()
						if stopped := l.Step().Stop(); stopped && more && m.name != "sparsify-aggressive" {
							more = want.step() // the method stops without an additional step
							if more {
								t.Fatalf("%s %+v: stopped after %d steps", m.name, cfg, step)
							}
						}
						got := make([]float64, len(want.alpha))
						var e sparse.Expansion
						l.ExpansionTo(&e)
						for k, i := range e.Index {
							got[i] = e.Coef[k] * x.points.Label(i)
						}
						for i, a := range want.alpha {
							if math.Abs(got[i]-a) > 1e-9*(1+a) {
								t.Fatalf("seed %d, bias %t, %s %+v after %d steps: alpha[%d] = %g, want %g",
									seed, bias, m.name, cfg, step+1, i, got[i], a)
							}
						}
						if !more {
							break
						}
						x.checkValue(t, l, cfg.Relearn)
					}
				}
			}
		}
	}
}

// definition implements the three methods by their definitions, without incremental updates.
type definition struct {
	x      example
	cfg    sparse.SparsifyConfig
	method string
	alpha  []float64
}

func newDefinition(x example, cfg sparse.SparsifyConfig, method string) *definition {
	return &definition{x, cfg, method, make([]float64, len(x.points.X))}
}

// worst returns the most violating point of each class among the constrained points that
// satisfy ok, or -1, and their violations without b~.
func (d *definition) worst(ok func(i int) bool) (at [2]int, by [2]float64) {
	at, by = [2]int{-1, -1}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, g := range d.x.ref.Scores {
		y := d.x.points.Label(i)
		if !(y*g > 0) || !ok(i) {
			continue
		}
		h := min(1, y*g)
		if !d.cfg.Relearn {
			h -= y * d.x.ref.Bias
		}
		class := 0
		if y < 0 {
			class = 1
		}
		if v := h - y*d.response(i); v > by[class]+1e-12 {
			at[class], by[class] = i, v
		}
	}
	return at, by
}

func (d *definition) response(i int) float64 {
	var u float64
	for j, a := range d.alpha {
		if a != 0 {
			u += a * d.x.points.Label(j) * float64(d.x.rows.Row(i)[j])
		}
	}
	return u
}

func (d *definition) value(by [2]float64) float64 {
	if d.cfg.Relearn {
		return (by[0] + by[1]) / 2
	}
	return max(by[0], by[1])
}

// step takes a step. It returns false if the method has converged.
func (d *definition) step() bool {
	all := func(int) bool { return true }
	at, by := d.worst(all)
	if d.method == "sparsify-aggressive" {
		old, oldBy := d.worst(func(i int) bool { return d.alpha[i] > 0 })
		switch {
		case d.value(oldBy) > d.cfg.Epsilon:
			at, by = old, oldBy
		case d.cfg.Relearn && old[0] >= 0 && old[1] >= 0:
			positive, negative := (by[0]+oldBy[1])/2, (oldBy[0]+by[1])/2
			if max(positive, negative) > d.cfg.Epsilon {
				if positive >= negative {
					at[1], by[1] = old[1], oldBy[1]
				} else {
					at[0], by[0] = old[0], oldBy[0]
				}
			}
		}
	}
	if d.value(by) <= d.cfg.Epsilon {
		return false
	}
	if !d.cfg.Relearn {
		if by[0] >= by[1]-1e-12 {
			at[1] = -1
		} else {
			at[0] = -1
		}
	}
	for _, i := range at {
		if i >= 0 {
			d.alpha[i] += d.cfg.Eta
		}
	}
	if d.method == "sparsify-smooth" {
		var normSq float64
		for i, a := range d.alpha {
			if a != 0 {
				normSq += a * d.x.points.Label(i) * d.response(i)
			}
		}
		if normSq > d.x.ref.NormSq {
			for i := range d.alpha {
				d.alpha[i] *= math.Sqrt(d.x.ref.NormSq / normSq)
			}
		}
	}
	return true
}
